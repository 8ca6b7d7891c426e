#include "sessions/verdict/verdict.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tilescope {
namespace {

JudgedSeries series(double least, double median, double upper_quartile, double clock_mhz = 2000) {
  return {{least, median, upper_quartile},
          Spread{least * clock_mhz, median * clock_mhz, upper_quartile * clock_mhz}};
}

Verdict judged(const JudgedSeries& a, const JudgedSeries& b, double noise_floor = 0.001) {
  const double ratio = a.us.median / b.us.median;
  return judge_measured(a, b, ratio, noise_floor).verdict;
}

TEST(Verdict, IsAboutB) {
  EXPECT_EQ(judged(series(99, 100, 101), series(89, 90, 91)), Verdict::faster);
  EXPECT_EQ(judged(series(99, 100, 101), series(109, 110, 111)), Verdict::slower);
}

TEST(Verdict, SpreadsThatMeetDecideNothing) {
  EXPECT_EQ(judged(series(99, 100, 101), series(100.5, 103, 104)), Verdict::undecided);
}

TEST(Verdict, AGapWithinTheNoiseIsSame) {
  EXPECT_EQ(judged(series(99.9, 100, 100.1), series(100.9, 101, 101.1), 0.011), Verdict::same);
  EXPECT_EQ(judged(series(99.9, 100, 100.1), series(100.9, 101, 101.1), 0.009), Verdict::slower);
}

TEST(Verdict, AClockThatFellIsNoSlowerKernel) {
  EXPECT_EQ(judged(series(99, 100, 101, 2000), series(109, 110, 111, 1818)), Verdict::undecided);
  JudgedSeries unknown = series(109, 110, 111);
  unknown.cycles.reset();
  EXPECT_EQ(judged(series(99, 100, 101), unknown), Verdict::undecided);
}

TEST(Verdict, OfPredictionsComesFromTheIntervalOfTheirRatio) {
  EXPECT_EQ(judge_predicted({1.5, 1.2, 1.8}, false).verdict, Verdict::faster);
  EXPECT_EQ(judge_predicted({0.7, 0.6, 0.9}, false).verdict, Verdict::slower);
  EXPECT_EQ(judge_predicted({1, 0.9, 1.1}, false).verdict, Verdict::undecided);
  EXPECT_EQ(judge_predicted({1, 0.9, 1.1}, true).verdict, Verdict::same);
}

TEST(Verdict, NamesAreRead) {
  for (const Verdict verdict : {Verdict::faster, Verdict::slower, Verdict::same, Verdict::undecided})
    EXPECT_EQ(verdict_from(to_string(verdict)), verdict);
  EXPECT_THROW(verdict_from("BETTER"), std::invalid_argument);
}

}  // namespace
}  // namespace tilescope
