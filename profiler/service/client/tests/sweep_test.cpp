#include "profiler/service/client/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

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

/// A kernel with this many parameters of eight values each.
SweepGrid eights(int parameters) {
  SweepGrid made = grid({});
  made.kernel.constraints.clear();
  made.kernel.lets.clear();
  made.kernel.parameters.clear();
  made.kernel.grid = {"2", "1", "1"};
  made.kernel.threads = "64";
  made.kernel.dynamic_shared_bytes = "0";
  made.kernel.block_group.clear();
  for (int i = 0; i < parameters; ++i) {
    ParameterDeclaration parameter;
    parameter.name = "P" + std::to_string(i);
    for (std::int64_t value = 1; value <= 8; ++value) parameter.values.emplace_back(value);
    parameter.default_value = parameter.values.front();
    made.kernel.parameters.push_back(parameter);
    made.swept.emplace_back(parameter.name, std::vector<ParameterValue>());
  }
  made.base.parameters = made.kernel.complete({});
  return made;
}

std::string refusal(const SweepGrid& of, const SweepLimits& limits = {}) {
  try {
    plan_sweep(of, {}, limits);
  } catch (const GridTooLarge& error) {
    return error.what();
  }
  return "";
}

TEST(SweepPlan, AGridThatCannotBeListedIsRefusedWithItsSize) {
  EXPECT_NE(refusal(eights(40)).find("about 1.3e+36 configurations"), std::string::npos)
      << refusal(eights(40));
  EXPECT_NE(refusal(eights(8)).find("16777216 configurations"), std::string::npos) << refusal(eights(8));
  EXPECT_NE(refusal(eights(400)).find("about 10^361 configurations"), std::string::npos)
      << refusal(eights(400));
  EXPECT_EQ(eights(40).size(), std::numeric_limits<std::size_t>::max()) << "not what 64 bits leave of it";
  SweepGrid at_shapes = eights(2);
  at_shapes.shapes.assign(4, Shape{});
  EXPECT_EQ(refusal(at_shapes, {.points = 256}), "");
  EXPECT_NE(refusal(at_shapes, {.points = 255}).find("64 configurations at each of 4 shapes"),
            std::string::npos);
}

TEST(SweepPlan, ASampleOfALargeGridIsDrawnWithoutListingIt) {
  for (const int parameters : {8, 40, 400}) {
    SweepGrid large = eights(parameters);
    large.sample = SweepSample{30, 7};
    const SweepPlan plan = plan_sweep(large);
    ASSERT_EQ(plan.experiments.size(), 30U);
    for (std::size_t i = 1; i < plan.experiments.size(); ++i)
      EXPECT_NE(plan.experiments[i - 1].parameters, plan.experiments[i].parameters);
    EXPECT_EQ(plan_sweep(large).experiments, plan.experiments) << "the same seed";
    large.sample->seed = 8;
    EXPECT_NE(plan_sweep(large).experiments, plan.experiments);
  }
}

TEST(SweepPlan, ADrawnSampleHoldsValidConfigurationsAlone) {
  SweepGrid large = eights(40);
  large.kernel.constraints = {{"P0 + P1 == 9", "P0 and P1 must add up to 9"}};
  large.sample = SweepSample{20, 1};
  const SweepPlan plan = plan_sweep(large);
  ASSERT_EQ(plan.experiments.size(), 20U);
  for (const Experiment& experiment : plan.experiments)
    EXPECT_EQ(std::get<std::int64_t>(experiment.parameters.at("P0")) +
                  std::get<std::int64_t>(experiment.parameters.at("P1")),
              9);
  EXPECT_EQ(plan.left_out.count("P0 and P1 must add up to 9"), 1U);
}

TEST(SweepPlan, ALargeGridWithoutAValidConfigurationIsRefused) {
  SweepGrid large = eights(8);
  large.kernel.constraints = {{"P0 > 8", "P0 must be above 8"}};
  large.sample = SweepSample{3, 1};
  const std::string why = refusal(large);
  EXPECT_NE(why.find("16777216 configurations"), std::string::npos) << why;
  EXPECT_NE(why.find("0 of them are valid: 3 are wanted"), std::string::npos) << why;
}

// Judged whole or drawn: the grid is the same.
TEST(SweepPlan, WhatIsDrawnIsOfTheGrid) {
  SweepGrid small = grid({{"BLOCK_M", {}}, {"NUM_WARPS", {}}});
  const std::vector<Experiment> all = plan_sweep(small).experiments;
  small.sample = SweepSample{5, 3};
  const std::vector<Experiment> drawn = plan_sweep(small, {}, {.judged = 1}).experiments;
  ASSERT_EQ(drawn.size(), 5U);
  auto from = all.begin();
  for (const Experiment& experiment : drawn) {
    from = std::find(from, all.end(), experiment);
    ASSERT_NE(from, all.end()) << "in the order of the grid, each once";
    ++from;
  }
}

}  // namespace
}  // namespace tilescope
