#include "profiler/execution/memory/lane_order.hpp"

#include <bit>

namespace tilescope {
namespace {

constexpr std::uint64_t word_bytes = 4;
// A block has at most 32 warps.
constexpr int warp_bits = 5;

}  // namespace

void LaneOrder::begin(std::size_t warps, std::size_t shared_bytes) {
  interval_ = 1;
  ordered_.assign(warps, 0);
  shared_.assign((shared_bytes / word_bytes + 1) * warps, {});
  global_.clear();
}

LaneOrder::Word& LaneOrder::word_of(simt::Space space, std::uint64_t number, std::uint32_t warp) {
  const std::uint64_t index = number * ordered_.size() + warp;
  if (space == simt::Space::shared && index < shared_.size()) return shared_[index];
  return global_[(number << warp_bits) + warp];
}

bool LaneOrder::access(std::uint32_t warp, const simt::MemoryAccess& access, bool writes) {
  bool needs_barrier = false;
  for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t first = access.addresses[lane] / word_bytes;
    const std::uint64_t last = (access.addresses[lane] + access.lane_bytes - 1) / word_bytes;
    for (std::uint64_t number = first; number <= last; ++number)
      needs_barrier |= touch(word_of(access.space, number, warp), warp, simt::LaneMask{1} << lane, writes);
  }
  return needs_barrier;
}

bool LaneOrder::touch(Word& word, std::uint32_t warp, simt::LaneMask lane, bool writes) {
  if (word.ordered != ordered_[warp]) word = {interval_, ordered_[warp], 0, 0, 0, 0};
  if (word.interval < interval_) {
    word.older_writers |= word.writers;
    word.older_readers |= word.readers;
    word.writers = word.readers = 0;
    word.interval = interval_;
  }
  const bool needs_barrier = ((word.older_writers | (writes ? word.older_readers : 0)) & ~lane) != 0;
  if (needs_barrier) word.older_writers = word.older_readers = 0;
  (writes ? word.writers : word.readers) |= lane;
  return needs_barrier;
}

}  // namespace tilescope
