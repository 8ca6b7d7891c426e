#include "profiler/gpu/timing/turns.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "base/json.hpp"

namespace tilescope {
namespace {

constexpr std::array<TurnSide, 4> sides{TurnSide::a, TurnSide::b, TurnSide::a, TurnSide::b};
constexpr std::array<std::int64_t, 4> two_launches{2, 2, 2, 2};

std::vector<TurnRound> rounds_of(const Json& entry) {
  std::vector<TurnRound> rounds(entry.at("us").at(0).size(), TurnRound(sides.size()));
  for (std::size_t side = 0; side < sides.size(); ++side) {
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      for (std::size_t turn = 0; turn < 2; ++turn) {
        TurnSample& sample = rounds[i][side][turn];
        sample.us = entry.at("us").at(side).at(i).at(turn);
        sample.sm_clock_mhz = entry.at("sm_clock_mhz").at(side).at(i).at(turn);
      }
    }
  }
  return rounds;
}

void expect_spread(const Spread& spread, const Json& expected) {
  const std::array<double, 3> figures{spread.least, spread.median, spread.upper_quartile};
  for (std::size_t i = 0; i < figures.size(); ++i)
    EXPECT_NEAR(figures[i], expected.at(i).get<double>(), 1e-9 * figures[i]);
}

TEST(Turns, StatisticsAreThoseOfScipy) {
  std::ifstream file(std::string(TILESCOPE_SOURCE_DIR) + "/profiler/gpu/timing/tests/fixtures/turns.json");
  const Json cases = Json::parse(file);
  ASSERT_EQ(cases.size(), 3u);
  for (const Json& entry : cases) {
    const auto launches = entry.at("launches").get<std::array<std::int64_t, 4>>();
    const auto series = paired_series(rounds_of(entry), sides, launches, 0);
    ASSERT_TRUE(series);
    const Json& expected = entry.at("expected");
    expect_spread(series->a.us, expected.at("a_us"));
    expect_spread(series->b.us, expected.at("b_us"));
    expect_spread(*series->a.cycles, expected.at("a_cycles"));
    expect_spread(*series->b.cycles, expected.at("b_cycles"));
    EXPECT_NEAR(series->ratio.value, expected.at("ratio").at(0), 1e-9);
    EXPECT_NEAR(series->ratio.low, expected.at("ratio").at(1), 1e-5) << "t has five digits";
    EXPECT_NEAR(series->ratio.high, expected.at("ratio").at(2), 1e-5);
    EXPECT_NEAR(series->noise_floor, expected.at("noise_floor"), 1e-5);
  }
}

TurnRound round_at(double us, double clock_mhz) {
  return TurnRound(sides.size(), {TurnSample{us, clock_mhz}, TurnSample{us, clock_mhz}});
}

std::optional<PairedSeries> series_of(const std::vector<TurnRound>& rounds, double default_clock_mhz = 1980) {
  return paired_series(rounds, sides, two_launches, default_clock_mhz);
}

TEST(Turns, RoundsAtALowClockDoNotCount) {
  std::vector<TurnRound> rounds(50, round_at(100, 1900));
  for (std::size_t i = 0; i < 8; ++i) rounds[i] = round_at(200, 900);
  EXPECT_EQ(series_of(rounds)->rounds, 42);
  EXPECT_EQ(series_of(rounds, 0)->rounds, 50) << "the default clock is not known";
  for (TurnRound& round : rounds) round = round_at(200, 900);
  EXPECT_EQ(series_of(rounds)->rounds, 50) << "the GPU stays at this clock";
}

TEST(Turns, TooFewRoundsAreNoSeries) {
  EXPECT_FALSE(series_of(std::vector<TurnRound>(39, round_at(100, 1900))));
  EXPECT_TRUE(series_of(std::vector<TurnRound>(40, round_at(100, 1900))));
}

TEST(Turns, AnUnknownClockMakesNoCycles) {
  const auto series = series_of(std::vector<TurnRound>(40, round_at(100, 0)));
  EXPECT_FALSE(series->a.cycles);
}

// A device with a clock of its own; the runs of all three are written into one list.
class FakeDevice {
 public:
  FakeDevice(char name, double us, std::string& order, double& now_s)
      : name_(name), us_(us), order_(order), now_s_(now_s) {}
  void prepare(CacheState, std::int64_t) {}
  TimedRun run() {
    order_ += name_;
    now_s_ += us_ * 1e-6;
    return {us_, 1900};
  }
  void finish() noexcept {}
  double default_clock_mhz() const { return 1980; }
  double now_s() const { return now_s_; }

 private:
  char name_;
  double us_;
  std::string& order_;
  double& now_s_;
};

struct FourDevices {
  std::string order;
  double now_s = 0;
  FakeDevice a{'a', 400, order, now_s}, b{'b', 200, order, now_s}, again_a{'A', 400, order, now_s},
      again_b{'B', 200, order, now_s};

