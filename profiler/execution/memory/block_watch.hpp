#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/execution/memory/lane_order.hpp"
#include "profiler/execution/memory/paged_table.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/observer.hpp"
#include "sessions/executed_work.hpp"

namespace tilescope {

/// Looks at one block closely: which of its barriers order accesses of different warps, and which of its reads of
/// global memory fetch again what it has read before.
///
/// Two accesses of different warps to one word, one of them a write, need one of the barriers between them; the last one
/// before the second access is taken. So as few barriers as possible count as needed. A word has 4 bytes in shared
/// memory and is a sector in global memory: what lies closer together counts as one word, so that a doubtful barrier
/// counts as needed. Atomics and accesses that other blocks may wait for order whatever global memory the block uses.
class BlockWatch {
 public:
  explicit BlockWatch(const simt::Program& program);

  void begin(const simt::Block& block);
  void access(const simt::Warp& warp, const simt::MemoryAccess& access);
  /// bar.warp.sync among lanes of a warp.
  void warp_barrier(const simt::Warp& warp, simt::LaneMask lanes);
  /// All warps have passed a barrier; `idle` is what the others could have executed while the busiest came here.
  void passes(const simt::Block& block, std::span<const simt::LaneMask> released, std::uint64_t idle);
  void end() { is_complete_ = true; }

  bool is_complete() const { return is_complete_; }
  WatchedBlock result(std::string_view main_file) const;

 private:
  // The warps that accessed a word since the last needed barrier: in the interval that last_interval names, and before.
  struct Word {
    std::uint32_t last_interval = 0;
    std::uint32_t needed_before = 0;  // last_needed_ when the older masks were made
    std::uint32_t writers = 0, readers = 0;
    std::uint32_t older_writers = 0, older_readers = 0;
  };
  struct Sector {
    Word word;
    bool is_read = false;
  };
  struct Site {
    std::uint64_t passes = 0, needed = 0, orders_lanes = 0, idle = 0;
  };
  struct Reads {
    std::uint64_t sectors = 0, again = 0;
  };
  void touch(Word& word, std::uint32_t warp, bool writes);
  void touch_shared(const simt::MemoryAccess& access, std::uint32_t warp, bool reads, bool writes);
  void touch_global(const simt::MemoryAccess& access, std::uint32_t warp, bool reads, bool writes);
  void need_barrier();
  void need_for_lanes();
  bool is_strong(const simt::MemoryAccess& access) const;

  const simt::Program& program_;
  bool judges_barriers_ = true;
  bool is_complete_ = false;
  bool accesses_memory_ = false;
  std::uint64_t warps_ = 0;
  std::uint32_t interval_ = 1, last_needed_ = 0;
  std::uint32_t opened_by_ = simt::no_index;  // the barrier before this interval: Program::code
  bool is_needed_ = false;                    // the barrier that opened this interval
  bool is_needed_for_lanes_ = false;          // that barrier, for lanes of one warp
  LaneOrder lane_order_;
  std::vector<Word> shared_;
  PagedTable<Sector, 3> global_;  // by its number
  Word any_global_;
  std::map<std::uint32_t, Site> barriers_;  // by Program::code
  std::map<std::uint32_t, Reads> reads_;    // by Program::code
  std::uint64_t sectors_read_ = 0, different_sectors_ = 0;
};

}  // namespace tilescope
