#include "profiler/client/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/installation.hpp"

namespace tilescope {
namespace {

SweepGrid grid(const SweptParameters& swept) {
  const Installation place = find_installation();
  SweepGrid made{Catalogue(place.kernels).find("flash_scalar"), {}, {}, swept};
  for (const DeviceModel& device : load_device_tables(place)) {
    if (device.name == "L4") made.device = device;
  }
  made.base.kernel = made.kernel.name;
  made.base.parameters = made.kernel.complete({});
  return made;
}

TEST(SweepPlan, HoldsTheValidConfigurationsAndSaysWhyTheOthersAreNot) {
  const SweepGrid all = grid({{"BLOCK_M", {}}, {"NUM_WARPS", {}}});
  const SweepPlan plan = plan_sweep(all);
  EXPECT_EQ(all.size(), 25U);
  EXPECT_EQ(plan.experiments.size() + plan.left_out_count(), all.size());
  EXPECT_EQ(plan.left_out_count(), 1U) << "8 rows are not enough for 16 warps";
  EXPECT_NE(plan.left_out_text().find("1 x "), std::string::npos) << plan.left_out_text();
  for (const Experiment& experiment : plan.experiments)
    EXPECT_EQ(experiment.parameters.size(), all.kernel.parameters.size());
}

TEST(SweepPlan, TakesTheValuesThatAreGiven) {
  const SweepPlan plan = plan_sweep(grid({{"BLOCK_N", {std::int64_t{16}, std::int64_t{48}}}}));
  ASSERT_EQ(plan.experiments.size(), 1U);
  EXPECT_EQ(plan.left_out_count(), 1U) << "48 is none of its values";
}

TEST(SweepPlan, StopsWhenItIsTold) {
  int calls = 0;
  const SweepPlan plan = plan_sweep(grid({{"BLOCK_M", {}}}), [&] { return ++calls > 2; });
  EXPECT_EQ(plan.experiments.size(), 2U);
}

TEST(SweepPlan, GoesThroughTheGridShapeByShape) {
  SweepGrid both = grid({{"BLOCK_M", {std::int64_t{32}, std::int64_t{64}}}});
  Shape longer;
  longer.Sq = longer.Sk = 1024;
  both.shapes = {Shape{}, longer};
  const SweepPlan plan = plan_sweep(both);
  ASSERT_EQ(plan.experiments.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(plan.experiments[i].shape, both.shapes[i / 2]);
    EXPECT_EQ(plan.experiments[i].parameters.at("BLOCK_M"), ParameterValue(i % 2 == 0 ? 32 : 64));
  }
  EXPECT_EQ(plan.shapes, 2U);
}

TEST(SweepPlan, LeavesAConfigurationOutOnlyWhereItIsInvalid) {
  // Long rows of K and V leave no room for the largest tiles.
  SweepGrid both = grid({{"BLOCK_M", {}}, {"BLOCK_N", {}}});
  Shape wide;
  wide.D = 256;
  both.shapes = {Shape{}, wide};
  const SweepPlan plan = plan_sweep(both);
  const auto at = [&](const Shape& shape) {
    return std::ranges::count(plan.experiments, shape, &Experiment::shape);
  };
  EXPECT_GT(at(wide), 0);
  EXPECT_LT(at(wide), at(Shape{}));
  EXPECT_EQ(plan.experiments.size() + plan.left_out_count(), 2 * both.size());
  EXPECT_NE(plan.left_out_text().find("counted at each of 2 shapes"), std::string::npos);

  both.sample = SweepSample{1000, 1};
  const SweepPlan sampled = plan_sweep(both);
  EXPECT_EQ(sampled.experiments.size(), 2 * static_cast<std::size_t>(at(wide)))
      << "those valid at both shapes";
  both.sample = SweepSample{3, 1};
  const SweepPlan three = plan_sweep(both);
  ASSERT_EQ(three.experiments.size(), 6U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(three.experiments[i].parameters, three.experiments[i + 3].parameters);
}

}  // namespace
}  // namespace tilescope
