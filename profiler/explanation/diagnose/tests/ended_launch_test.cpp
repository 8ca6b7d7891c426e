// Advice on a launch that did not run to its end.
#include <gtest/gtest.h>

#include "profiler/explanation/diagnose/tests/diagnose_fixture.hpp"

namespace tilescope {
namespace {

// A launch that ended early has counts and code like others, and none of them is advice.
TEST(EndedLaunches, HaveNoAdviceFromWhatAWholeLaunchWouldDo) {
  const KernelDeclaration kernel = test_support::sample_kernel();
  Measurement point = test_support::conflicting_point();
  point.resources->spill_bytes = 4096;
  const std::vector<EqualValues> equal{{"TILE", {ParameterValue(std::int64_t{8})}, true}};
  const auto diagnosed = [&] { return diagnose({point, kernel, nullptr, equal, {"tiled"}}); };
  ASSERT_GE(diagnosed().size(), 3U) << "dead_knob, bank_conflicts, spills";
  point.findings = {{"misaligned", {84}, "thread 0 writes 4 bytes", {0, 0, 0}, {0}, {5}, 1}};
  for (const Status status : {Status::launch_failed, Status::timed_out}) {
    point.status = status;
    ASSERT_EQ(diagnosed().size(), 1U);
    EXPECT_EQ(diagnosed().front().kind, "misaligned");
    EXPECT_EQ(diagnosed().front().lines, std::vector<std::int64_t>{84});
    EXPECT_NE(diagnosed().front().repair, "");
  }
}

TEST(EndedLaunches, WithoutALineSayWhatToDo) {
  Measurement point = test_support::conflicting_point();
  point.status = Status::launch_failed;
  point.reason = "The GPU ended the launch: misaligned address (CUDA_ERROR_MISALIGNED_ADDRESS).";
  EXPECT_TRUE(test_support::diagnose_sample(point).empty()) << "no GPU ended it";
  point.device.present = true;
  const auto ended = test_support::diagnose_sample(point);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.front().kind, "ended_launch");
  EXPECT_NE(ended.front().repair.find("finds the line"), std::string::npos);
  point.reason = "The GPU refused the launch: too many resources requested for launch.";
  EXPECT_EQ(test_support::diagnose_sample(point).front().repair.find("finds the line"), std::string::npos);
}

// Each fault that the interpreter may end a launch for.
TEST(EndedLaunches, EveryFaultHasARepair) {
  for (const char* kind : {"out_of_bounds", "misaligned", "read_only", "trap", "deadlock", "livelock",
                           "instruction_budget", "stack_overflow", "divergent_barrier"}) {
    Measurement point = test_support::conflicting_point();
    point.status = Status::launch_failed;
    point.findings = {{kind, {3}, "thread 0", {0, 0, 0}, {0}, {5}, 1}};
    ASSERT_EQ(test_support::diagnose_sample(point).size(), 1U) << kind;
    EXPECT_NE(test_support::diagnose_sample(point).front().repair, "") << kind;
  }
}

}  // namespace
}  // namespace tilescope
