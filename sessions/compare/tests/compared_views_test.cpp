#include "sessions/compare/waterfall.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "sessions/compare/compared_columns.hpp"
#include "sessions/compare/compared_figures.hpp"
#include "sessions/compare/distributions.hpp"

namespace tilescope {
namespace {

using Kind = WaterfallBar::Kind;

Measurement predicted(std::vector<PredictionPart> parts) {
  Measurement point;
  point.kernel = "k";
  point.device.name = "L4";
  Prediction prediction;
  for (const PredictionPart& part : parts) prediction.p50_us += part.microseconds;
  prediction.low_us = prediction.p50_us * 0.9;
  prediction.high_us = prediction.p50_us * 1.2;
  prediction.parts = std::move(parts);
  point.prediction = prediction;
  return point;
}

Measurement timed(Measurement point, double p50_us) {
  point.latency.emplace();
  point.latency->p10_us = p50_us * 0.98;
  point.latency->p50_us = p50_us;
  point.latency->p90_us = p50_us * 1.1;
  point.latency->samples = 100;
  SampleStatistics& series = point.latency->l2_warm.emplace();
  series.count = 100;
  series.min_us = p50_us * 0.97;
  series.q1_us = p50_us * 0.99;
  series.p50_us = p50_us;
  series.q3_us = p50_us * 1.01;
  series.launches_per_sample = 100;
  series.sm_clock_mhz = 1000;
  return point;
}

std::vector<std::string> names(const Waterfall& made) {
  std::vector<std::string> all;
  all.reserve(made.bars.size());
  for (const WaterfallBar& bar : made.bars) all.push_back(bar.name);
  return all;
}

TEST(Waterfall, EachBarBeginsWhereTheOneBeforeItEnds) {
  const Waterfall made = waterfall(compare(predicted({{"tensor", 20}, {"bank conflicts", 60}, {"tail", 20}}),
                                           predicted({{"tensor", 25}, {"bank conflicts", 0}, {"tail", 15}})));
  ASSERT_EQ(names(made), (std::vector<std::string>{"A", "bank conflicts", "tensor", "tail", "residual", "B"}))
      << "the largest part first; the residual is always shown, here it is 0";
  EXPECT_EQ(made.bars[4].change_us(), 0);
  EXPECT_DOUBLE_EQ(made.bars[1].from_us, 100);
  for (std::size_t i = 2; i + 1 < made.bars.size(); ++i)
    EXPECT_DOUBLE_EQ(made.bars[i].from_us, made.bars[i - 1].to_us) << i;
  EXPECT_DOUBLE_EQ(made.bars[made.bars.size() - 2].to_us, made.bars.back().to_us);
  EXPECT_DOUBLE_EQ(made.bars[1].change_us(), -60);
  EXPECT_EQ(made.bars[1].share, "100.0 %");
  EXPECT_EQ(made.begin_us, 0);
}

TEST(Waterfall, SmallPartsAreOneBarThatNamesThem) {
  // 0.5 % of 200 µs is 1 µs.
  const Waterfall made =
      waterfall(compare(predicted({{"tensor", 100}, {"MUFU", 50}, {"barriers", 49.1}, {"launch", 0.9}}),
                        predicted({{"tensor", 20}, {"MUFU", 50.9}, {"barriers", 48.2}, {"launch", 0.9}})));
  ASSERT_EQ(names(made), (std::vector<std::string>{"A", "tensor", "others", "residual", "B"}));
  EXPECT_NEAR(made.bars[2].change_us(), 0, 1e-9);
  ASSERT_EQ(made.bars[2].summed.size(), 3U);
  EXPECT_EQ(made.bars[2].summed[0], "MUFU +0.900 µs");
}

TEST(Waterfall, ADifferenceThatWasNotDecidedHasNoParts) {
  const Waterfall made = waterfall(
      compare(predicted({{"tensor", 60}, {"MUFU", 40}}), predicted({{"tensor", 79.5}, {"MUFU", 20.9}})));
  ASSERT_EQ(names(made), (std::vector<std::string>{"A", "B"}));
  EXPECT_DOUBLE_EQ(made.bars[1].to_us, 100.4);
  EXPECT_LT(made.b_low_us, 100) << "the interval says why";
  EXPECT_GT(made.b_high_us, 100);
}

TEST(Waterfall, PartsThatCancelEachOtherHaveNoShares) {
  const Waterfall made = waterfall(compare(predicted({{"tensor", 300}, {"L2 and DRAM", 10}}),
                                           predicted({{"tensor", 10}, {"L2 and DRAM", 160}})));
  ASSERT_EQ(names(made), (std::vector<std::string>{"A", "tensor", "L2 and DRAM", "residual", "B"}));
  EXPECT_EQ(made.bars[1].share, "") << "-290 of -140";
  EXPECT_DOUBLE_EQ(made.bars[1].change_us(), -290);
}

TEST(Waterfall, WhatTheModelDoesNotExplainIsABarOfItsOwn) {
  const Waterfall made =
      waterfall(compare(timed(predicted({{"tensor", 100}}), 110), timed(predicted({{"tensor", 60}}), 50)));
  ASSERT_EQ(names(made), (std::vector<std::string>{"A", "tensor", "residual", "B"}));
  EXPECT_EQ(made.bars[2].kind, Kind::residual);
  EXPECT_DOUBLE_EQ(made.bars[2].change_us(), -20);
  EXPECT_DOUBLE_EQ(made.bars[2].to_us, 50);
}

TEST(Waterfall, WithoutPredictionsAllIsResidual) {
  Measurement a = timed({}, 100), b = timed({}, 80);
  const Waterfall made = waterfall(compare(a, b));
  ASSERT_EQ(names(made), (std::vector<std::string>{"A", "residual", "B"}));
  EXPECT_FALSE(made.bars[1].text.empty());
}

TEST(Waterfall, OfASmallDifferenceTheAxisBeginsAboveZero) {
  const Waterfall small = waterfall(compare(timed({}, 100), timed({}, 104)));
  EXPECT_GT(small.begin_us, 0);
  EXPECT_LE(small.begin_us, 100);
  EXPECT_GE(small.end_us, 104);
  EXPECT_GE(small.ticks.front(), small.begin_us);
  const Waterfall large = waterfall(compare(predicted({{"tensor", 100}}), predicted({{"tensor", 10}})));
  EXPECT_EQ(large.begin_us, 0);
}

TEST(Waterfall, TheIntervalOfTheRatioIsOneOfBsTime) {
  const Comparison comparison = compare(timed({}, 100), timed({}, 80));
  const Waterfall made = waterfall(comparison);
  EXPECT_NEAR(made.b_low_us, 100 / comparison.ratio->high, 1e-9);
  EXPECT_NEAR(made.b_high_us, 100 / comparison.ratio->low, 1e-9);
}

TEST(Waterfall, WithoutABasisThereIsNothing) {
  EXPECT_TRUE(waterfall(compare(Measurement{}, Measurement{})).bars.empty());
}

TEST(Distributions, SamplesOfTurnsAreHistogramsOfCommonBins) {
  Comparison comparison = compare(timed({}, 100), timed({}, 50));
  PairedSeries series;
  for (int i = 0; i < 100; ++i) {
    series.samples_a.push_back(100 + 0.1 * i);
    series.samples_b.push_back(105 + 0.1 * i);
  }
  series.samples_b.push_back(1000);  // an outlier
  comparison.series = series;
  const Distributions made = distributions_of(comparison);
  ASSERT_GT(made.edges.size(), 2U);
  EXPECT_EQ(made.a.kind, Distribution::Kind::samples);
  EXPECT_NEAR(made.a.median_us, 104.95, 1e-9);
  EXPECT_NEAR(made.a.q1_us, 102.475, 1e-9);
  EXPECT_NEAR(std::accumulate(made.a.shares.begin(), made.a.shares.end(), 0.0), 1, 1e-9);
  EXPECT_EQ(made.beyond, 2U) << "the axis ends at 98 % of the slower ones";
  EXPECT_NEAR(std::accumulate(made.b.shares.begin(), made.b.shares.end(), 0.0), 99.0 / 101, 1e-9);
  EXPECT_LT(made.end_us, 200) << "one outlier does not press the rest together";
}

TEST(Distributions, PointsHaveBoxesAndPredictionsTheirBands) {
  const Distributions apart = distributions_of(compare(timed({}, 100), timed({}, 50)));
  EXPECT_EQ(apart.a.kind, Distribution::Kind::percentiles);
  EXPECT_TRUE(apart.a.has_quartiles());
  EXPECT_DOUBLE_EQ(apart.a.low_us, 97);
  EXPECT_DOUBLE_EQ(apart.b.q3_us, 50.5);
  const Distributions bands =
      distributions_of(compare(predicted({{"tensor", 10}}), predicted({{"tensor", 20}})));
  EXPECT_EQ(bands.a.kind, Distribution::Kind::band);
  EXPECT_DOUBLE_EQ(bands.a.low_us, 9);
  EXPECT_DOUBLE_EQ(bands.b.high_us, 24);
  EXPECT_TRUE(distributions_of(compare(Measurement{}, Measurement{})).empty());
}

TEST(ComparedFigures, InstructionsComeByTheirPipesTheMostFrequentFirst) {
  Measurement a, b;
  a.memory.emplace().instructions = {{"fma", 100}, {"tensor", 0}, {"lsu", 300}};
  b.memory.emplace().instructions = {{"fma", 50}, {"tensor", 10}, {"lsu", 300}};
  const std::vector<ComparedFigure> figures = compared_instructions(a, b);
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0].label, "lsu");
  EXPECT_EQ(figures[0].difference, "same");
  EXPECT_EQ(figures[1].difference, "-50.0 %");
  EXPECT_EQ(figures[2].a, "0");
  EXPECT_TRUE(compared_instructions({}, {}).empty());
}

