#include "profiler/explanation/model/sm_simulation.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "profiler/explanation/model/tests/made_up_kernel.hpp"

namespace tilescope::model {
namespace {

constexpr std::uint32_t instructions = 100;
constexpr int stall = 16;
constexpr double cycles_of_path = instructions * stall;

// A path of one basic block, which stands for `factor` times as many instructions.
ShortPath path_of(float factor) {
  ShortPath path;
  path.instructions = instructions;
  path.steps = {{PathStep::Kind::scale_begin, 0, factor},
                {PathStep::Kind::basic_block, 0, 1},
                {PathStep::Kind::scale_end, 0, factor}};
  return path;
}

// [cycles] Time of blocks that all run at once, by the factors of their warps' paths.
double cycles_of(const std::vector<std::vector<float>>& factors_of_blocks) {
  const ModelParameters parameters = test_support::plain_parameters();
  InstructionCost cost;
  cost.stall_cycles = stall;
  const std::vector<InstructionCost> costs(instructions, cost);
  const std::vector<InstructionRange> basic_blocks{{0, instructions}};
  std::vector<std::vector<ShortPath>> paths;
  for (const std::vector<float>& factors : factors_of_blocks) {
    paths.emplace_back();
    for (const float factor : factors) paths.back().push_back(path_of(factor));
  }
  SmWork work{costs, basic_blocks, parameters, {}, paths.size()};
  for (const std::vector<ShortPath>& warps : paths) work.blocks.push_back({{}, &warps});
  return simulate(work).cycles;
}

TEST(SmSimulation, IterationsStandForOthers) {
  EXPECT_NEAR(cycles_of({{1}}), cycles_of_path, 40);
  EXPECT_NEAR(cycles_of({{3}}), 3 * cycles_of_path, 120);
}

// A block goes through its work beside the others: how many warps it has is not what its time counts by.
TEST(SmSimulation, TimeCountsByTheMeanOfBlocksAndNotOfWarps) {
  EXPECT_NEAR(cycles_of({{3}, {1, 1, 1, 1, 1, 1, 1}}), (3 + 1) / 2.0 * cycles_of_path, 0.04 * cycles_of_path);
  EXPECT_NEAR(cycles_of({{3, 1}, {3, 1}}), 2 * cycles_of_path, 0.04 * cycles_of_path);
}

}  // namespace
}  // namespace tilescope::model
