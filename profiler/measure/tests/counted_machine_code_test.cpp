// The machine code of a trace, instruction by instruction, as the worker answers it.
#include <algorithm>
#include <functional>
#include <numeric>

#include "profiler/measure/tests/service_fixture.hpp"
#include "profiler/service/requests/count_kernel.hpp"

namespace tilescope {
namespace {

class CountedMachineCode : public test_support::ServiceTest {
 protected:
  CountedMachineCode() {
    experiment.device = "H200";
    experiment.shape = {1, 1, 1, 64, 64, 64, DataType::fp16, false};
  }
  CountedPoint ask_for_code(bool machine_code = true) {
    const CountOptions counting{.machine_code = machine_code};
    return test_support::ask<CountKernel>(make_measure_service(installation), {experiment, counting},
                                          control);
  }
};

double sum(const CountedCode& code, std::optional<std::int64_t> CountedInstruction::*count) {
  return std::accumulate(code.instructions.begin(), code.instructions.end(), 0.0,
                         [&](double all, const CountedInstruction& one) {
                           return all + static_cast<double>((one.*count).value_or(0));
                         });
}

TEST_F(CountedMachineCode, AddsUpToTheCountsOfThePoint) {
  experiment.blocks = BlockChoice{BlockChoice::Kind::all};
  const CountedPoint point = ask_for_code();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_TRUE(point.machine_code);
  const CountedCode& code = *point.machine_code;
  ASSERT_EQ(code.why_none, "");
  EXPECT_EQ(code.architecture, "sm_90a");
  const MemoryCounts& memory = *point.memory;
  EXPECT_EQ(sum(code, &CountedInstruction::shared_wavefronts), static_cast<double>(memory.shared_wavefronts));
  EXPECT_EQ(sum(code, &CountedInstruction::shared_wavefronts_minimum),
            static_cast<double>(memory.shared_wavefronts_minimum));
  EXPECT_EQ(sum(code, &CountedInstruction::global_sectors), static_cast<double>(memory.global_sectors));
  std::int64_t executions = 0;
  for (const CountedInstruction& one : code.instructions) {
    executions += one.executions;
    EXPECT_LE(one.threads_on, one.threads);
    EXPECT_LE(one.threads, 32 * one.executions);
    EXPECT_GE(one.stall_cycles, 1);
    EXPECT_LE(one.stall_cycles, 15);
  }
  EXPECT_EQ(executions, memory.warp_instructions);
}

TEST_F(CountedMachineCode, LinesAndOpcodesShareTheCyclesOfAllWarps) {
  const CountedPoint point = ask_for_code();
  ASSERT_TRUE(point.machine_code);
  const CountedCode& code = *point.machine_code;
  ASSERT_FALSE(code.limits.empty());
  EXPECT_GT(code.warps, 0);
  const double all = code.warp_cycles * static_cast<double>(code.warps);
  for (const std::vector<IssueShare>& shares : {issue_by_line(code), issue_by_opcode(code)}) {
    double cycles = 0;
    for (const IssueShare& share : shares) cycles += share.cycles;
    EXPECT_NEAR(cycles / all, 1, 1e-3);
    EXPECT_TRUE(std::ranges::is_sorted(shares, std::greater{}, &IssueShare::cycles));
  }
  EXPECT_TRUE(std::ranges::is_sorted(code.limits, std::greater{}, &IssueLimit::cycles));
  const std::vector<IssueShare> opcodes = issue_by_opcode(code);
  EXPECT_NE(std::ranges::find(opcodes, "FFMA", &IssueShare::name), opcodes.end());
  const std::string line =
      "flash_scalar.cu:" +
      std::to_string(line_with(flash_scalar(), "unpack<Element>(load_packet<VEC_WIDTH>(tiles.k"));
  const std::vector<IssueShare> lines = issue_by_line(code);
  EXPECT_NE(std::ranges::find(lines, line, &IssueShare::name), lines.end());
}

TEST_F(CountedMachineCode, OfASampleIsScaledToTheGrid) {
  experiment.shape = {1, 4, 4, 512, 512, 64, DataType::fp16, false};
  const CountedPoint sampled = ask_for_code();
  ASSERT_TRUE(sampled.machine_code);
  ASSERT_LT(sampled.memory->blocks_run, sampled.memory->blocks_total);
  experiment.blocks = BlockChoice{BlockChoice::Kind::all};
  const CountedPoint whole = ask_for_code();
  const auto& some = sampled.machine_code->instructions;
  const auto& all = whole.machine_code->instructions;
  ASSERT_FALSE(all.empty());
  ASSERT_EQ(some.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(some[i].executions), static_cast<double>(all[i].executions),
                0.01 * static_cast<double>(all[i].executions))
        << all[i].text;
    EXPECT_EQ(some[i].shared_wavefronts, all[i].shared_wavefronts) << all[i].text;
  }
}

TEST_F(CountedMachineCode, IsOnlyThereWhereItWasAskedFor) {
  EXPECT_FALSE(ask_for_code(false).machine_code);
  experiment.parameters["NUM_WARPS"] = std::int64_t{6};
  const CountedPoint invalid = ask_for_code();
  EXPECT_EQ(invalid.status, Status::invalid_configuration);
  ASSERT_TRUE(invalid.machine_code);
  EXPECT_TRUE(invalid.machine_code->instructions.empty());
}

TEST_F(CountedMachineCode, SaysWhyOnlyThePtxWasExecuted) {
  const test_support::WithoutNvdisasm without(installation, scratch);
  const CountedPoint point = ask_for_code();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.memory->counted_from, CountedFrom::ptx);
  ASSERT_TRUE(point.machine_code);
  EXPECT_TRUE(point.machine_code->instructions.empty());
  EXPECT_NE(point.machine_code->why_none.find("nvdisasm"), std::string::npos) << point.machine_code->why_none;
}

}  // namespace
}  // namespace tilescope
