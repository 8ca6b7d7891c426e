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
  shared_words_ = shared_bytes / word_bytes + 1;
  shared_.assign(shared_words_ * warps, {});
  global_.clear();
}

LaneOrder::Word& LaneOrder::far_word(std::uint64_t number, std::uint32_t warp) {
  constexpr std::uint64_t words_of_page = std::uint64_t{1} << words_of_page_log2;
  const std::uint64_t page = ((number >> words_of_page_log2) << warp_bits) + warp;
  return global_[(page << words_of_page_log2) + number % words_of_page];
}

bool LaneOrder::access(std::uint32_t warp, const simt::MemoryAccess& access, bool writes) {
  bool needs_barrier = false;
  // Neighbouring lanes with the same words are taken together.
  Words words;
  simt::LaneMask lanes = 0;
  for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.addresses[std::countr_zero(rest)];
    const Words of_lane{address / word_bytes, (address + access.lane_bytes - 1) / word_bytes};
    if (lanes != 0 && of_lane != words) {
      needs_barrier |= touch(access.space, words, warp, lanes, writes);
      lanes = 0;
    }
    words = of_lane;
    lanes |= rest & (0 - rest);
  }
  return (lanes != 0 && touch(access.space, words, warp, lanes, writes)) || needs_barrier;
}

bool LaneOrder::touch(simt::Space space, const Words& words, std::uint32_t warp, simt::LaneMask lanes,
                      bool writes) {
  bool needs_barrier = false;
  if (space == simt::Space::shared && words.last < shared_words_) {
    // Neighbouring words of a warp lie side by side.
    Word* const first = &shared_[warp * shared_words_ + words.first];
    for (std::uint64_t i = 0; i <= words.last - words.first; ++i)
      needs_barrier |= touch(first[i], ordered_[warp], lanes, writes);
    return needs_barrier;
  }
  for (std::uint64_t number = words.first; number <= words.last; ++number)
    needs_barrier |= touch(far_word(number, warp), ordered_[warp], lanes, writes);
  return needs_barrier;
}

bool LaneOrder::touch(Word& word, std::uint32_t ordered, simt::LaneMask lanes, bool writes) const {
  if (word.ordered != ordered) word = {interval_, ordered, 0, 0, 0, 0};
  if (word.interval < interval_) {
    word.older_writers |= word.writers;
    word.older_readers |= word.readers;
    word.writers = word.readers = 0;
    word.interval = interval_;
  }
  const simt::LaneMask in_conflict = word.older_writers | (writes ? word.older_readers : 0);
  // One lane alone may be the one that accessed it before; of several ones, one is another than that.
  const bool needs_barrier = std::has_single_bit(lanes) ? (in_conflict & ~lanes) != 0 : in_conflict != 0;
  if (needs_barrier) word.older_writers = word.older_readers = 0;
  (writes ? word.writers : word.readers) |= lanes;
  return needs_barrier;
}

}  // namespace tilescope
