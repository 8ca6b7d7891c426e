#include "profiler/execution/sass/issue_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "profiler/execution/sass/instruction_facts.hpp"
#include "profiler/execution/sass/instruction_word.hpp"

namespace tilescope::sass {
namespace {

struct Line {
  std::string text;
  std::uint32_t stall = 1;
  std::uint32_t write_scoreboard = no_scoreboard;
  std::uint32_t wait_mask = 0;
};

std::uint32_t bits(const Line& line) {
  InstructionWord word;
  word.high = std::uint64_t{line.stall} << 41 | std::uint64_t{line.write_scoreboard} << 46 |
              std::uint64_t{no_scoreboard} << 49 | std::uint64_t{line.wait_mask} << 52;
  return scheduling_bits(word);
}

// One basic block after the other.
simt::Program program_of(const std::vector<std::vector<Line>>& blocks, const char* target = "sm_90a") {
  simt::Program program;
  program.target = target;
  program.is_machine_code = true;
  for (const std::vector<Line>& lines : blocks) {
    program.blocks.push_back(
        {static_cast<std::uint32_t>(program.code.size()), static_cast<std::uint32_t>(lines.size())});
    program.code.emplace_back();
    for (const Line& line : lines) {
      simt::Instruction instruction;
      instruction.origin = static_cast<std::uint32_t>(program.origins.size());
      program.code.push_back(instruction);
      simt::Origin origin;
      origin.scheduling = bits(line);
      origin.text = line.text;
      origin.facts = facts_of(line.text);
      program.origins.push_back(std::move(origin));
    }
  }
  return program;
}

const PipeLoad& pipe_of(const IssueLoad& load, HardwarePipe pipe) {
  for (const PipeLoad& one : load.pipes) {
    if (one.pipe == pipe) return one;
  }
  static const PipeLoad none;
  return none;
}

TEST(InstructionIssues, StallForTheirCountAndAtLeastACycle) {
  const auto issues = instruction_issues(
      program_of({{{"IADD3 R0, R0, 0x1, RZ", 4}, {"FFMA R1, R0, R0, R0", 0}, {"EXIT", 5}}}));
  ASSERT_EQ(issues.size(), 3U);
  EXPECT_EQ(issues[0].at, 1U);
  EXPECT_EQ(issues[0].cycles(), 4);
  EXPECT_EQ(issues[1].cycles(), 1);
  EXPECT_EQ(issues[2].cycles(), 5);
}

TEST(InstructionIssues, WaitForResultsOfTheirBasicBlock) {
  const auto issues = instruction_issues(program_of({{{"MUFU.EX2 R0, R1", 1, 0},
                                                      {"IADD3 R2, R2, 0x1, RZ", 4},
                                                      {"FADD R3, R0, R3", 2, no_scoreboard, 0b1},
                                                      {"FADD R3, R0, R3", 2, no_scoreboard, 0b1}},
                                                     {{"FADD R3, R0, R3", 2, no_scoreboard, 0b1}}}));
  EXPECT_EQ(issues[2].wait_cycles, 12) << "17 cycles after the MUFU, of which 5 have passed";
  EXPECT_EQ(issues[2].cycles(), 14);
  EXPECT_EQ(issues[3].wait_cycles, 0);
  EXPECT_EQ(issues[4].wait_cycles, 0) << "what was issued before the block is done";
}

TEST(InstructionIssues, WaitForTheLastOfTwoProducersAndForNoMemory) {
  const auto issues = instruction_issues(program_of({{{"MUFU.EX2 R0, R1", 1, 2},
                                                      {"MUFU.EX2 R2, R1", 3, 2},
                                                      {"LDS R4, [R5]", 1, 3},
                                                      {"FADD R4, R4, R4", 1, no_scoreboard, 0b1000},
                                                      {"FADD R3, R0, R2", 1, no_scoreboard, 0b0100}}}));
  EXPECT_EQ(issues[3].wait_cycles, 0);
  EXPECT_EQ(issues[4].wait_cycles, 12) << "1 + 17 cycles, of which 6 have passed";
}

TEST(IssueLoad, AddsUpWhatWasExecuted) {
  const simt::Program program = program_of({{{"IMAD R0, R0, R1, R2", 4}, {"LDS R4, [R5]", 2, 0}},
                                            {{"HMMA.16816.F32 R4, R8, R12, R4", 10}},
                                            {{"EXIT", 5}}});
  // The count of an enter_block is 0: it is not an instruction of the hardware.
  ExecutedCode executed{{0, 10, 10, 0, 5, 0, 0}, {0, 0, 35, 0, 0, 0, 0}};
  const IssueLoad load = issue_load(program, executed);
  EXPECT_EQ(load.warp_instructions, 25);
  EXPECT_EQ(load.warp_cycles, 10 * 4 + 10 * 2 + 5 * 10);
  EXPECT_EQ(pipe_of(load, HardwarePipe::fma).cycles, 10);
  EXPECT_EQ(pipe_of(load, HardwarePipe::fma_heavy).cycles, 20);
  EXPECT_EQ(pipe_of(load, HardwarePipe::lsu).instructions, 10);
  EXPECT_EQ(pipe_of(load, HardwarePipe::lsu).cycles, 35) << "wavefronts";
  EXPECT_DOUBLE_EQ(pipe_of(load, HardwarePipe::tensor).cycles, 30);
  EXPECT_EQ(pipe_of(load, HardwarePipe::cbu).instructions, 0) << "was not executed";
  executed.shared_wavefronts.clear();
  EXPECT_EQ(pipe_of(issue_load(program, executed), HardwarePipe::lsu).cycles, 10);
}

TEST(IssueBounds, AreSharesOfTheBusiestSm) {
  IssueLoad load;
  load.warp_instructions = 8000;
  load.warp_cycles = 16000;
  load.pipes = {{HardwarePipe::alu, 4000, 8000, false}, {HardwarePipe::lsu, 1000, 3000, true}};
  WarpPlaces places{8, 2, 4};
  EXPECT_EQ(warp_alone_cycles(load, places), 2000);
  std::vector<IssueBound> bounds = issue_bounds(load, places);
  ASSERT_EQ(bounds.size(), 4U);
  EXPECT_EQ(bounds[0].what, "warps alone");
  EXPECT_EQ(bounds[0].cycles, 2000);
  EXPECT_EQ(bounds[1].what, "lsu");
  EXPECT_EQ(bounds[1].cycles, 1500) << "one for the SM";
  EXPECT_EQ(bounds[2].cycles, 1000) << "8000 slots of 8 quarters";
  EXPECT_EQ(bounds[3].cycles, 1000);

  places.resident_warps = 1;  // three quarters have nothing to do
  bounds = issue_bounds(load, places);
  EXPECT_EQ(bounds[0].cycles, 8000);
  const auto alu = std::ranges::find(bounds, "alu", &IssueBound::what);
  ASSERT_NE(alu, bounds.end());
  EXPECT_EQ(alu->cycles, 4000);
}

}  // namespace
}  // namespace tilescope::sass
