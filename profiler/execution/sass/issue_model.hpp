#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/sass/hardware_pipe.hpp"
#include "profiler/execution/simt/program.hpp"

/// The fewest cycles that machine code needs to be issued. No memory latency, no cache and no arbitration is in them,
/// so that a GPU needs more.
namespace tilescope::sass {

/// Executions of a program's run, by index into Program::code.
struct ExecutedCode {
  /// By warps.
  std::vector<double> executions;
  /// In shared memory, of all executions; empty where they were not counted: each then takes one.
  std::vector<double> shared_wavefronts;
};

/// An instruction in the issue of its warp, alone on its quarter of the SM.
struct InstructionIssue {
  /// Into Program::code.
  std::uint32_t at = 0;
  /// [cycles] per execution: from its issue to the next one's (its stall count, at least 1) ...
  double stall_cycles = 1;
  /// ... and before its issue, for scoreboards of producers in its basic block that are not memory.
  double wait_cycles = 0;
  double cycles() const { return stall_cycles + wait_cycles; }
};

/// Issue times of every instruction of a program of machine code, in the order of the code.
std::vector<InstructionIssue> instruction_issues(const simt::Program& program);

/// The load of one pipe.
struct PipeLoad {
  HardwarePipe pipe = HardwarePipe::alu;
  /// Warp instructions
  double instructions = 0;
  /// [cycles] Busy, summed over all pipes of the GPU.
  double cycles = 0;
  /// One for the SM, else one for each of its quarters.
  bool is_shared_by_quarters = false;
};

/// Issue load of all warps of the blocks that ran.
struct IssueLoad {
  /// Issue slots: each takes a cycle of its quarter.
  double warp_instructions = 0;
  /// [cycles] Time that each warp takes alone, summed over all warps.
  double warp_cycles = 0;
  /// Loads of the pipes that executed anything, in the order of HardwarePipe.
  std::vector<PipeLoad> pipes;
};

IssueLoad issue_load(const simt::Program& program, const ExecutedCode& executed);

/// Distribution of a launch's warps over SMs.
struct WarpPlaces {
  double warps = 0;
  /// SMs that get a block.
  double sms = 1;
  /// The most warps that are resident on an SM at once.
  double resident_warps = 1;
};

/// One lower bound.
struct IssueBound {
  /// "issue slots", "warps alone", or the name of a pipe
  std::string what;
  /// [cycles] of an SM
  double cycles = 0;
};

/// [cycles] The fewest of a warp alone: the mean over the warps.
double warp_alone_cycles(const IssueLoad& load, const WarpPlaces& places);

/// [cycles] Lower bounds of the time that the busiest SM takes for its share of the launch: issue slots,
/// every pipe, and the warps alone where few of them are resident. The largest first. Each is a mean over SMs
/// and quarters, which the busiest exceeds.
std::vector<IssueBound> issue_bounds(const IssueLoad& load, const WarpPlaces& places);

}  // namespace tilescope::sass
