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
  /// Later than any turn; small multiples of it are Cycles.
  static constexpr Cycle never = std::numeric_limits<Cycle>::max() / 8;

  /// A gate that a warp waits for beside its own results: a unit of the quarter, either half of the FMA pipe, or nothing.
  using Gate = std::uint8_t;
  static constexpr Gate no_gate = unit_count, either_fma = unit_count + 1;

  struct Waiting {
    /// The cycle in which its results are there.
    Cycle turn = 0;
    /// Its block among those that the SM started.
    std::uint32_t block = 0;
    std::uint16_t warp = 0;
    Gate gate = no_gate;
  };

  struct Issue {
    Waiting waiting;
    Cycle cycle = 0;
    /// [cycles] of the wait since its turn in which other warps issued, or all of it where no gate was shut.
    Cycle others = 0;
  };

  void add(const Waiting& one) {
    if (vacant_ == count_ || waiting_[vacant_].warp != one.warp) make_place(one.warp);
    waiting_[vacant_] = one;
    ages_[vacant_] = age_of(one);
    vacant_ = count_;
    is_chosen_ = false;
  }

  /// A gate is shut until that cycle.
  void shut(Gate gate, Cycle until) {
    gates_[gate] = until;
    is_chosen_ = false;
  }

  /// The gate of a pipe, and with it either_fma.
  void shut_pipe(Unit unit, Cycle until) {
    shut(static_cast<Gate>(unit), until);
    gates_[either_fma] =
        std::min(gates_[static_cast<Gate>(Unit::fma_light)], gates_[static_cast<Gate>(Unit::fma_heavy)]);
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
    if (vacant_ != count_) chosen_ -= close_place(chosen_);
    vacant_ = chosen_;
    waiting_[vacant_].turn = never;
    is_chosen_ = false;
    const Cycle waited = next_ - taken.turn;
    const bool was_shut = waited > 0 && gates_[taken.gate] > taken.turn;
    const Issue issue{taken, next_, was_shut ? std::min(waited, issued_since(taken.turn)) : waited};
    history_ = (next_ - last_ < 64 ? history_ << (next_ - last_) : 0) | 1u;
    last_ = next_;
    free_ = std::max(free_, static_cast<double>(next_)) + slots;
    return issue;
  }

 private:
  // The only branch is the loop's: which warp comes first could not be foreseen. Rank and age are compared as one number,
  // whose comparison takes fewer cycles than two.
  void choose() {
    is_chosen_ = true;
    // Sums of parts of a slot are a little less than one.
    const auto free = static_cast<Cycle>(free_ + 1e-6);
    using Key = unsigned __int128;
    Key least = Key{2 * never} << 64;
    std::size_t first = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const Cycle turn = waiting_[i].turn;
      const Cycle possible = std::max(std::max(turn, free), gates_[waiting_[i].gate]);
      // A warp whose turn has come before goes first.
      const auto rank = static_cast<std::uint64_t>(2 * possible + static_cast<Cycle>(turn == possible));
      const Key key = Key{rank} << 64 | static_cast<std::uint64_t>(ages_[i]);
      first = key < least ? i : first;
      least = key < least ? key : least;
    }
    chosen_ = first;
    next_ = static_cast<Cycle>(least >> 65);
  }

  // Orders warps by their blocks, and a block's warps by their turns, which are below 2^40.
  static Cycle age_of(const Waiting& one) { return (static_cast<Cycle>(one.block) << 40) + one.turn; }

  // Makes a vacant place for a warp.
  void make_place(std::uint16_t warp) {
    close_place(0);
    std::size_t place = count_++;
    for (; place > 0 && waiting_[place - 1].warp > warp; --place) {
      copy_place(place - 1, place);
    }
    vacant_ = place;
  }

  void copy_place(std::size_t from, std::size_t to) {
    waiting_[to] = waiting_[from];
    ages_[to] = ages_[from];
  }

  // By how much the number of a place falls when the vacant one, if any, is closed.
  std::size_t close_place(std::size_t number) {
    if (vacant_ == count_) return 0;
    const std::size_t fallen = number > vacant_ ? 1 : 0;
    for (std::size_t place = vacant_ + 1; place < count_; ++place) {
      copy_place(place, place - 1);
    }
    vacant_ = --count_;
    return fallen;
  }

  // The cycles from `turn` on in which anything was issued; of a long time, of the last 64 alone.
  Cycle issued_since(Cycle turn) const {
    const Cycle cycles = last_ - turn + 1;
    if (cycles <= 0) return 0;
    return std::popcount(cycles < 64 ? history_ & ((std::uint64_t{1} << cycles) - 1) : history_);
  }

  // Places of warps, of which the last one that issued leaves its own vacant; count_ where no place is vacant.
  std::size_t count_ = 0, vacant_ = 0, chosen_ = 0;
  bool is_chosen_ = true;
  Cycle next_ = never, last_ = 0;
  double free_ = 0;
  // Bit i: whether anything was issued i cycles before `last_`.
  std::uint64_t history_ = 0;
  std::array<Cycle, unit_count + 2> gates_{};
  // By the numbers of their warps, which decide between equal ages.
  std::array<Waiting, most_warps_of_sm> waiting_;
  std::array<Cycle, most_warps_of_sm> ages_{};
};

}  // namespace tilescope::model