  auto time(const TurnOptions& options) {
    const std::array<FakeDevice*, 4> devices{&a, &b, &again_a, &again_b};
    const std::array<std::int64_t, 4> launches{4, 2, 4, 2};
    return time_in_turns<FakeDevice>(devices, launches, options);
  }
};

TEST(Turns, RunInPalindromes) {
  FourDevices devices;
  TurnOptions options;
  options.budget_s = 0;
  const auto rounds = devices.time(options);
  ASSERT_EQ(rounds->size(), 2 * turn_batches) << "two rounds a batch, whatever the budget";
  EXPECT_EQ(devices.order.substr(0, 12), "abABabABBAba");
  EXPECT_DOUBLE_EQ(rounds->front()[0][0].us, 100);
  EXPECT_DOUBLE_EQ(rounds->front()[1][1].us, 100);
}

TEST(Turns, EndAtTheTimeLimitOrWhenCancelled) {
  FourDevices slow;
  TurnOptions options;
  options.budget_s = 0.001;
  options.time_limit_s = 0.01;
  EXPECT_EQ(slow.time(options)->size(), 5u) << "a round takes 2.4 ms, and the fifth ends at 12 ms";
  int asked = 0;
  options.cancelled = [&] { return ++asked == 3; };
  EXPECT_FALSE(FourDevices().time(options));
}

// Noise like a kernel's on an L4: the coefficient of variation by the length of a kernel, mostly upwards; a clock that
// wanders, and now and then a disturbance.
class NoisyGpu {
 public:
  NoisyGpu(double variation, unsigned seed) : variation_(variation), random_(seed) {}

  /// By contestant.
  std::vector<TurnRound> rounds(const std::array<double, 4>& us, std::size_t count) {
    std::vector<TurnRound> rounds(count, TurnRound(us.size()));
    for (TurnRound& round : rounds) {
      for (const std::size_t turn : {0U, 1U}) {
        for (std::size_t i = 0; i < us.size(); ++i) round[i][turn] = sample(us[i]);
      }
    }
    return rounds;
  }

 private:
  TurnSample sample(double us) {
    clock_ = std::clamp(clock_ + 5 * normal_(random_), 1700.0, 2040.0);
    const double noise = variation_ / std::sqrt(2.0) * gamma_(random_);
    const double disturbance = uniform_(random_) < 0.01 ? uniform_(random_) : 0;
    return {us * (2040 / clock_) * (1 + noise + disturbance), clock_};
  }

  double variation_, clock_ = 1900;
  std::mt19937 random_;
  std::normal_distribution<double> normal_{};
  std::gamma_distribution<double> gamma_{2.0, 1.0};
  std::uniform_real_distribution<double> uniform_{0, 1};
};

Verdict verdict_of(const std::vector<TurnRound>& rounds) {
  const PairedSeries series = *series_of(rounds, 0);
  return judge_measured(series.a, series.b, series.ratio.value, series.noise_floor).verdict;
}

// How many of 200 pairs get each verdict, where B takes `factor` times as long as A.
std::map<Verdict, int> verdicts(double variation, double factor) {
  std::map<Verdict, int> counts;
  for (unsigned pair = 0; pair < 200; ++pair)
    ++counts[verdict_of(NoisyGpu(variation, pair + 1).rounds({60, 60 * factor, 60, 60 * factor}, 120))];
  return counts;
}

TEST(Turns, EqualKernelsAreNotToldApart) {
  for (const double variation : {0.32, 0.07, 0.02, 0.001}) {
    std::map<Verdict, int> counts = verdicts(variation, 1);
    EXPECT_LE(counts[Verdict::faster] + counts[Verdict::slower], 4) << variation;
    EXPECT_GE(counts[Verdict::same], 190) << variation;
  }
}

// As where a library places its code and memory anew each time.
TEST(Turns, ContestantsOfOneSideThatDifferRaiseTheNoiseFloor) {
  const auto rounds = NoisyGpu(0.001, 1).rounds({60, 58.8, 60.6, 60}, 120);
  EXPECT_GE(series_of(rounds, 0)->noise_floor, 0.02) << "58.8 and 60 are of one side";
  EXPECT_EQ(verdict_of(rounds), Verdict::same);
}

TEST(Turns, DifferencesAreNeverToldTheWrongWayRound) {
  for (const double variation : {0.32, 0.07, 0.02, 0.001}) {
    for (const double slower : {1.02, 1.05, 1.2, 2.0}) {
      std::map<Verdict, int> counts = verdicts(variation, slower), opposite = verdicts(variation, 1 / slower);
      EXPECT_EQ(counts[Verdict::faster], 0) << variation << " " << slower;
      EXPECT_EQ(opposite[Verdict::slower], 0) << variation << " " << slower;
    }
  }
}

// sessions/compare/README.md has the figures: 198, 200, 178 and 198 of 200.
TEST(Turns, DifferencesBeyondTheNoiseAreFound) {
  EXPECT_GE(verdicts(0.001, 1.02)[Verdict::slower], 190);
  EXPECT_GE(verdicts(0.02, 1.2)[Verdict::slower], 190);
  EXPECT_GE(verdicts(0.07, 1.2)[Verdict::slower], 150);
  EXPECT_GE(verdicts(0.32, 2.0)[Verdict::slower], 170);
}

}  // namespace
}  // namespace tilescope
