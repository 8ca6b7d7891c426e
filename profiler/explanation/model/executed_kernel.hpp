#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/sass/instruction_word.hpp"
#include "profiler/execution/simt/machine_facts.hpp"
#include "sessions/executed_work.hpp"

/// Input of a latency model: the machine code that was executed, and the way of its warps through it.
namespace tilescope::model {

/// An instruction of machine code. Figures of memory are means over its executions by warps.
struct ExecutedInstruction {
  /// "@!P0 LDS.128 R4, [R2+0x10]", without labels.
  std::string text;
  /// [B] from the start of its function
  std::int64_t address = 0;
  /// 0 where it is not known.
  std::int64_t ptx_line = 0;
  InstructionPlace place;
  simt::MachineFacts facts;
  sass::Scheduling scheduling;
  double executions = 0;
  /// Wavefronts in shared memory, and the fewest for the lanes and the width.
  double wavefronts = 0, wavefronts_minimum = 0;
  /// 32-byte sectors of global or local memory, and the lines of 128 B that they lie in.
  double sectors = 0, lines = 0;
  /// The fewest sectors for the lanes and the width, of global memory.
  double sectors_minimum = 0;
  /// Sectors that a load does not find in L1, and their lines.
  double missed_sectors = 0, missed_lines = 0;
  /// Sectors that a store writes only a part of.
  double partial_sectors = 0;
  /// Sectors that a load does not find in L1 and that no access of the launch touched before: known where the
  /// plan says so.
  double first_sectors = 0;
  /// Share of a load's executions that wait for a sector that L1 lacks, or that is on its way to it for another warp; and
  /// share of those that wait for one that no access of the launch touched before. 0 to 1.
  double waiting_share = 1, dram_share = 0;
  /// Wavefronts of a load in L1, which has the banks of shared memory.
  double l1_wavefronts = 0;
  /// Lanes that access memory; and different addresses of a load from constant memory.
  double lanes = 0, constants = 0;
  /// Sectors that a load does not find in L1 though its block had them before, and no other block reads them; and the
  /// bytes that the block moved meanwhile.
  double repeated_sectors = 0, bytes_between = 0;
  /// Whether blocks that differ along x, y or z of the grid alone read the same sectors in a global load.
  bool is_shared_along[3] = {};
};

/// Straight code, entered at its first instruction.
struct InstructionRange {
  /// Into ExecutedKernel::code.
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// The basic blocks that a warp entered, in order: indices into ExecutedKernel::basic_blocks. Parts of a diverged warp
/// follow each other, as on a GPU.
using WarpPath = std::vector<std::uint32_t>;

/// A thread block that was executed.
struct ExecutedBlock {
  /// x + grid.x * (y + grid.y * z)
  std::uint64_t index = 0;
  /// A warp each, in their order.
  std::vector<WarpPath> warps;
};

/// Atomic operations of a launch in L2. A slice of L2 takes one sector at a time, and of a warp's operation each word of
/// it once: a sector has as many turns as lanes that use the same word (hardware/atomic_turns.cu).
struct AtomicQueue {
  /// In the slice that has the most.
  double turns_in_one_slice = 0;
  /// On floating-point values, in the sector that has the most.
  double float_turns_in_one_sector = 0;
};

struct ExecutedKernel {
  /// 89 for sm_89
  int architecture = 0;
  std::vector<ExecutedInstruction> code;
  std::vector<InstructionRange> basic_blocks;
  /// By index; at least one.
  std::vector<ExecutedBlock> blocks;
  /// [warp instructions] of every block of the grid, by its linear index, where all were executed; else empty.
  std::vector<std::uint32_t> lengths;
  /// Blocks take their work from a counter in global memory: a few of them, executed first, took most of it.
  bool is_work_taken = false;
  AtomicQueue atomics;
  /// [B] of local memory that the threads of a block use.
  double local_bytes_of_block = 0;
};

/// Distribution of a launch's blocks over SMs.
struct LaunchPlan {
  std::uint64_t grid_x = 1, grid_y = 1, grid_z = 1;
  /// Blocks along x that produce one result.
  std::uint64_t block_group = 1;
  /// Blocks that an SM holds at once.
  std::uint64_t blocks_per_sm = 1;
  /// Blocks that share an SM's L1: those that it holds, or fewer where the grid has no more.
  std::uint64_t l1_blocks = 1;
  /// Query heads that read one key and value head: blocks that share along y do so in groups of as many.
  std::uint64_t heads_of_group = 1;
  /// [B] that the resident blocks of an SM leave of its shared memory for L1.
  double l1_bytes = 0;
  /// [B] of all tensors: what is read or written at least once.
  double footprint_bytes = 0;
  /// [B] of it, the result: what blocks store beyond that is memory besides.
  double output_bytes = 0;
  /// The whole grid was executed: footprint_bytes is what it touched, output_bytes what it wrote, and
  /// ExecutedInstruction::first_sectors is known.
  bool is_touch_known = false;

  std::uint64_t blocks() const { return grid_x * grid_y * grid_z; }
};

/// A launch of which some blocks were executed.
struct ExecutedLaunch {
  ExecutedKernel kernel;
  LaunchPlan plan;
};

}  // namespace tilescope::model
