#pragma once

#include <cstdint>
#include <vector>

#include "profiler/explanation/model/executed_kernel.hpp"

/// Leaves out iterations of loops, so that long kernels are simulated in the time of short ones.
namespace tilescope::model {

/// A step of a shortened path: a basic block, or a mark around iterations that stand for several times as many.
struct PathStep {
  enum class Kind : std::uint8_t { basic_block, scale_begin, scale_end };
  Kind kind = Kind::basic_block;
  /// Into ExecutedKernel::basic_blocks.
  std::uint32_t basic_block = 0;
  /// Factor of a mark: the time between the two counts this many times.
  float factor = 1;
};

struct ShortPath {
  std::vector<PathStep> steps;
  /// Warp instructions in them.
  std::uint64_t instructions = 0;
};

/// Keeps one of `divisor` iterations of a loop: those behind the first, and the last. A loop is a basic block that is
/// entered again by a jump backwards, at any depth. Outer loops lose iterations first, down to three: an inner loop that
/// is whole fills and drains as often as it does on a GPU.
ShortPath shorten(const WarpPath& path, const std::vector<InstructionRange>& basic_blocks, double divisor);

}  // namespace tilescope::model
