#include "sessions/compare/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/json.hpp"
#include "sessions/compare/comparison_json.hpp"
#include "sessions/compare/comparison_text.hpp"
#include "sessions/compare/tests/compared_points.hpp"
#include "sessions/verdict/ratio_of_points.hpp"

namespace tilescope {
namespace {

using test_support::add_conflicts;
using test_support::make_predicted_side;
using test_support::make_timed_side;

TEST(Comparison, OfTimedPointsHasTheIntervalOfTwoMedians) {
  const Comparison comparison = compare(make_timed_side("row", 120), make_timed_side("padded", 100));
  EXPECT_EQ(comparison.basis, Basis::apart);
  EXPECT_EQ(comparison.verdict, Verdict::faster);
  EXPECT_DOUBLE_EQ(comparison.ratio->value, 1.2);
  // sigma = 0.0075 / 1.349 of the median; 1.96 * 1.2533 * sigma / sqrt(100) * sqrt(2), computed by hand.
  const double log_error = 1.96 * 1.2533 * 0.0075 / 1.349 / 10 * std::sqrt(2);
  EXPECT_NEAR(comparison.ratio->low, 1.2 * std::exp(-log_error), 1e-12);
  EXPECT_NEAR(comparison.ratio->high, 1.2 * std::exp(log_error), 1e-12);
  EXPECT_EQ(comparison.remarks.size(), 1u) << "timed apart";
}

TEST(Comparison, OfPredictionsHasTheIntervalOfPredictedRatios) {
  const Comparison near = compare(make_predicted_side("row", 80, 30), make_predicted_side("padded", 100, 0));
  EXPECT_EQ(near.basis, Basis::predicted);
  EXPECT_EQ(near.verdict, Verdict::undecided);
  EXPECT_NEAR(near.ratio->low, 1.1 * std::exp(-0.2), 1e-12);
  EXPECT_EQ(compare(make_predicted_side("row", 80, 60), make_predicted_side("padded", 100, 0)).verdict,
            Verdict::faster);
  Measurement other_kernel = make_predicted_side("padded", 100, 0);
  other_kernel.kernel = "tiled";
  EXPECT_NEAR(compare(make_predicted_side("row", 80, 60), other_kernel).ratio->low, 1.4 * std::exp(-0.3),
              1e-12);
}

TEST(Comparison, OfPredictionsWithoutAnErrorOfRatiosTakesTheirBands) {
  Measurement a = make_predicted_side("row", 100, 0), b = make_predicted_side("padded", 50, 0);
  a.prediction->ratio_error.reset();
  const Ratio ratio = ratio_of(*a.prediction, *b.prediction, true);
  EXPECT_DOUBLE_EQ(ratio.low, 80 / 62.5);
  EXPECT_DOUBLE_EQ(ratio.high, 125 / 40.0);
}

TEST(Comparison, EqualMachineCodeIsTheSame) {
  const Comparison comparison =
      compare(make_predicted_side("row", 80, 30), make_predicted_side("row", 80, 30));
  EXPECT_EQ(comparison.verdict, Verdict::same);
  EXPECT_FALSE(comparison.has_interval) << "a program is as fast as itself";
}

TEST(Comparison, PartsAndResidualAreTheWholeDifference) {
  Measurement a = make_timed_side("row", 120), b = make_timed_side("padded", 100);
  a.prediction = make_predicted_side("row", 80, 30).prediction;
  b.prediction = make_predicted_side("padded", 85, 7).prediction;
  const Comparison comparison = compare(a, b);
  const TimeDifference& difference = *comparison.difference;
  ASSERT_EQ(difference.parts.size(), 2u);
  EXPECT_DOUBLE_EQ(difference.parts[0].microseconds, 5);
  EXPECT_DOUBLE_EQ(difference.parts[1].microseconds, -23);
  EXPECT_DOUBLE_EQ(*difference.parts[1].share, 23 / 20.0);
  EXPECT_DOUBLE_EQ(difference.residual_us, -2) << "of -20 the parts explain -18";
}

TEST(Comparison, WithoutAPredictionAllIsResidual) {
  const Comparison comparison = compare(make_timed_side("row", 120), make_timed_side("padded", 100));
  EXPECT_TRUE(comparison.difference->parts.empty());
  EXPECT_DOUBLE_EQ(comparison.difference->residual_us, -20);
  EXPECT_FALSE(comparison.difference->why_no_parts.empty());
}

TEST(Comparison, NamesTheLineOfTheConflicts) {
  Measurement a = make_predicted_side("row", 80, 60), b = make_predicted_side("padded", 80, 0);
  add_conflicts(a, 31'000'000, 31'000'000, 84);
  add_conflicts(b, 0, 0, 84);
  const DifferencePart part = compare(a, b).difference->parts[1];
  EXPECT_EQ(part.lines, std::vector<std::int64_t>{84});
  EXPECT_EQ(
      part.text,
      "B needs 31.0 M fewer shared-memory wavefronts in conflicts (0 instead of 31.0 M), all of them on "
      "line 84 (K)");
}

TEST(Comparison, SaysHowManyOfTheConflictsALineHas) {
  Measurement a = make_predicted_side("row", 80, 60), b = make_predicted_side("padded", 80, 0);
  add_conflicts(a, 10'000'000, 7'500'000, 84);
  add_conflicts(b, 0, 0, 84);
  const std::string text = compare(a, b).difference->parts[1].text;
  EXPECT_NE(text.find("75.0 % of them on line 84"), std::string::npos) << text;
  add_conflicts(a, 10'000'000, 1'000'000, 84);
  EXPECT_TRUE(compare(a, b).difference->parts[1].lines.empty()) << "a tenth explains nothing";
}

TEST(Comparison, WithoutAPredictionTheCountsSayWhatChanged) {
  Measurement a = make_timed_side("row_major", 50), b = make_timed_side("xor_swizzle", 40);
  add_conflicts(a, 1000, 1000, 84);
  add_conflicts(b, 100, 100, 84);
  const Comparison comparison = compare(a, b);
  EXPECT_NE(comparison.difference->why_no_parts.find("shared-memory wavefronts in conflicts -90.0 %"),
            std::string::npos)
      << comparison.difference->why_no_parts;
}

TEST(Comparison, APartThatDoesNotFollowItsCountSaysWhy) {
  Measurement a = make_predicted_side("row_major", 20, 30), b = make_predicted_side("xor_swizzle", 20, 10);
  add_conflicts(a, 1000, 1000, 84);
  add_conflicts(b, 1000, 1000, 84);
  const auto text = [](const Comparison& comparison) { return comparison.difference->parts.at(1).text; };
  EXPECT_EQ(
      text(compare(a, b)),
      "Both need 1,000 shared-memory wavefronts in conflicts. More of their time passes behind other work in "
      "B");
  EXPECT_NE(text(compare(b, a)).find("Less of their time"), std::string::npos);
}

TEST(Comparison, OfTwoVersionsOfASourceSaysSo) {
  Measurement a = make_timed_side("row_major", 50), b = make_timed_side("xor_swizzle", 40);
  a.provenance.source_sha256 = std::string(64, 'a');
  b.provenance.source_sha256 = std::string(64, 'a');
  const auto says = [&] {
    return std::ranges::any_of(compare(a, b).remarks, [](const std::string& remark) {
      return remark.find("different versions of the source of flash_scalar") != std::string::npos;
    });
  };
  EXPECT_FALSE(says());
  b.provenance.source_sha256 = std::string(64, 'b');
  EXPECT_TRUE(says());
}

TEST(Comparison, OfOtherShapesOrDevicesSaysSo) {
  Measurement a = make_timed_side("row", 120), b = make_timed_side("padded", 100);
  b.shape.B = 4;
  EXPECT_NE(why_not_comparable(a, b).find("shapes differ"), std::string::npos);
  EXPECT_EQ(compare(a, b).remarks.front(), why_not_comparable(a, b));
  b.shape = a.shape;
  b.device.name = "H200";
  EXPECT_NE(why_not_comparable(a, b).find("devices differ"), std::string::npos);
}

TEST(Comparison, OfKernelsWithOtherArgumentsSaysSo) {
  Measurement a = test_support::make_predicted_side("row", 100, 0), b = a;
  a.arguments = Configuration{{"N", std::int64_t{4096}}, {"rows", std::int64_t{8}}};
  EXPECT_EQ(why_not_comparable(a, b), "B computes attention, the other one is a kernel of a file.");
  b.arguments = Configuration{{"N", std::int64_t{4096}}, {"columns", std::int64_t{3}}};
  EXPECT_EQ(why_not_comparable(a, b), "") << "names that one of them has alone say nothing";
  b.arguments->at("N") = std::int64_t{1024};
  EXPECT_EQ(why_not_comparable(a, b), "The arguments differ: N is 4096 in A and 1024 in B.");
  b.arguments->emplace("rows", std::int64_t{9});
  EXPECT_EQ(why_not_comparable(a, b),
            "The arguments differ: N is 4096 in A and 1024 in B, rows is 8 in A and 9 in B.");
}

TEST(Comparison, AWrongResultIsNotRanked) {
  Measurement right = test_support::make_predicted_side("row", 100, 0),
              wrong = test_support::make_predicted_side("xor", 10, 0);
  ASSERT_NE(compare(right, wrong).verdict, Verdict::undecided);
  Finding values;
  values.kind = "wrong_value";
  values.text = "3 of 4 elements of 'y' differ";
  wrong.findings = {values};
  const Comparison comparison = compare(right, wrong);
  EXPECT_EQ(comparison.verdict, Verdict::undecided);
  EXPECT_EQ(comparison.reason, "B's result is wrong: it is not ranked beside A, however long it takes.");
  EXPECT_TRUE(comparison.ratio) << "what it takes is still said";
  EXPECT_EQ(compare(wrong, right).reason.substr(0, 19), "A's result is wrong");
  EXPECT_EQ(compare(wrong, wrong).reason, "The results of both are wrong: neither is ranked.");
  right.status = Status::unchecked;
  EXPECT_EQ(compare(right, wrong).reason.substr(0, 19), "B's result is wrong")
      << "the side that was not checked is not the one to doubt";
}

// The interval does not contain 1: which launch is shorter is known, which kernel is better is not.
TEST(Comparison, AnOpenVerdictDoesNotCallASideFast) {
  Measurement right = test_support::make_predicted_side("row", 160, 0),
              wrong = test_support::make_predicted_side("xor", 10, 0);
  wrong.findings.emplace_back().kind = "wrong_value";
  EXPECT_EQ(speed_text(compare(right, wrong)).speed, "p50(A) / p50(B) is 16.00");
  EXPECT_EQ(speed_text(compare(right, wrong)).interval, "13.10 to 19.54");
  EXPECT_EQ(speed_text(compare(wrong, right)).speed, "p50(B) / p50(A) is 16.00");
  EXPECT_EQ(speed_text(compare(wrong, right)).interval, "13.10 to 19.54");
  const Comparison open = compare(test_support::make_predicted_side("row", 110, 0),
                                  test_support::make_predicted_side("xor", 100, 0));
  ASSERT_EQ(open.verdict, Verdict::undecided);
  EXPECT_EQ(speed_text(open).speed, "p50(A) / p50(B) is 1.10");
  EXPECT_EQ(speed_text(open).interval, "0.90 to 1.34");
}

TEST(Comparison, FaultsOfASideComeFirst) {
  Measurement a = test_support::make_predicted_side("row", 100, 0), b = a;
  Finding race;
  race.kind = "race";
  race.text = "Line 9 reads what line 7 writes.";
  Finding harmless;
  harmless.kind = "same_value_store";
  b.findings = {harmless, race, race};
  a.findings = {harmless};
  const Comparison comparison = compare(a, b);
  ASSERT_FALSE(comparison.remarks.empty());
  EXPECT_EQ(comparison.remarks.front(), "B has 2 faults. The first: Line 9 reads what line 7 writes.");
}

TEST(Comparison, OfScoresWithAttentionSaysSo) {
  Measurement a = make_timed_side("row", 120), b = make_timed_side("padded", 100);
  b.latency->tflops /= 2;
  EXPECT_EQ(why_not_comparable(a, b), "B computes the scores alone, the other one all of attention.");
}

TEST(Comparison, OfAFailedPointHasNoVerdict) {
  Measurement b = make_timed_side("padded", 100);
  b.status = Status::wrong_result;
  b.reason = "the largest error is 0.28";
  const Comparison comparison = compare(make_timed_side("row", 120), b);
  EXPECT_EQ(comparison.basis, Basis::none);
  EXPECT_EQ(comparison.verdict, Verdict::undecided);
  EXPECT_EQ(comparison.reason, "B has no correct result. Incorrect result: the largest error is 0.28.");
  EXPECT_FALSE(comparison.ratio);
  EXPECT_EQ(compare(b, b).reason,
            "A has no correct result. Incorrect result: the largest error is 0.28. B has no correct result. "
            "Incorrect result: the largest error is 0.28.");
}

TEST(Comparison, OfATimeWithAPredictionSaysWhyThereIsNoVerdict) {
  const Measurement timed = make_timed_side("row", 120), predicted = make_predicted_side("padded", 80, 0);
  EXPECT_EQ(compare(predicted, timed).reason,
            "B was timed and has no prediction, A was only predicted: a measured time is not compared with a "
            "prediction.");
  Measurement bare = timed;
  bare.latency.reset();
  EXPECT_EQ(compare(bare, predicted).reason, "A has neither a latency nor a prediction.");
}

TEST(Comparison, TheSpeedOfBHasASubjectAndAnIntervalWithTwoEnds) {
  const SpeedText faster = speed_text({4.07, 4.0681, 4.0712}, true);
  EXPECT_EQ(faster.speed, "B is 4.07 times as fast as A");
  EXPECT_EQ(faster.interval, "4.068 to 4.071") << "with two decimals the ends are equal";
  const SpeedText slower = speed_text({0.5, 0.4, 0.625}, true);
  EXPECT_EQ(slower.speed, "B takes 2.00 times as long as A");
  EXPECT_EQ(slower.interval, "1.60 to 2.50");
  EXPECT_EQ(speed_text({1.5, 1.5, 1.5}, false).interval, "");
  EXPECT_EQ(interval_text(1, 1), "1.00 to 1.00");
}

TEST(Comparison, OfALatencyWithoutSamplesIsUndecided) {
  Measurement b = make_timed_side("padded", 50);
  b.latency->l2_warm.reset();
  b.latency->samples = 0;
  const Comparison comparison = compare(make_timed_side("row", 120), b);
  EXPECT_EQ(comparison.verdict, Verdict::undecided);
  EXPECT_FALSE(comparison.has_interval);
  EXPECT_DOUBLE_EQ(comparison.ratio->value, 2.4);
  EXPECT_EQ(verdict_sentence(comparison),
            "UNDECIDED: A takes 120.00 µs, B 50.00 µs (measured apart): p50(A) / p50(B) is 2.40, without an "
            "interval.");
}

TEST(Comparison, AMeasuredAndAPredictedPointAreNotMixed) {
  Measurement a = make_timed_side("row", 120);
  EXPECT_EQ(compare(a, make_predicted_side("padded", 80, 0)).basis, Basis::none);
  a.prediction = make_predicted_side("row", 80, 60).prediction;
  const Comparison comparison = compare(a, make_predicted_side("padded", 80, 0));
  EXPECT_EQ(comparison.basis, Basis::predicted);
  EXPECT_NE(comparison.remarks.front().find("Only A was timed"), std::string::npos);
}

TEST(Comparison, ParagraphHasVerdictReasonAndResidual) {
  Measurement a = make_timed_side("row", 120), b = make_timed_side("padded", 100);
  a.prediction = make_predicted_side("row", 80, 30).prediction;
  b.prediction = make_predicted_side("padded", 85, 7).prediction;
  b.occupancy->warps_per_sm = 32;
  const std::string text = comparison_paragraph(compare(a, b));
  for (const char* words :
       {"FASTER: A takes 120.00 µs, B 100.00 µs (measured apart)", "1.20 times as fast",
        "Bank conflicts: -23.00 µs, 115.0 % of the difference.",
        "Residual, which the model does not explain: -2.000 µs, 10.0 % of the difference.",
        "B holds 32 warps per SM instead of 16.", "Against B: issue slots +5.000 µs."})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
}

TEST(Comparison, JsonIsTheContracts) {
  const Comparison comparison =
      compare(make_predicted_side("row", 80, 60), make_predicted_side("padded", 80, 0));
  const Json json = comparison_to_json(comparison);
  EXPECT_EQ(json.at("verdict"), "FASTER");
  EXPECT_EQ(json.at("basis"), "predicted");
  EXPECT_DOUBLE_EQ(json.at("ratio"), 1.75);
  EXPECT_EQ(json.at("interval").size(), 2u);
  EXPECT_EQ(json.at("parts").at(1).at("name"), "bank conflicts");
  EXPECT_DOUBLE_EQ(json.at("parts").at(1).at("share"), 1);
  EXPECT_DOUBLE_EQ(json.at("residual_us"), 0);
  EXPECT_TRUE(json.at("noise_floor").is_null());
  EXPECT_TRUE(json.at("parts").at(1).at("counterfactual").is_null());
  EXPECT_EQ(json.at("b").at("kernel"), "flash_scalar");
}

TEST(Comparison, SeriesAreReadAsTheyAreWritten) {
  const PairedSeries series{
      {{1, 2, 3}, Spread{4, 5, 6}}, {{7, 8, 9}, {}}, {1.5, 1.25, 1.75}, 0.004, 42, {1, 2.5}, {7, 8}};
  EXPECT_EQ(Json(series).get<PairedSeries>(), series);
}

TEST(Comparison, InTurnsIsJudgedByTheSeries) {
  PairedSeries series{{{99, 100, 101}, Spread{99, 100, 101}},
                      {{79, 80, 81}, Spread{79, 80, 81}},
                      {1.25, 1.24, 1.26},
                      0.004,
                      60,
                      {},
                      {}};
  const Comparison comparison = compare(make_timed_side("row", 500), make_timed_side("padded", 500), series);
  EXPECT_EQ(comparison.basis, Basis::interleaved);
  EXPECT_EQ(comparison.verdict, Verdict::faster);
  EXPECT_DOUBLE_EQ(comparison.difference->a_us, 100) << "of the turns, not of the points' own series";
  EXPECT_TRUE(comparison.remarks.empty());
}

}  // namespace
}  // namespace tilescope
