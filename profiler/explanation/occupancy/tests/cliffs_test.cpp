#include "profiler/explanation/occupancy/cliffs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/explanation/occupancy/tests/occupancy_fixture.hpp"

namespace tilescope {
namespace {

using test_support::make_needs;

bool is_step_of(const CliffStep& step, const Occupancy& exact) {
  return step.occupancy.blocks_per_sm == exact.blocks_per_sm &&
         step.occupancy.warps_per_sm == exact.warps_per_sm && step.occupancy.limiter == exact.limiter;
}

/// The first amount whose step is not what the calculator says, or -1.
std::int64_t first_wrong(const DeviceModel& device, const BlockNeeds& needs, const Cliff& cliff) {
  std::size_t step = 0;
  const std::int64_t least = smallest_amount(cliff.quantity);
  for (std::int64_t amount = least; amount <= largest_amount(cliff.quantity, device); ++amount) {
    while (step < cliff.steps.size() && cliff.steps[step].last < amount) ++step;
    if (step == cliff.steps.size() || amount < cliff.steps[step].first) return amount;
    if (!is_step_of(cliff.steps[step], occupancy_with(device, needs, cliff.quantity, amount))) return amount;
  }
  return -1;
}

TEST(Cliffs, EveryAmountIsAsTheCalculatorSaysOnEveryDevice) {
  std::mt19937 random(1);
  for (const DeviceModel& device : test_support::shipped_tables()) {
    for (int i = 0; i < 4; ++i) {
      const BlockNeeds needs = test_support::random_needs(random, device);
      for (const Cliff& cliff : occupancy_cliffs(device, needs)) {
        EXPECT_EQ(first_wrong(device, needs, cliff), -1)
            << device.name << ", " << to_words(cliff.quantity) << ", " << needs.resources.registers
            << " registers, " << needs.amount(BlockQuantity::shared_memory) << " B, "
            << needs.geometry.threads << " threads";
      }
    }
  }
}

TEST(Cliffs, NeighboursDifferAndReachTheDevicesLimits) {
  std::mt19937 random(2);
  for (const DeviceModel& device : test_support::shipped_tables()) {
    for (const Cliff& cliff : occupancy_cliffs(device, test_support::random_needs(random, device))) {
      ASSERT_FALSE(cliff.steps.empty());
      EXPECT_EQ(cliff.steps.front().first, smallest_amount(cliff.quantity));
      EXPECT_EQ(cliff.steps.back().last, largest_amount(cliff.quantity, device));
      for (std::size_t i = 1; i < cliff.steps.size(); ++i) {
        EXPECT_EQ(cliff.steps[i].first, cliff.steps[i - 1].last + 1);
        EXPECT_FALSE(is_step_of(cliff.steps[i - 1], cliff.steps[i].occupancy));
      }
    }
  }
}

TEST(Cliffs, TheBlockLiesOnAStepOfEachCurveThatHasItsOwnOccupancy) {
  const std::vector<DeviceModel> tables = test_support::shipped_tables();
  const DeviceModel& l4 = *match_device(tables, "L4");
  const BlockNeeds needs = make_needs(72, 1024, 32768, 256);
  const Occupancy now = occupancy(l4, needs.resources, needs.geometry);
  for (const Cliff& cliff : occupancy_cliffs(l4, needs)) {
    const std::size_t step = cliff.find(cliff.amount);
    ASSERT_LT(step, cliff.steps.size());
    EXPECT_TRUE(is_step_of(cliff.steps[step], now)) << to_words(cliff.quantity);
  }
}

TEST(Cliffs, AnAmountBeyondTheDeviceLiesOnNoStep) {
  const std::vector<DeviceModel> tables = test_support::shipped_tables();
  const DeviceModel& l4 = *match_device(tables, "L4");
  const auto cliffs = occupancy_cliffs(l4, make_needs(32, 0, 200000, 128));
  EXPECT_EQ(cliffs[1].find(cliffs[1].amount), cliffs[1].steps.size());
}

// 65,536 registers hold 64 warps of 32 registers, and 48 fill the SM: 40 registers are the last that do.
TEST(Cliffs, OnAnL4FortyRegistersAreTheEdgeForEightWarps) {
  const std::vector<DeviceModel> tables = test_support::shipped_tables();
  const auto cliffs = occupancy_cliffs(*match_device(tables, "L4"), make_needs(32, 0, 0, 256));
  const CliffStep& first = cliffs[0].steps.front();
  EXPECT_EQ(first.last, 40);
  EXPECT_EQ(first.occupancy.warps_per_sm, 48);
  EXPECT_EQ(step_words(first.occupancy), "SM full (warps)");
  EXPECT_EQ(step_words(cliffs[0].steps[1].occupancy), "limited by registers");
  EXPECT_EQ(step_heading(cliffs[0], first), "1 to 40 registers per thread");
  EXPECT_EQ(step_tooltip(first).at(1), TextPair("warps per SM", "48"));
}

TEST(Cliffs, TheTableHasALineForEachStepAndMarksTheCurrentOnes) {
  const std::vector<DeviceModel> tables = test_support::shipped_tables();
  const auto cliffs = occupancy_cliffs(*match_device(tables, "L4"), make_needs(32, 0, 0, 256));
  const std::string csv = cliffs_csv(cliffs);
  const std::size_t lines = static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n'));
  EXPECT_EQ(lines, 1 + cliffs[0].steps.size() + cliffs[1].steps.size() + cliffs[2].steps.size());
  EXPECT_NE(csv.find("registers per thread,1,40,6,48,100,SM full (warps),32"), std::string::npos) << csv;
}

}  // namespace
}  // namespace tilescope
