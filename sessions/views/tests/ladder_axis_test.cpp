#include "sessions/views/points/ladder_axis.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

LadderBar ladder_bar(double p50_us, double tflops) {
  LadderBar bar;
  bar.low_us = p50_us * 0.9;
  bar.p50_us = p50_us;
  bar.high_us = p50_us * 1.2;
  bar.tflops = tflops;
  return bar;
}

LadderGroup sample_group() {
  LadderGroup group;
  group.bars = {ladder_bar(200, 2.5), ladder_bar(5, 100)};
  group.baselines = {ladder_bar(10, 50)};
  return group;
}

std::vector<std::string> tick_labels(const LadderAxis& axis) {
  std::vector<std::string> labels;
  labels.reserve(axis.ticks.size());
  for (const LadderAxis::Tick& tick : axis.ticks) labels.push_back(tick.label);
  return labels;
}

TEST(LadderAxis, ALinearAxisBeginsAtZeroAndHoldsEveryBar) {
  const LadderAxis axis = make_ladder_axis(sample_group(), LadderQuantity::latency, false);
  EXPECT_EQ(axis.low, 0);
  EXPECT_GE(axis.place(0), 0);
  EXPECT_LE(axis.place(240), 1);
  EXPECT_DOUBLE_EQ(axis.place(axis.high / 2), 0.5);
  EXPECT_EQ(tick_labels(axis), (std::vector<std::string>{"0", "50", "100", "150", "200"}));
}

TEST(LadderAxis, ALogarithmicAxisShowsTheShortestBar) {
  const LadderAxis axis = make_ladder_axis(sample_group(), LadderQuantity::speed, true);
  EXPECT_GT(axis.place(2.5), 0.05);
  EXPECT_LE(axis.place(100 / 0.9), 1);
  EXPECT_NEAR(axis.place(50) - axis.place(5), axis.place(100) - axis.place(10), 1e-12);
  EXPECT_EQ(tick_labels(axis), (std::vector<std::string>{"2", "5", "10", "20", "50", "100"}));
}

TEST(LadderAxis, TheSpreadOfASpeedIsThatOfTheLatencyTurnedRound) {
  const LadderExtent speed = extent_of(ladder_bar(10, 50), LadderQuantity::speed);
  EXPECT_DOUBLE_EQ(speed.value, 50);
  EXPECT_NEAR(speed.low, 50 / 1.2, 1e-9);
  EXPECT_NEAR(speed.high, 50 / 0.9, 1e-9);
  EXPECT_EQ(extent_of(ladder_bar(10, 50), LadderQuantity::latency).high, 12);
}

TEST(LadderAxis, AnEmptyGroupHasAnAxis) {
  const LadderAxis axis = make_ladder_axis({}, LadderQuantity::latency, true);
  EXPECT_TRUE(axis.ticks.empty());
  EXPECT_EQ(axis.high, 1);
}

}  // namespace
}  // namespace tilescope
