#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "profiler/explanation/model/instruction_cost.hpp"

namespace tilescope::model {

using Cycle = std::int64_t;

/// Warps that an SM holds at most.
inline constexpr std::size_t most_warps_of_sm = 64;

/// The scheduler of a quarter of an SM: the warps that wait for their turn, and the cycles in which it issues. Of the warps
/// that could issue in a cycle, one of the oldest block does, and of that block's the one that waits longest: on an H200
/// the blocks of an SM end one after the other, and the warps of a block together (hardware/warp_order.cu). A warp whose
/// turn has only come in that cycle lets those go first that wait already, which is assumed.
class WarpScheduler {
 public:
  static constexpr Cycle never = std::numeric_limits<Cycle>::max();

  /// A gate that a warp waits for beside its own results: a unit of the quarter, either half of the FMA pipe, or nothing.
  using Gate = std::uint8_t;
  static constexpr Gate no_gate = unit_count, either_fma = unit_count + 1;

  struct Waiting {
    /// The cycle in which its results are there.
    Cycle turn = 0;
    /// Its block among those that the SM started.
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    Gate gate = no_gate;
  };

  struct Issue {
    Waiting waiting;
    Cycle cycle = 0;
    /// [cycles] of the wait since its turn in which other warps issued, or all of it where no gate was shut.
    Cycle others = 0;
  };

  void add(const Waiting& one) {
    waiting_[count_] = one;
    ++count_;
    is_chosen_ = false;
  }

  /// A gate is shut until that cycle.
  void shut(Gate gate, Cycle until) {
    gates_[gate] = until;
    is_chosen_ = false;
  }

  /// The cycle of the next issue; `never` where no warp waits.
  Cycle next() {
    if (!is_chosen_) choose();
    return next_;
  }

  /// The warp that issues at next(), which must have been asked since the last change.
  std::uint32_t next_warp() const { return waiting_[chosen_].warp; }

  /// Issues it. `slots`: the cycles of the scheduler that its instruction takes on average.
  Issue take(double slots) {
    const Waiting taken = waiting_[chosen_];
    waiting_[chosen_] = waiting_[--count_];
    is_chosen_ = false;
    const Cycle waited = next_ - taken.turn;
    const bool was_shut = gates_[taken.gate] > taken.turn;
    const Issue issue{taken, next_, was_shut ? std::min(waited, issued_since(taken.turn)) : waited};
    history_ = (next_ - last_ < 64 ? history_ << (next_ - last_) : 0) | 1u;
    last_ = next_;
    free_ = std::max(free_, static_cast<double>(next_)) + slots;
    return issue;
  }

 private:
  void choose() {
    is_chosen_ = true;
    next_ = never;
    // Sums of parts of a slot are a little less than one.
    const auto free = static_cast<Cycle>(free_ + 1e-6);
    for (std::size_t i = 0; i < count_; ++i) {
      const Waiting& one = waiting_[i];
      const Cycle possible = std::max({one.turn, gates_[one.gate], free});
      if (possible > next_ || (possible == next_ && !is_before(one, waiting_[chosen_], possible))) continue;
      next_ = possible;
      chosen_ = i;
    }
  }

  // In a cycle in which both could issue.
  static bool is_before(const Waiting& a, const Waiting& b, Cycle cycle) {
    if ((a.turn < cycle) != (b.turn < cycle)) return a.turn < cycle;
    if (a.block != b.block) return a.block < b.block;
    return a.turn != b.turn ? a.turn < b.turn : a.warp < b.warp;
  }

  // The cycles from `turn` on in which anything was issued; of a long time, of the last 64 alone.
  Cycle issued_since(Cycle turn) const {
    const Cycle cycles = last_ - turn + 1;
    if (cycles <= 0) return 0;
    return std::popcount(cycles < 64 ? history_ & ((std::uint64_t{1} << cycles) - 1) : history_);
  }

  std::size_t count_ = 0, chosen_ = 0;
  bool is_chosen_ = true;
  Cycle next_ = never, last_ = 0;
  double free_ = 0;
  // Bit i: whether anything was issued i cycles before `last_`.
  std::uint64_t history_ = 0;
  std::array<Cycle, unit_count + 2> gates_{};
  std::array<Waiting, most_warps_of_sm> waiting_;
};

}  // namespace tilescope::model
