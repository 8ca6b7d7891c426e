#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/memory/paged_table.hpp"
#include "profiler/execution/simt/observer.hpp"

namespace tilescope {

/// Finds accesses of one lane to what another lane of its warp accessed before the last block barrier that the warp
/// passed, one of them a write: without that barrier they would need a __syncwarp(). A bar.warp.sync of the warp orders
/// them as well. Accesses are held against each other by words of 4 B.
class LaneOrder {
 public:
  /// `shared_bytes`: size of the block's shared memory.
  void begin(std::size_t warps, std::size_t shared_bytes);
  /// Returns whether the access needs the last block barrier.
  bool access(std::uint32_t warp, const simt::MemoryAccess& access, bool writes);
  void warp_barrier(std::uint32_t warp) { ++ordered_[warp]; }
  /// The block passes a barrier. Where it is not needed, the accesses before it still count against those behind the next.
  void pass() { ++interval_; }

 private:
  // Lanes of a warp that accessed a word in the interval between barriers, and before it.
  struct Word {
    std::uint32_t interval = 0, ordered = 0;
    simt::LaneMask writers = 0, readers = 0, older_writers = 0, older_readers = 0;
  };
  // Words of the addresses that a lane accesses, the last one included.
  struct Words {
    std::uint64_t first = 0, last = 0;

    bool operator==(const Words&) const = default;
  };
  // A word of global memory, or beyond the block's shared memory.
  Word& far_word(std::uint64_t number, std::uint32_t warp);
  bool touch(simt::Space space, const Words& words, std::uint32_t warp, simt::LaneMask lanes, bool writes);
  bool touch(Word& word, std::uint32_t ordered, simt::LaneMask lanes, bool writes) const;

  std::uint32_t interval_ = 1;
  /// By warp: how often its lanes were ordered without a barrier that counts.
  std::vector<std::uint32_t> ordered_;
  /// By warp and word.
  std::vector<Word> shared_;
  std::uint64_t shared_words_ = 0;
  static constexpr unsigned words_of_page_log2 = 3;
  PagedTable<Word, words_of_page_log2> global_;
};

}  // namespace tilescope
