#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "sessions/prediction.hpp"

namespace tilescope {

/// An instruction of machine code, and what its executions did. Counts are scaled to the grid.
struct CountedInstruction {
  /// [B] from the start of its function
  std::int64_t address = 0;
  /// As nvdisasm prints it: "@!P0 LDS.128 R4, [R2+0x10]"
  std::string text;
  /// "LDS": its row of the instruction set.
  std::string opcode;
  /// Line in the kernel's own file; for an inlined function, the line of the call. Without folder. Line 0:
  /// unknown.
  std::string file;
  std::int64_t line = 0;
  /// As MemorySite::inlined: "mma_key_loop.cuh:225 ...", innermost first; empty when not inlined.
  std::vector<std::string> inlined;
  /// The hardware pipes that execute it, by Nsight Compute's names; none where it takes an issue slot alone.
  std::vector<std::string> pipes;
  /// By warps, with any lane or none whose guard is true.
  std::int64_t executions = 0;
  /// Active lanes, summed over the executions, and active lanes whose guard was true.
  std::int64_t threads = 0, threads_on = 0;
  /// Nothing where it does not access such memory.
  std::optional<std::int64_t> shared_wavefronts, shared_wavefronts_minimum;
  std::optional<std::int64_t> global_sectors, global_sectors_minimum;
  /// [cycles] Time of one execution, in a warp alone: from its issue to the next one's; and before it, until
  /// the results that it waits for are there, not counting results of memory.
  double stall_cycles = 0, wait_cycles = 0;
  /// The scoreboards that it waits for, memory's included.
  std::vector<std::int64_t> waits_for;
  /// The scoreboards that it holds until its result is written, and until its operands are read.
  std::optional<std::int64_t> write_scoreboard, read_scoreboard;

  /// [us] Parts of the predicted latency in which it is issued, and in which warps wait before it is; none where nothing is
  /// predicted.
  std::optional<double> issue_us, wait_us;

  /// [cycles] Issue time of all executions.
  double issue_cycles() const { return static_cast<double>(executions) * (stall_cycles + wait_cycles); }
  bool operator==(const CountedInstruction&) const = default;
};

/// "flash_scalar.cu:120"; for inlined code the place in a header that it is at (accessing_place); "" for an unknown
/// one.
std::string source_place(const CountedInstruction& instruction);

/// A part of the issue: of a source_place, or of an opcode ("LDS").
struct IssueShare {
  std::string name;
  std::int64_t executions = 0;
  /// [cycles] Time that each warp takes alone, summed over all warps.
  double cycles = 0;

  bool operator==(const IssueShare&) const = default;
};

/// One pipe's load.
struct PipeShare {
  std::string pipe;
  /// Warp instructions
  std::int64_t instructions = 0;
  /// [cycles] Busy, summed over the pipes of all SMs.
  double cycles = 0;
  /// One for the SM; else each quarter of it has one.
  bool is_shared_by_quarters = false;

  bool operator==(const PipeShare&) const = default;
};

/// A lower bound of an SM's time for its share of the launch, without any latency of memory.
struct IssueLimit {
  /// "issue slots", "warps alone", or a pipe
  std::string what;
  /// [cycles]
  double cycles = 0;

  bool operator==(const IssueLimit&) const = default;
};

/// The machine code of a kernel that was executed, instruction by instruction.
struct CountedCode {
  /// "sm_90a"
  std::string architecture;
  /// Why there are no instructions, as where only the PTX could be executed: a sentence. "" where there are.
  std::string why_none;
  /// In the order of the code.
  std::vector<CountedInstruction> instructions;
  /// Warps of the launch; SMs that get a block of it; the most warps that are resident on one of them at
  /// once. SMs and their warps are 0, and there are no limits, if the GPU is unknown.
  std::int64_t warps = 0, sms = 0, resident_warps = 0;
  /// [cycles] The fewest of a warp alone, in the mean over the warps.
  double warp_cycles = 0;
  /// The largest first.
  std::vector<IssueLimit> limits;
  std::vector<PipeShare> pipes;

  bool operator==(const CountedCode&) const = default;
};

/// Gives instructions the times that are predicted for them.
void add_times(const std::vector<InstructionTime>& times, CountedCode& code);

/// The most cycles first.
std::vector<IssueShare> issue_by_line(const CountedCode& code);
std::vector<IssueShare> issue_by_opcode(const CountedCode& code);

/// Reading throws DocumentError with the place. The shares by line and opcode are written, and not read.
void to_json(Json& json, const CountedInstruction& instruction);
void from_json(const Json& json, CountedInstruction& instruction);
void to_json(Json& json, const IssueShare& share);
void to_json(Json& json, const PipeShare& share);
void from_json(const Json& json, PipeShare& share);
void to_json(Json& json, const IssueLimit& limit);
void from_json(const Json& json, IssueLimit& limit);
void to_json(Json& json, const CountedCode& code);
void from_json(const Json& json, CountedCode& code);

}  // namespace tilescope
