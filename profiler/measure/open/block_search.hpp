#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "profiler/execution/simt/block.hpp"

namespace tilescope {

/// A launch with one size of block.
struct TriedBlock {
  bool has_fault = false;
  /// Bytes that it stored for each byte of the buffers that it stored to: 1 where each element is stored once. 0 where
  /// that is not known.
  double stores_per_byte = 0;
};

struct FoundBlock {
  simt::Dimensions block{1, 1, 1};
  /// Each element of the outputs was stored once.
  bool stores_all_once = false;
};

/// Sizes that kernels are launched with most, the most usual first, of at most `most_threads`.
std::vector<simt::Dimensions> usual_blocks(bool reads_thread_y, std::uint32_t most_threads);

/// The first size with which each element is stored once; else the one that is nearest to that, without a fault where one
/// has none. A kernel whose tiles need another block leaves parts of its output, or stores parts twice.
FoundBlock find_block(const std::vector<simt::Dimensions>& sizes,
                      const std::function<TriedBlock(const simt::Dimensions&)>& try_block);

}  // namespace tilescope
