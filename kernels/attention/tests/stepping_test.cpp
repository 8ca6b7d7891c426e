#include <gtest/gtest.h>

#include <random>

#include "kernels/attention/tests/kernel_test.hpp"

// A block that is stepped, forwards and backwards, against one that runs from its start to its end.
namespace tilescope {
namespace {

using simt::WarpOrder;

std::vector<std::string> rungs_and_exhibits() {
  std::vector<std::string> names = attention_kernels(KernelRole::rung);
  for (const std::string& name : attention_kernels(KernelRole::exhibit)) names.push_back(name);
  return names;
}

class SteppingTest : public KernelTest, public testing::WithParamInterface<std::string> {
 protected:
  // Sizes that no tile divides, so that the last tile of keys is masked.
  KernelCase one(bool causal) const {
    Shape shape;
    shape.B = 1, shape.Hq = shape.Hkv = 2, shape.Sq = 70, shape.Sk = 131, shape.D = 64, shape.causal = causal;
    return {kernel_, {}, taken_shape(kernel_, shape)};
  }
  CompiledKernel step_build(const KernelCase& one) const {
    return compiler().compile_for_stepping(one.kernel, one.kernel.complete(one.chosen), one.shape, "sm_89");
  }

 private:
  const KernelDeclaration kernel_ = catalogue().find(GetParam());
};

void expect_same_counts(const simt::RunResult& whole, const simt::BlockCounts& stepped) {
  EXPECT_EQ(whole.block_executions, stepped.executions);
  EXPECT_EQ(whole.block_lanes, stepped.lanes);
  EXPECT_EQ(whole.guarded_lanes, stepped.guarded_lanes);
  EXPECT_EQ(whole.barriers, stepped.barriers);
}

TEST_P(SteppingTest, SteppingToTheEndIsTheUnsteppedRun) {
  for (const bool causal : {false, true}) {
    const KernelCase kernel = one(causal);
    SCOPED_TRACE(kernel.name());
    const CompiledKernel compiled = step_build(kernel);
    CaseLaunch whole(kernel, compiled, l4()), stepped(kernel, compiled, l4());
    const simt::RunResult run = whole.run_block(0, WarpOrder::side_by_side);
    const auto stepper = stepped.step(0, {});
    EXPECT_EQ(stepper->slots(), run.warp_instructions);
    stepper->go_to(stepper->slots());
    EXPECT_EQ(stepper->fault().has_value(), run.fault.has_value());
    EXPECT_EQ(stepper->cut_off(), "");
    EXPECT_EQ(whole.tensors().o.elements, stepped.tensors().o.elements);
    expect_same_counts(run, stepper->counts());
  }
}

TEST_P(SteppingTest, TheOrderOfWarpsChangesNoResultOfARung) {
  if (one(false).kernel.role != KernelRole::rung)
    GTEST_SKIP() << "the fault of an exhibit may depend on the order";
  const KernelCase kernel = one(true);
  const CompiledKernel compiled = step_build(kernel);
  CaseLaunch in_turn(kernel, compiled, l4()), side_by_side(kernel, compiled, l4());
  const simt::RunResult first = in_turn.run_block(0, WarpOrder::in_turn);
  const simt::RunResult second = side_by_side.run_block(0, WarpOrder::side_by_side);
  EXPECT_EQ(in_turn.tensors().o.elements, side_by_side.tensors().o.elements);
  EXPECT_EQ(first.block_executions, second.block_executions);
}

// Walks of random length in both directions: what is seen at a slot does not depend on the way there.
TEST_P(SteppingTest, AStateDependsOnItsSlotAlone) {
  const KernelCase kernel = one(true);
  CaseLaunch launch(kernel, step_build(kernel), l4());
  simt::BlockStepper::Limits limits;
  limits.interval = 500;
  limits.bytes = std::uint64_t{8} << 20;  // so that snapshots are thinned out
  const auto stepper = launch.step(0, limits);
  struct Seen {
    std::uint64_t slot = 0;
    simt::BlockState state;
    std::vector<std::uint16_t> output;
  };
  std::mt19937_64 random(11);
  std::vector<Seen> seen;
  for (std::uint64_t i = 0; i < 6; ++i) {
    stepper->go_to(i * stepper->slots() / 5);
    seen.push_back({stepper->slot(), stepper->state(), launch.tensors().o.elements});
  }
  for (int walk = 0; walk < 25; ++walk) {
    const Seen& target = seen[random() % seen.size()];
    const std::uint64_t steps = random() % 40;
    stepper->go_to(target.slot);
    stepper->go_to(std::min(target.slot + steps, stepper->slots()));
    for (std::uint64_t back = 0; back < steps && stepper->slot() > target.slot; ++back)
      stepper->go_to(stepper->slot() - 1);
    ASSERT_EQ(stepper->slot(), target.slot);
    ASSERT_TRUE(stepper->state() == target.state)
        << "at slot " << target.slot << " after " << steps << " steps";
    ASSERT_EQ(launch.tensors().o.elements, target.output) << "at slot " << target.slot;
  }
  EXPECT_LE(stepper->bytes(), limits.bytes * 2);
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppingTest, testing::ValuesIn(rungs_and_exhibits()), test_name);

}  // namespace
}  // namespace tilescope
