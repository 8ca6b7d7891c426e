#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/sass/instruction_word.hpp"

/// What a model of latency reads of a kernel: the machine code that was executed, and the way of its warps through it.
namespace tilescope::model {

/// An instruction of machine code. Figures of memory are means over its executions by warps.
struct ExecutedInstruction {
  /// "@!P0 LDS.128 R4, [R2+0x10]", without labels.
  std::string text;
  sass::Scheduling scheduling;
  double executions = 0;
  /// Wavefronts in shared memory, and the fewest for the lanes and the width.
  double wavefronts = 0, wavefronts_minimum = 0;
  /// 32-byte sectors of global memory.
  double sectors = 0;
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

struct ExecutedKernel {
  /// 89 for sm_89
  int architecture = 0;
  std::vector<ExecutedInstruction> code;
  std::vector<InstructionRange> basic_blocks;
  /// By index; at least one.
  std::vector<ExecutedBlock> blocks;
};

/// Where the blocks of a launch run.
struct LaunchPlan {
  std::uint64_t grid_x = 1, grid_y = 1, grid_z = 1;
  /// Blocks that an SM holds at once.
  std::uint64_t blocks_per_sm = 1;
  /// [B] of all tensors: what is read or written at least once.
  double footprint_bytes = 0;

  std::uint64_t blocks() const { return grid_x * grid_y * grid_z; }
};

/// A launch of which some blocks were executed.
struct ExecutedLaunch {
  ExecutedKernel kernel;
  LaunchPlan plan;
};

}  // namespace tilescope::model
