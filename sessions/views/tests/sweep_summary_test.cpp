#include "sessions/views/tune/sweep_summary.hpp"

#include <gtest/gtest.h>

#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::make_point;
using test_support::make_timed;
using test_support::share;

Measurement failed(Status status) {
  Measurement point = make_point(8, "row");
  point.status = status;
  return point;
}

Measurement correct(Measurement point) {
  point.error = Error{1e-4, 1e-4, 1e-3, "gpu", 1, 1};
  return point;
}

EndedSweep sweep_of(std::vector<SharedMeasurement> points) {
  EndedSweep sweep;
  sweep.total = points.size();
  sweep.points = std::move(points);
  sweep.elapsed_s = 41.2;
  sweep.swept = {"M", "LAYOUT"};
  return sweep;
}

TEST(SweepSummary, ProgressSaysWhatIsLeft) {
  EXPECT_EQ(sweep_progress_text(46, 60, 8.7), "14 of 60 left, about 9 s");
  EXPECT_EQ(sweep_progress_text(0, 1200, std::nullopt), "1,200 of 1,200 left");
}

TEST(SweepSummary, TheRateHasTheUnitThatSuitsIt) {
  EXPECT_EQ(sweep_rate_text(std::nullopt), "");
  EXPECT_EQ(sweep_rate_text(31.6), "32 points/s");
  EXPECT_EQ(sweep_rate_text(3.24), "3.2 points/s");
  EXPECT_EQ(sweep_rate_text(0.28), "17 points/min");
  EXPECT_EQ(sweep_rate_text(1.0 / 120), "30 points/h");
}

TEST(SweepSummary, SaysThatTheBestIsNotToBeTrusted) {
  Measurement best = correct(make_timed(8, "row", 10));
  best.diagnoses.emplace().push_back({"equal_machine_code", Severity::hint, {}, "", "", ""});
  const std::vector<SharedMeasurement> points{share(best), share(correct(make_timed(16, "row", 20)))};
  EXPECT_EQ(summarize_sweep(sweep_of(points)).fastest, "Best: M=8 LAYOUT=row, 10.00 µs (same code)");
}

TEST(SweepSummary, CountsEachOutcome) {
  const SweepSummary summary =
      summarize_sweep(sweep_of({share(failed(Status::compile_failed)), share(correct(make_point(8, "row"))),
                                share(failed(Status::wrong_result)), share(correct(make_point(16, "row"))),
                                share(make_point(32, "row"))}));
  EXPECT_EQ(summary.counts, "5 points: 2 correct, 1 incorrect, 1 failed to compile, 1 not checked; 41 s");
  EXPECT_EQ(summary.fastest, "");
  EXPECT_EQ(summary.fastest_point, nullptr);
}

TEST(SweepSummary, WithoutAnyLatencyPredictionsAreRanked) {
  using test_support::make_predicted;
  const auto fast = share(make_predicted(16, "padded", 10));  // 7.5 to 15
  SweepSummary summary = summarize_sweep(sweep_of({share(make_predicted(8, "row", 40)), fast}));
  EXPECT_EQ(summary.fastest, "Best predicted: M=16 LAYOUT=padded, 10.00 µs");
  EXPECT_EQ(summary.fastest_point, fast);
  summary = summarize_sweep(sweep_of({share(make_predicted(8, "row", 12)), fast}));
  EXPECT_EQ(summary.fastest,
            "Lowest predicted latency: M=16 LAYOUT=padded, 10.00 µs (1 of 2 cannot be told from the best)");
  const auto timed = share(make_timed(8, "row", 20));
  summary = summarize_sweep(sweep_of({timed, fast}));
  EXPECT_EQ(summary.fastest_point, timed) << "a prediction is not compared with a time";
}

TEST(SweepSummary, NamesTheBestWithTheSweptParameters) {
  const auto fast = share(make_timed(16, "padded", 12.3));
  EndedSweep sweep = sweep_of({share(make_timed(8, "row", 20)), fast, share(make_timed(32, "row", 50))});
  EXPECT_EQ(summarize_sweep(sweep).fastest, "Best: M=16 LAYOUT=padded, 12.30 µs");
  EXPECT_EQ(summarize_sweep(sweep).fastest_point, fast);
  // 0.9 times 13 is below 1.2 times 12.3.
  sweep.points.push_back(share(make_timed(8, "padded", 13)));
  EXPECT_EQ(summarize_sweep(sweep).fastest,
            "Lowest latency: M=16 LAYOUT=padded, 12.30 µs (1 of 4 cannot be told from the best)");
  EXPECT_EQ(summarize_sweep(sweep_of({fast})).fastest, "Lowest latency: M=16 LAYOUT=padded, 12.30 µs");
}

TEST(SweepSummary, TiesAreThoseOfAComparisonOfTwoPredictions) {
  // ln(1.2) is 0.182, ln(1.25) is 0.223.
  std::vector<SharedMeasurement> points;
  for (const double us : {10.0, 11.0, 12.0, 12.5, 20.0}) {
    Measurement point = test_support::make_predicted(8, "row", us);
    point.prediction->ratio_error = RatioError{0.2, 0.5};
    points.push_back(share(point));
  }
  EXPECT_EQ(summarize_sweep(sweep_of(points)).fastest,
            "Lowest predicted latency: M=8 LAYOUT=row, 10.00 µs (2 of 5 cannot be told from the best)")
      << "the bands of all but the last meet, which says nothing of their ratios";
}

TEST(SweepSummary, AnIncorrectResultIsNeverTheFastest) {
  Measurement wrong = make_timed(8, "row", 1);
  wrong.status = Status::wrong_result;
  EXPECT_EQ(summarize_sweep(sweep_of({share(wrong)})).fastest_point, nullptr);
}

TEST(SweepSummary, SaysWhatWasThereBeforeAndWhatIsMissing) {
  EndedSweep sweep = sweep_of({share(correct(make_point(8, "row"))), share(correct(make_point(16, "row")))});
  sweep.reused = 1;
  EXPECT_EQ(summarize_sweep(sweep).counts, "2 points (1 in the session before): 2 correct; 41 s");
  sweep.reused = 2;
  EXPECT_EQ(summarize_sweep(sweep).counts, "2 points, all in the session before: 2 correct");
  sweep.prepared = 1;
  EXPECT_EQ(summarize_sweep(sweep).counts, "2 points (1 in the session before, 1 prepared ahead): 2 correct");
  sweep.prepared = 2;
  EXPECT_EQ(summarize_sweep(sweep).counts, "2 points, all prepared ahead: 2 correct");
  sweep.reused = sweep.prepared = 0;
  sweep.total = 60;
  EXPECT_EQ(summarize_sweep(sweep).counts, "Stopped after 2 of 60 points: 2 correct; 41 s");
  sweep.cancelled = true;
  EXPECT_EQ(summarize_sweep(sweep).counts, "Cancelled after 2 of 60 points: 2 correct; 41 s");
}

}  // namespace
}  // namespace tilescope
