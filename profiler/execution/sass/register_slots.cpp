#include "profiler/execution/sass/register_slots.hpp"

#include <algorithm>
#include <cstring>

namespace tilescope::sass {

ConstantSlots::ConstantSlots() : zero_(add({0, 0, 0, 0})) {}

simt::Slot ConstantSlots::add(const std::vector<std::uint32_t>& words) {
  const auto [known, is_new] = known_.try_emplace(words, simt::no_slot);
  if (!is_new) return known->second;
  next_ -= RegisterSlots::step * static_cast<simt::Slot>(words.size());
  known->second = next_;
  for (std::size_t i = 0; i < words.size(); ++i)
    words_.emplace_back(next_ + RegisterSlots::step * static_cast<simt::Slot>(i), words[i]);
  return next_;
}

simt::Slot ConstantSlots::value(std::uint32_t bits) {
  return bits == 0 ? zero_ : add({bits});
}

simt::Slot ConstantSlots::value64(std::uint64_t bits) {
  if (bits == 0) return zero_;
  return add({static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)});
}

simt::Slot ConstantSlots::predicate(bool value) {
  return value ? add({simt::all_lanes}) : zero_;
}

simt::Slot ConstantSlots::bank_words(std::uint32_t bank, std::uint32_t offset, int words) {
  const auto [known, is_new] = known_of_launch_.try_emplace({bank, offset, words}, simt::no_slot);
  if (!is_new) return known->second;
  next_ -= RegisterSlots::step * words;
  known->second = next_;
  for (int i = 0; i < words; ++i) {
    of_launch_.push_back({next_ + RegisterSlots::step * i, offset + 4 * static_cast<std::uint32_t>(i), bank});
  }
  return next_;
}

std::vector<std::byte> ConstantSlots::pool() const {
  const auto bytes = static_cast<std::size_t>(-next_) * simt::slot_bytes;
  std::vector<std::byte> pool(bytes);
  for (const auto& [slot, word] : words_) {
    std::byte* at = pool.data() + bytes - static_cast<std::size_t>(-slot) * simt::slot_bytes;
    for (int lane = 0; lane < simt::lane_count; ++lane)
      std::memcpy(at + static_cast<std::size_t>(lane) * sizeof word, &word, sizeof word);
  }
  return pool;
}

}  // namespace tilescope::sass