TEST(ComparedColumns, AreTheFastestRungsInTheOrderOfTheLadder) {
  const Measurement a = timed({}, 100);
  LadderGroup group;
  for (const double us : {90.0, 80.0, 300.0, 70.0, 60.0, 50.0, 40.0}) {
    LadderBar bar;
    Measurement point = timed({}, us);
    point.kernel = "k" + std::to_string(static_cast<int>(us));
    bar.point = std::make_shared<const Measurement>(point);
    bar.p50_us = us;
    group.bars.push_back(bar);
  }
  const ComparedTable table = compared_columns(a, group);
  ASSERT_EQ(table.columns.size(), most_columns);
  EXPECT_EQ(table.columns[0].name, "k90");
  EXPECT_EQ(table.columns[2].name, "k70") << "the slowest one is left out";
  EXPECT_EQ(table.columns[5].ratio, "2.50x");
  EXPECT_EQ(table.columns[5].interval, "2.49x to 2.51x");
  EXPECT_EQ(table.columns[5].verdict, Verdict::faster);
  ASSERT_FALSE(table.rows.empty());
  EXPECT_EQ(table.rows[0].cells.size(), most_columns);
  EXPECT_EQ(table.rows[0].cells[5].tone, Tone::good);
}

}  // namespace
}  // namespace tilescope
