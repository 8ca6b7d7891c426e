#include "sessions/views/points/ladder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sessions/session.hpp"
#include "sessions/views/points/ladder_axis.hpp"
#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

using test_support::make_point;
using test_support::make_timed;
using test_support::share;

const LadderKernels sample_ladder{{"slow", {LadderKernel::Role::rung, 1}},
                                  {"fast", {LadderKernel::Role::rung, 2}},
                                  {"library", {LadderKernel::Role::baseline, 0}},
                                  {"exhibit", {LadderKernel::Role::left_out, 0}}};

/// Its samples are within 0.9 to 1.2 of p50.
Measurement ladder_point(const std::string& kernel, double p50_us, std::int64_t m = 8) {
  Measurement point = make_timed(m, "row", p50_us);
  point.kernel = kernel;
  point.latency->tflops = attention_flops(point.shape) / p50_us * 1e-6;
  return point;
}

std::vector<LadderGroup> groups_of(const PointList& session, const PointList& recorded = {}) {
  Ladder ladder;
  while (ladder.update(session, recorded, sample_ladder) && !ladder.is_complete()) continue;
  return ladder.groups();
}

std::vector<std::string> kernels_of(const std::vector<LadderBar>& bars) {
  std::vector<std::string> names;
  names.reserve(bars.size());
  for (const LadderBar& bar : bars) names.push_back(bar.point->kernel);
  return names;
}

TEST(Ladder, ABarWithoutASpreadTiesWithTheFastest) {
  Measurement imported = ladder_point("slow", 50);
  imported.latency->p10_us = imported.latency->p90_us = std::nan("");
  imported.latency->l2_warm.reset();
  const std::vector<LadderGroup> groups = groups_of({share(ladder_point("fast", 10)), share(imported)});
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_EQ(groups[0].bars.size(), 2U);
  EXPECT_TRUE(groups[0].bars[1].is_fastest);
  EXPECT_TRUE(groups[0].bars[0].ties_with_fastest);
  const LadderExtent extent = extent_of(groups[0].bars[0], LadderQuantity::latency);
  EXPECT_EQ(extent.low, 50);
  EXPECT_EQ(extent.high, 50);
}

TEST(Ladder, HasTheBestPointOfEachKernelInTheOrderOfTheRungs) {
  const auto groups = groups_of({share(ladder_point("fast", 20, 8)), share(ladder_point("fast", 10, 16)),
                                 share(ladder_point("slow", 90, 8)), share(ladder_point("fast", 30, 32))});
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_EQ(kernels_of(groups[0].bars), (std::vector<std::string>{"slow", "fast"}));
  const LadderBar& fast = groups[0].bars[1];
  EXPECT_EQ(fast.p50_us, 10);
  EXPECT_EQ(fast.point->parameters.at("M"), ParameterValue(std::int64_t{16}));
  EXPECT_EQ(fast.candidates, 3U);
  EXPECT_EQ(fast.ties, 0U);
  EXPECT_TRUE(fast.is_fastest);
  EXPECT_EQ(groups[0].fastest, 1U);
}

TEST(Ladder, HasNoKernelsOfFilesWhoseProblemIsNotAttention) {
  Measurement of_file = ladder_point("gemm.cu", 1);
  of_file.arguments = {{"N", 64}};
  const std::vector<LadderGroup> groups = groups_of({share(ladder_point("fast", 10)), share(of_file)});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(kernels_of(groups[0].bars), std::vector<std::string>{"fast"});
}

TEST(Ladder, AnIncorrectResultNeverWins) {
  Measurement wrong = ladder_point("fast", 1);
  wrong.status = Status::wrong_result;
  const auto groups =
      groups_of({share(wrong), share(ladder_point("fast", 10)), share(ladder_point("slow", 90))});
  EXPECT_EQ(groups.at(0).bars[1].p50_us, 10);
  EXPECT_EQ(groups_of({share(wrong)}).size(), 0U) << "a kernel without a correct result has no bar";
}

TEST(Ladder, ALatencyThatIsNotANumberHasNoBar) {
  EXPECT_TRUE(groups_of({share(ladder_point("fast", std::nan("")))}).empty());
  EXPECT_TRUE(groups_of({share(make_point(8, "row"))}).empty()) << "neither timed nor predicted";
}

TEST(Ladder, BaselinesStandApartAndSpeedsAreRelativeToTheBest) {
  Measurement other = ladder_point("library 2", 8);
  other.provenance.library_version = "cuDNN 9.19";  // Not in the catalogue any more.
  const auto groups =
      groups_of({share(ladder_point("fast", 10)), share(ladder_point("library", 40)), share(other)});
  ASSERT_EQ(kernels_of(groups.at(0).bars), (std::vector<std::string>{"fast"}));
  ASSERT_EQ(kernels_of(groups[0].baselines), (std::vector<std::string>{"library", "library 2"}));
  EXPECT_EQ(groups[0].best_baseline, 1U);
  EXPECT_EQ(reference_words(groups[0]), "vs library 2");
  EXPECT_EQ(speed_words(groups[0].bars[0], groups[0]), "0.80x");
  EXPECT_EQ(ladder_summary(groups[0]),
            "Best kernel: fast, 10.00 µs, 0.80x the speed of library 2, which is faster");
  const LadderLine line = ladder_line(groups[0]);
  EXPECT_EQ(line.shape, to_string(groups[0].shape));
  EXPECT_EQ(line.kernel, "fast");
  EXPECT_EQ(line.latency, "10.00 µs");
  EXPECT_EQ(line.speed, "0.80x library 2");
}

