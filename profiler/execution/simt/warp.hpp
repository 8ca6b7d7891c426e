#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/program.hpp"

/// The state that instructions act on.
namespace tilescope::simt {

class Block;
class AsyncCopies;
class CallStack;
struct WarpState;

/// Lanes of a warp at one instruction. A warp that has not diverged has one fragment.
struct Fragment {
  enum class State : std::uint8_t {
    ready,
    at_block_barrier,
    at_warp_barrier,
    at_warp_wide,
    /// See Flow::converge and Flow::warp_converge.
    at_convergence,
    at_warp_convergence,
  };
  /// Index into Program::code.
  std::uint32_t at = 0;
  LaneMask lanes = 0;
  State state = State::ready;
  /// The number of the block barrier at which it waits.
  std::uint8_t barrier = 0;

  bool operator==(const Fragment&) const = default;
};

class Warp {
 public:
  /// `registers` and `constants` outlive the warp: the warp's register file, and the end of the program's constants.
  Warp(Block& block, int index, LaneMask lanes, std::byte* registers, const std::byte* constants);
  ~Warp();
  Warp(Warp&&) noexcept;

  /// The lanes that the current instruction acts on.
  LaneMask exec = 0;
  /// The carry flag of add.cc, sub.cc and the like, one bit per lane: see integer_carry.cpp.
  LaneMask carry = 0;

  /// The 32 lanes of a register. For a predicate see mask().
  template <class T>
  const T* read(Slot slot) const {
    return reinterpret_cast<const T*>((slot < 0 ? constants_ : registers_) +
                                      static_cast<std::ptrdiff_t>(slot) *
                                          static_cast<std::ptrdiff_t>(slot_bytes));
  }
  template <class T>
  T* write(Slot slot) {
    return reinterpret_cast<T*>(registers_ + static_cast<std::size_t>(slot) * slot_bytes);
  }
  LaneMask mask(Slot predicate) const { return *read<LaneMask>(predicate); }
  /// Sets a predicate in the lanes of exec.
  void set_mask(Slot predicate, LaneMask value) {
    LaneMask& word = *write<LaneMask>(predicate);
    word = (word & ~exec) | (value & exec);
  }
  /// The slots of an instruction's further operands.
  const Slot* operands(const Instruction& instruction) const;

  Block& block() const { return *block_; }
  /// In the block.
  int index() const { return index_; }
  /// Lanes that have not exited.
  LaneMask live() const { return live_; }
  std::uint32_t first_thread() const { return static_cast<std::uint32_t>(index_) * lane_count; }
  /// Made at the first call.
  AsyncCopies& async_copies();
  /// Made at the first call.
  CallStack& call_stack();
  void exit(LaneMask lanes);
  /// nullptr where it never copied.
  const AsyncCopies* async_copies_if_any() const { return async_copies_.get(); }
  /// All but its registers: see BlockState.
  WarpState state() const;
  void set_state(const WarpState& state);

  /// The live lanes, maintained by the interpreter's loop.
  std::vector<Fragment> fragments;

 private:
  std::byte* registers_ = nullptr;
  const std::byte* constants_ = nullptr;
  Block* block_ = nullptr;
  int index_ = 0;
  LaneMask live_ = 0;
  std::unique_ptr<AsyncCopies> async_copies_;
  std::unique_ptr<CallStack> call_stack_;
};

/// The `lanes` for which an instruction's guard is true.
inline LaneMask guarded(const Warp& warp, const Instruction& at, LaneMask lanes) {
  if (at.guard == no_slot) return lanes;
  const LaneMask guard = warp.mask(at.guard);
  return lanes & (at.guard_negated ? ~guard : guard);
}

/// The `lanes` for which the predicate of a control instruction beside its guard is true (`@!P0 EXIT P1`): `c`, negated
/// where `count` is 1.
inline LaneMask where_condition(const Warp& warp, const Instruction& at, LaneMask lanes) {
  if (at.c == no_slot) return lanes;
  return lanes & (at.count != 0 ? ~warp.mask(at.c) : warp.mask(at.c));
}

/// The lowest lane of a mask that is not empty.
inline int first_lane(LaneMask lanes) {
  return std::countr_zero(lanes);
}

/// Ends the block: thrown by handlers, caught by the interpreter's loop.
struct BlockFault {
  Fault fault;
};

}  // namespace tilescope::simt
