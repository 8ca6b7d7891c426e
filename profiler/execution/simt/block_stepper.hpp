#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "profiler/execution/simt/block_runner.hpp"

namespace tilescope::simt {

/// One thread block of PTX that can be stopped before any instruction, forwards and backwards. Its warps run side by
/// side (WarpOrder), so that a stop is a place in one order: slot n is reached when n instructions were issued. Slots are
/// an order, not a time.
class BlockStepper {
 public:
  struct Limits {
    /// A block that does not end is stepped up to here.
    std::uint64_t slots = 16'000'000;
    /// [B] of snapshots and of what the block overwrote in global memory.
    std::uint64_t bytes = std::uint64_t{256} << 20;
    /// Between two snapshots, until they are thinned out.
    std::uint64_t interval = 1024;
  };

  /// All must outlive the stepper, and global memory is the stepper's alone. Throws what simt::run throws.
  BlockStepper(const Program& program, const Launch& launch, GlobalMemory& memory, std::uint64_t block,
               Limits limits, std::function<bool()> cancelled = {});
  ~BlockStepper();
  BlockStepper(const BlockStepper&) = delete;
  BlockStepper& operator=(const BlockStepper&) = delete;

  /// To be called first, once. Runs the block to its end and keeps what was issued, and snapshots; then stands at slot 0.
  /// `listener` hears the accesses, barriers and probes; meanwhile slot() is the number of the instruction that is being
  /// issued. Throws RunCancelled.
  void record(Observer* listener = nullptr);

  /// Instructions that the block issues until it ends, faults, or reaches a limit.
  std::uint64_t slots() const { return issued_at_.size(); }
  /// Fault that ended it, at slot slots().
  const std::optional<Fault>& fault() const { return fault_; }
  /// The limit that it was cut off at, a sentence; "" where it ended.
  const std::string& cut_off() const { return cut_off_; }
  /// The instruction issued at `slot`, which is less than slots().
  Issue issue(std::uint64_t slot) const;
  std::uint32_t code_of(std::uint64_t slot) const { return issued_at_[slot]; }
  std::uint32_t warp_of(std::uint64_t slot) const { return issued_by_[slot]; }
  /// Rounds so far before `slot`, at most slots().
  std::uint64_t round_of(std::uint64_t slot) const;
  std::uint64_t rounds() const { return round_starts_.size(); }
  /// The first slot of a round, slots() for rounds().
  std::uint64_t first_slot(std::uint64_t round) const;

  /// Where it stands.
  std::uint64_t slot() const { return slot_; }
  /// To any slot up to slots().
  void go_to(std::uint64_t slot);
  /// Runs the block once more from its start to its end, heard by `listener`, and stands at its end.
  void replay(Observer& listener);
  /// The block at slot(), with the launch's global memory as it was then.
  const Block& block() const { return runner_->block(); }
  const BlockCounts& counts() const { return runner_->counts(); }
  BlockState state() const { return runner_->state(); }

  std::size_t snapshot_count() const { return snapshots_.size(); }
  /// Slots between two snapshots: more than Limits::interval where they were thinned out.
  std::uint64_t interval() const { return interval_; }
  /// [B] of snapshots and of overwritten global memory.
  std::uint64_t bytes() const;

 private:
  class Journal;
  struct Snapshot {
    std::uint64_t slot = 0;
    std::size_t journal_entries = 0;
    BlockState state;
  };

  bool record_one();
  void keep_snapshot();
  void thin_out();

  RunOptions options_;
  Limits limits_;
  std::uint64_t interval_ = 0;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<BlockRunner> runner_;
  std::vector<std::uint32_t> issued_at_;     // by slot, into Program::code
  std::vector<std::uint8_t> issued_by_;      // by slot, the warp
  std::vector<std::uint64_t> round_starts_;  // by round, its first slot
  std::vector<Snapshot> snapshots_;          // ascending; the first is of slot 0
  std::uint64_t snapshot_bytes_ = 0;
  std::uint64_t slot_ = 0;
  std::optional<Fault> fault_;
  std::string cut_off_;
};

}  // namespace tilescope::simt
