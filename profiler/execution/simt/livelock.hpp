#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "profiler/execution/simt/block.hpp"

namespace tilescope::simt {

/// Finds a block that makes no progress: each warp waits, or comes back to a state that it was in when all its lanes have
/// had their turn, and memory does not change. Then it never will: what a warp does follows from its registers and from
/// memory. PTX whose lanes run in several places is not judged, since they take turns too rarely there. A kernel that reads a clock is
/// not watched, since the clock ends its loops.
///
/// A look takes some rounds of short turns and happens rarely, so that it costs nothing where blocks end.
class LivelockWatch {
 public:
  void begin_block();
  bool is_looking() const { return stage_ != Stage::idle; }
  /// How many instructions a warp executes before the next warp does.
  std::uint64_t turn() const { return stage_ == Stage::idle ? long_turn : short_turn; }
  /// To be called when each warp has had its turn. `barriers`: arrivals at block barriers so far. Returns true when the block
  /// makes no progress.
  bool round_is_over(const Block& block, std::uint64_t barriers);

  /// [warp instructions] Long enough that a warp with work reaches its next barrier in it.
  /// Of a look, for BlockRunner::patience_: the lanes of machine code that have diverged change after each basic block.
  static constexpr std::uint32_t short_patience = 2;
  static constexpr std::uint64_t long_turn = 1'000'000, short_turn = 500;

 private:
  enum class Stage : std::uint8_t { idle, warps, memory };

  void begin(Stage stage, const Block& block, std::uint64_t barriers);
  bool all_repeat(const Block& block);

  Stage stage_ = Stage::idle;
  /// By Block::clock.
  std::uint64_t next_look_ = 0;
  int rounds_ = 0;
  std::uint64_t barriers_ = 0, live_threads_ = 0, memory_ = 0;
  /// By warp: its states of this look, and whether one came twice.
  std::vector<std::unordered_set<std::uint64_t>> states_;
  std::vector<char> repeats_;
};

/// The accesses of spinning warps.
class WaitObserver : public Observer {
 public:
  void access(const Warp& warp, const MemoryAccess& access) override;
  /// The fault of a block whose warps did nothing but these accesses.
  Fault fault(const Block& block) const;
  using Observer::fault;

 private:
  struct Wait {
    const Instruction* instruction = nullptr;
    std::uint32_t thread = 0;
    Space space = Space::global;
    std::uint64_t address = 0;
    std::uint8_t bytes = 0;
    bool is_atomic = false;
  };
  Wait wait_;
};

}  // namespace tilescope::simt