TEST(Ladder, WithoutABaselineSpeedsAreRelativeToTheFastest) {
  const auto groups = groups_of({share(ladder_point("fast", 10)), share(ladder_point("slow", 40))});
  EXPECT_EQ(reference_words(groups.at(0)), "vs fast");
  EXPECT_EQ(speed_words(groups[0].bars[0], groups[0]), "0.25x");
  EXPECT_EQ(ladder_summary(groups[0]), "Best kernel: fast, 10.00 µs");
  EXPECT_EQ(ladder_line(groups[0]).speed, "");
}

TEST(Ladder, WhatComputesTheScoresAloneIsNoPeer) {
  Measurement scores = ladder_point("library", 1);
  scores.latency->tflops /= 2;
  const auto groups = groups_of({share(ladder_point("fast", 10)), share(scores)});
  ASSERT_EQ(groups.at(0).baselines.size(), 1U);
  EXPECT_TRUE(groups[0].baselines[0].other_operations);
  EXPECT_FALSE(groups[0].best_baseline.has_value());
  EXPECT_EQ(reference_words(groups[0]), "vs fast");
  EXPECT_EQ(speed_words(groups[0].baselines[0], groups[0]), "");
}

TEST(Ladder, ExhibitsStayOut) {
  EXPECT_TRUE(groups_of({share(ladder_point("exhibit", 1))}).empty());
}

TEST(Ladder, DevicesAndShapesAreNeverMixed) {
  Measurement elsewhere = ladder_point("fast", 1);
  elsewhere.device.name = "H200";
  Measurement causal = ladder_point("fast", 5);
  causal.shape.causal = true;
  causal.latency->tflops /= 2;
  const auto groups = groups_of({share(ladder_point("slow", 90)), share(elsewhere), share(causal)});
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].device, "H200");
  EXPECT_FALSE(groups[1].shape.causal);
  EXPECT_TRUE(groups[2].shape.causal);
  for (const LadderGroup& group : groups) {
    EXPECT_EQ(group.bars.size(), 1U);
    EXPECT_TRUE(group.bars[0].is_fastest);
  }
}

TEST(Ladder, ResultsWithinTheNoiseAreTies) {
  const auto groups = groups_of({share(ladder_point("fast", 10, 8)), share(ladder_point("fast", 11, 16)),
                                 share(ladder_point("fast", 11, 16)), share(ladder_point("slow", 11.5))});
  const LadderBar& fast = groups.at(0).bars[1];
  EXPECT_EQ(fast.ties, 1U) << "a configuration that was measured twice is one";
  EXPECT_TRUE(groups[0].bars[0].ties_with_fastest);
  EXPECT_FALSE(fast.ties_with_fastest);
  EXPECT_EQ(ladder_summary(groups[0]), "Best kernel: fast, 10.00 µs; cannot be told from it: slow");
  EXPECT_EQ(ladder_tooltip(fast).back().second,
            "best of 3 points; 1 other configuration cannot be told from it");
  EXPECT_FALSE(groups_of({share(ladder_point("fast", 10)), share(ladder_point("slow", 20))})[0]
                   .bars[0]
                   .ties_with_fastest);
}

TEST(Ladder, SaysWhatIsNotToBeTrusted) {
  Measurement hasty = ladder_point("fast", 10);
  hasty.latency->samples = 3;
  auto groups = groups_of({share(hasty), share(ladder_point("library", 20))});
  EXPECT_EQ(ladder_summary(groups[0]),
            "Best kernel: fast, 10.00 µs (few samples), 2.00x the speed of library");
  EXPECT_EQ(ladder_line(groups[0]).latency, "10.00 µs (few samples)");
  const auto lines = ladder_tooltip(groups[0].bars[0]);
  EXPECT_TRUE(
      std::any_of(lines.begin(), lines.end(), [](const auto& line) { return line.second == "few samples"; }));
  hasty.latency->samples = 30;
  groups = groups_of({share(hasty), share(ladder_point("library", 20))});
  EXPECT_EQ(ladder_line(groups[0]).latency, "10.00 µs");
}

