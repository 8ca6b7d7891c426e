#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/memory/output_writes.hpp"
#include "profiler/ptx/interpreter.hpp"
#include "sessions/memory_counts.hpp"

/// Runs a kernel in the interpreter and reports the cost of its memory accesses and which of them are faulty.
namespace tilescope {

/// A part of the block's shared memory that the kernel's author named: "K".
struct NamedTile {
  std::string name;
  std::uint64_t offset = 0;  ///< [B] from the start of the block's shared memory, where the static arrays lie
  std::uint64_t bytes = 0;   ///< [B]
};

/// A block that stands for others.
struct SampledBlock {
  std::uint64_t index = 0;  ///< x + grid.x * (y + grid.y * z)
  double weight = 1;        ///< How many blocks of the grid it stands for, itself included.
};

struct TraceOptions {
  bool count = true;   ///< Fill Traced::memory.
  bool check = false;  ///< Look for races and other faults, and continue after them: fill Traced::findings.
  std::optional<WatchedTensor> output;  ///< Fill Traced::writes.
  /// Empty: the shared variables of the PTX. If tiles overlap, the first one names the memory.
  std::vector<NamedTile> tiles;
  std::string main_file;             ///< The kernel's own file, without its folder: lines are reported there.
  std::vector<SampledBlock> blocks;  ///< The blocks to run; empty: the whole grid, each with weight 1.
  int host_threads = 0;              ///< 0: one per core.
  std::uint64_t instructions_per_block = 2'000'000'000;
  std::uint64_t schedule_seed = 0;  ///< ptx::RunOptions::schedule_seed
  std::function<bool()> cancelled;
};

struct Traced {
  ptx::RunResult
      run;  ///< The run itself, not scaled, without its observers. Its fault is the first that ended a block.
  MemoryCounts memory;            ///< Scaled to the whole grid by the blocks' weights. Zeros without `count`.
  std::vector<Finding> findings;  ///< By kind, then lines. Without `check` only faults that ended a block.
  std::vector<BlockWrites> writes;  ///< For TraceOptions::output: one for each block that ran, by index.
  std::string unchecked;            ///< With `check`, a sentence on what was not checked; "" for nothing.
};

/// The result does not depend on the number of host threads. Throws what ptx::run throws, and std::invalid_argument for
/// a sampled block outside the grid.
Traced trace(const ptx::Program& program, const ptx::Launch& launch, ptx::GlobalMemory& memory,
             const TraceOptions& options);

}  // namespace tilescope
