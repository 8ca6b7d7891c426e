#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/memory/float_form.hpp"
#include "profiler/execution/memory/instruction_counts.hpp"
#include "profiler/execution/memory/output_writes.hpp"
#include "profiler/execution/simt/interpreter.hpp"
#include "sessions/memory_counts.hpp"

/// Runs a kernel in the interpreter and reports the cost of its memory accesses and which of them are faulty.
namespace tilescope {

/// A part of the block's shared memory that the kernel's author named: "K".
struct NamedTile {
  std::string name;
  /// [B] from the start of the block's shared memory, where the static arrays lie
  std::uint64_t offset = 0;
  /// [B]
  std::uint64_t bytes = 0;

  bool operator==(const NamedTile&) const = default;
};

/// A block that stands for others.
struct SampledBlock {
  /// x + grid.x * (y + grid.y * z)
  std::uint64_t index = 0;
  /// How many blocks of the grid it stands for, itself included.
  double weight = 1;
};

/// A buffer that a launch was given.
struct GivenBuffer {
  std::string name;
  std::uint64_t address = 0;
  /// [B]
  std::uint64_t bytes = 0, element_bytes = 4;
  /// The kernel should write all of it; else elements that it left are only mentioned.
  bool is_output = false;
  /// none for whole numbers
  FloatKind kind = FloatKind::none;
};

struct TraceOptions {
  /// Fill Traced::memory.
  bool count = true;
  /// With `count`, fill Traced::by_instruction too.
  bool by_instruction = false;
  /// Look for races and other faults, and continue after them: fill Traced::findings.
  bool check = false;
  /// With `check` of a whole grid: buffers of which elements may be left unwritten.
  std::vector<GivenBuffer> buffers;
  /// Fill Traced::writes.
  std::optional<WatchedTensor> output;
  /// Empty: the shared variables of the PTX. If tiles overlap, the first one names the memory.
  std::vector<NamedTile> tiles;
  /// The kernel's own file, without its folder: lines are reported there.
  std::string main_file;
  /// The blocks to run; empty: the whole grid, each with weight 1.
  std::vector<SampledBlock> blocks;
  /// Makes a further observer of each host thread; empty for none. The caller keeps what it needs of it.
  std::function<std::unique_ptr<simt::Observer>()> further_observer;
  /// 0: one per core.
  int host_threads = 0;
  std::uint64_t instructions_per_block = 2'000'000'000;
  /// simt::RunOptions::schedule_seed
  std::uint64_t schedule_seed = 0;
  std::function<bool()> cancelled;
};

struct Traced {
  /// The run itself, not scaled, without its observers. Its fault is the first that ended a block.
  simt::RunResult run;
  /// Scaled to the whole grid by the blocks' weights. Zeros without `count`.
  MemoryCounts memory;
  /// By index into Program::code, for TraceOptions::by_instruction.
  std::vector<InstructionCounts> by_instruction;
  /// By kind, then lines. Without `check` only faults that ended a block.
  std::vector<Finding> findings;
  /// For TraceOptions::output: one for each block that ran, by index.
  std::vector<BlockWrites> writes;
  /// With `check`, a sentence on what was not checked; "" for nothing.
  std::string unchecked;
  /// With `check`, a block that stored a NaN to one of TraceOptions::buffers or to the output: for origin_of_nan().
  std::optional<std::uint64_t> block_with_nan;
  /// With `check`, further sentences on elements that were left unwritten and on memory that was left out.
  std::vector<std::string> check_notes;
  /// With `check`, a sentence on what machine code cannot show and the PTX of the kernel can; "" for PTX.
  std::string hidden_by_machine_code;
};

/// The result does not depend on the number of host threads. Throws what simt::run throws, and std::invalid_argument for
/// a sampled block outside the grid.
Traced trace(const simt::Program& program, const simt::Launch& launch, simt::GlobalMemory& memory,
             const TraceOptions& options);

}  // namespace tilescope
