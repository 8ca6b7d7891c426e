// A sweep in which one configuration kills the compiler, and with it the worker that measures another one.

#include <gtest/gtest.h>

#include "app/explorer/tests/explorer_driver.hpp"

namespace tilescope {
namespace {

TEST(CompilerFaults, OneConfigurationThatKillsTheCompilerCostsItselfAlone) {
  const ScratchFolder scratch;
  const std::unique_ptr<Explorer> explorer =
      start_explorer(scratch, {INSTANT_WORKER, "0", "kills_compiler=BLOCK_M=32,VEC_WIDTH=2"});
  explorer->neighbours().enable(false);
  ASSERT_TRUE(settle(*explorer));
  explorer->jobs().start_sweep({{"BLOCK_M", {}}, {"VEC_WIDTH", {}}});
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().sweep() != nullptr; }));
  const std::size_t total = explorer->jobs().sweep()->total();
  ASSERT_TRUE(settle(*explorer));
  ASSERT_EQ(explorer->points().list().size(), total);
  for (const SharedMeasurement& point : explorer->points().list()) {
    const bool is_fatal = point->parameters.at("BLOCK_M") == ParameterValue(std::int64_t{32}) &&
                          point->parameters.at("VEC_WIDTH") == ParameterValue(std::int64_t{2});
    EXPECT_EQ(point->status, is_fatal ? Status::worker_lost : Status::ok) << to_string(point->parameters);
  }
}

}  // namespace
}  // namespace tilescope
