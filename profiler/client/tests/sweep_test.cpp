#include "profiler/client/sweep.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tilescope
