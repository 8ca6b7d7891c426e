#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "profiler/execution/sass/operand.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::sass {

/// Places of the registers of machine code in a warp's register file: R0, R1 ... one after the other, two slots each, so
/// that the next register of a pair or a vector is two slots on. Then uniform registers, as 32 equal lanes, convergence
/// barriers (the mask of their lanes, in each lane), predicates and uniform predicates.
class RegisterSlots {
 public:
  /// From one register of a vector to the next.
  static constexpr simt::Slot step = 2;

  /// `registers` of a thread, R0 up.
  explicit RegisterSlots(int registers) : registers_(registers) {}

  /// RZ, URZ and PT have places that are written only: reads of them are constants.
  simt::Slot reg(int index) const { return index == zero_register ? sink() : step * index; }
  simt::Slot uniform(int index) const { return index == zero_uniform ? sink() : step * (registers_ + index); }
  simt::Slot barrier(int index) const { return step * (registers_ + zero_uniform + index); }
  simt::Slot predicate(int index) const {
    return index == true_predicate ? sink() : first_predicate() + index;
  }
  simt::Slot uniform_predicate(int index) const {
    return index == true_predicate ? sink() : first_predicate() + true_predicate + index;
  }
  /// Where bar.red leaves its count, and its predicate, for B2R.
  simt::Slot barrier_count() const { return first_predicate() + 2 * true_predicate; }
  simt::Slot barrier_predicate() const { return barrier_count() + step; }
  /// Four registers that take writes to RZ.
  simt::Slot sink() const { return barrier_predicate() + 1; }
  /// In all
  std::uint32_t slots() const { return static_cast<std::uint32_t>(sink() + 4 * step); }

  int registers() const { return registers_; }

 private:
  simt::Slot first_predicate() const { return step * (registers_ + zero_uniform + 16); }

  int registers_;
};

/// Constants of a program: values that all lanes share and that no instruction writes.
class ConstantSlots {
 public:
  /// Four zeros, one after the other, so that RZ can be read as a pair or a vector.
  ConstantSlots();

  simt::Slot zero() const { return zero_; }
  simt::Slot value(std::uint32_t bits);
  /// Two words, the low one first.
  simt::Slot value64(std::uint64_t bits);
  /// All lanes, or none.
  simt::Slot predicate(bool value);
  /// `words` 32-bit words of a constant bank from `offset` [B], which the launch or the module gives.
  simt::Slot bank_words(std::uint32_t bank, std::uint32_t offset, int words);

  /// As Program::constants.
  std::vector<std::byte> pool() const;
  const std::vector<simt::LaunchConstant>& of_launch() const { return of_launch_; }

 private:
  simt::Slot add(const std::vector<std::uint32_t>& words);

  /// By their distance from the pool's end, in words.
  std::vector<std::pair<simt::Slot, std::uint32_t>> words_;
  std::map<std::vector<std::uint32_t>, simt::Slot> known_;
  /// By bank, offset and number of words.
  std::map<std::tuple<std::uint32_t, std::uint32_t, int>, simt::Slot> known_of_launch_;
  std::vector<simt::LaunchConstant> of_launch_;
  simt::Slot next_ = 0;
  simt::Slot zero_ = 0;
};

}  // namespace tilescope::sass
