#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace tilescope::model {

/// The warps of an SM by the cycle of their next turn; of one cycle, the lowest number first. Most turns lie a few cycles
/// ahead: each such cycle has a set of warps, and what lies further ahead waits in a heap.
class ReadyWarps {
 public:
  using Cycle = std::int64_t;
  /// Warps have numbers below this: those that an SM holds at most.
  static constexpr std::uint32_t most_warps = 64;

  bool empty() const { return near_ == 0 && far_.empty(); }

  /// A turn before the turn of the last warp that was taken comes at once.
  void add(Cycle turn, std::uint32_t warp) {
    turn = std::max(turn, now_);
    if (turn >= now_ + window) return far_.emplace(turn, warp);
    const std::size_t at = slot(turn);
    sets_[at] |= std::uint64_t{1} << warp;
    words_[at / 64] |= std::uint64_t{1} << at % 64;
    ++near_;
  }

  std::pair<Cycle, std::uint32_t> take() {
    if (near_ == 0) advance_to(far_.top().first);
    const std::size_t at = next_slot();
    advance_to(now_ + static_cast<Cycle>((at - slot(now_)) % slots));
    const auto warp = static_cast<std::uint32_t>(std::countr_zero(sets_[at]));
    sets_[at] &= sets_[at] - 1;
    if (sets_[at] == 0) words_[at / 64] &= ~(std::uint64_t{1} << at % 64);
    --near_;
    return {now_, warp};
  }

 private:
  using Turn = std::pair<Cycle, std::uint32_t>;
  static constexpr std::size_t slots = 1024;
  static constexpr Cycle window = slots;
  static std::size_t slot(Cycle turn) { return static_cast<std::size_t>(turn) % slots; }

  void advance_to(Cycle now) {
    now_ = now;
    while (!far_.empty() && far_.top().first < now_ + window) {
      const auto [turn, warp] = far_.top();
      far_.pop();
      add(turn, warp);
    }
  }

  // The first slot from now on that has a warp: in the word of `now_`, in those behind it, in those before it.
  std::size_t next_slot() const {
    const std::size_t first = slot(now_);
    const std::uint64_t rest = words_[first / 64] >> first % 64 << first % 64;
    if (rest != 0) return first / 64 * 64 + static_cast<std::size_t>(std::countr_zero(rest));
    std::size_t word = first / 64;
    do word = (word + 1) % words_.size();
    while (words_[word] == 0);
    return word * 64 + static_cast<std::size_t>(std::countr_zero(words_[word]));
  }

  Cycle now_ = 0;
  std::size_t near_ = 0;
  std::array<std::uint64_t, slots> sets_{};
  std::array<std::uint64_t, slots / 64> words_{};
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> far_;
};

}  // namespace tilescope::model