TEST(Ladder, PredictionsAreSaidToBe) {
  Measurement fast = test_support::make_predicted(8, "row", 10);
  fast.kernel = "fast";
  Measurement slow = test_support::make_predicted(8, "row", 12);
  slow.kernel = "slow";
  const auto groups = groups_of({share(fast), share(slow)});
  EXPECT_EQ(latency_header(groups.at(0)), "predicted p50 [µs]");
  EXPECT_EQ(ladder_summary(groups[0]), "Best kernel: fast, 10.00 µs predicted; cannot be told from it: slow");
  EXPECT_EQ(latency_header(groups_of({share(ladder_point("fast", 10)), share(slow)}).at(0)), "p50 [µs]");
}

TEST(Ladder, KindsHaveBarsOfTheirOwnAndAPredictionIsNotFastestBesideATime) {
  Measurement predicted = test_support::make_predicted(8, "row", 1);
  predicted.kernel = "fast";
  const auto groups = groups_of({share(ladder_point("fast", 10)), share(predicted)},
                                {share(ladder_point("fast", 5)), share(predicted)});
  ASSERT_EQ(groups.at(0).bars.size(), 3U);
  EXPECT_EQ(groups[0].bars[0].kind, LadderKind::measured);
  EXPECT_EQ(groups[0].bars[1].kind, LadderKind::recorded);
  EXPECT_EQ(groups[0].bars[2].kind, LadderKind::predicted);
  EXPECT_TRUE(groups[0].bars[1].is_fastest);
  EXPECT_FALSE(groups[0].bars[2].ties_with_fastest);
  EXPECT_EQ(ladder_summary(groups_of({share(predicted)})[0]), "Best kernel: fast, 1.000 µs predicted");
}

TEST(Ladder, AnOlderSourceStandsInForAKernelAloneThatHasNoOtherPoint) {
  Measurement old_fast = ladder_point("fast", 1);
  old_fast.provenance.source_sha256 = "old";
  Measurement old_slow = ladder_point("slow", 50);
  old_slow.provenance.source_sha256 = "old";
  Ladder ladder;
  EXPECT_TRUE(ladder.update({share(old_fast), share(old_slow), share(ladder_point("fast", 10))}, {},
                            sample_ladder, {{"fast", "new"}, {"slow", "new"}}));
  const LadderGroup& group = ladder.groups().at(0);
  EXPECT_TRUE(group.bars[0].older_source);
  EXPECT_EQ(group.bars[1].p50_us, 10);
  EXPECT_FALSE(group.bars[1].older_source);
}

TEST(Ladder, GrowsWithTheSessionAndStartsOverWithAnother) {
  Ladder ladder;
  PointList session{share(ladder_point("fast", 10))};
  EXPECT_TRUE(ladder.update(session, {}, sample_ladder));
  EXPECT_FALSE(ladder.update(session, {}, sample_ladder));
  session.push_back(share(ladder_point("fast", 5)));
  EXPECT_TRUE(ladder.update(session, {}, sample_ladder));
  EXPECT_EQ(ladder.groups()[0].bars[0].p50_us, 5);
  session.pop_back();
  EXPECT_TRUE(ladder.update(session, {}, sample_ladder));
  EXPECT_EQ(ladder.groups()[0].bars[0].p50_us, 10) << "a removed point is gone";
  EXPECT_TRUE(ladder.update({}, {}, sample_ladder));
  EXPECT_TRUE(ladder.groups().empty());
}

TEST(Ladder, TakesTenThousandPointsAPieceAtATime) {
  PointList session;
  for (int i = 0; i < 10000; ++i) session.push_back(share(ladder_point("fast", 10 + i % 997, i)));
  Ladder ladder;
  int updates = 0;
  do {
    ladder.update(session, {}, sample_ladder);
    ++updates;
  } while (!ladder.is_complete());
  EXPECT_EQ(updates, 10);
  EXPECT_EQ(ladder.groups().at(0).bars[0].candidates, 10000U);
  EXPECT_EQ(ladder.groups()[0].bars[0].p50_us, 10);
}

TEST(Ladder, TheRecordedLadderNamesTheFastestRungOfEachShape) {
  const auto file = std::filesystem::path(TILESCOPE_SOURCE_DIR) / "sessions/examples/ladder_h200.json";
  const PointList points = load_session(file).points;
  Ladder ladder;
  ladder.update({}, points, {{"naive", {LadderKernel::Role::rung, 1}}});
  ASSERT_EQ(ladder.groups().size(), 6U);
  EXPECT_EQ(ladder.kernels(), 10U);
  for (const LadderGroup& group : ladder.groups()) {
    ASSERT_TRUE(group.fastest && group.best_baseline) << to_string(group.shape);
    EXPECT_EQ(group.device, "H200");
    EXPECT_EQ(group.bars.size(), 7U);
    EXPECT_EQ(group.bars[*group.fastest].point->kernel, "mma_flash") << to_string(group.shape);
    EXPECT_EQ(group.baselines[*group.best_baseline].point->kernel, "cudnn_sdpa");
    for (const LadderBar& bar : group.bars) EXPECT_EQ(bar.kind, LadderKind::recorded);
  }
}

}  // namespace
}  // namespace tilescope
