#include "profiler/execution/simt/block_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace tilescope::simt {
namespace {

constexpr std::uint64_t slots_between_cancel_checks = 65'536;

bool stores(Access access) {
  return access == Access::store || access == Access::matrix_store || is_atomic(access);
}

}  // namespace

/// Records the block's writes to global memory, so that they can be undone and redone, and passes events on.
/// An applied entry holds the bytes before the write, an undone one the bytes after it.
class BlockStepper::Journal : public Observer {
 public:
  explicit Journal(const GlobalMemory& memory) : memory_(memory) {}

  void listen(Observer* listener) { listener_ = listener; }
  /// Entries that are done.
  std::size_t done() const { return done_; }
  std::uint64_t bytes() const { return entries_.size() * sizeof(Entry) + bytes_.size(); }

  void go_to(std::size_t done) {
    while (done_ > done) swap(entries_[--done_]);
    while (done_ < done) swap(entries_[done_++]);
  }

  void begin_block(const Block& block) override {
    if (listener_ != nullptr) listener_->begin_block(block);
  }
  void access(const Warp& warp, const MemoryAccess& access) override {
    if (access.space == Space::global && stores(access.access)) keep(access);
    if (listener_ != nullptr) listener_->access(warp, access);
  }
  void barrier_arrival(const Warp& warp, int barrier, LaneMask lanes) override {
    if (listener_ != nullptr) listener_->barrier_arrival(warp, barrier, lanes);
  }
  void block_barrier(const Block& block, int barrier, std::span<const LaneMask> arrived,
                     std::span<const LaneMask> released) override {
    if (listener_ != nullptr) listener_->block_barrier(block, barrier, arrived, released);
  }
  void probe(const Warp& warp, const Probe& probe) override {
    if (listener_ != nullptr) listener_->probe(warp, probe);
  }

 private:
  struct Entry {
    std::byte* at = nullptr;
    std::size_t first = 0;  // into bytes_
    std::uint32_t bytes = 0;
  };

  void swap(const Entry& entry) {
    std::swap_ranges(entry.at, entry.at + entry.bytes, bytes_.data() + entry.first);
  }

  void keep(const MemoryAccess& access) {
    for (LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const std::uint64_t address = access.addresses[std::countr_zero(rest)];
      const Allocation* allocation = memory_.find(address, access.lane_bytes);
      if (allocation == nullptr || allocation->read_only) continue;  // a fault, which writes nothing
      std::byte* at = allocation->data + (address - allocation->address);
      if (done_ == entries_.size()) {
        entries_.push_back({at, bytes_.size(), access.lane_bytes});
        bytes_.resize(bytes_.size() + access.lane_bytes);
      }
      std::copy_n(at, access.lane_bytes, bytes_.data() + entries_[done_].first);
      ++done_;
    }
  }

  const GlobalMemory& memory_;
  Observer* listener_ = nullptr;
  std::vector<Entry> entries_;
  std::vector<std::byte> bytes_;
  std::size_t done_ = 0;
};

BlockStepper::BlockStepper(const Program& program, const Launch& launch, GlobalMemory& memory,
                           std::uint64_t block, Limits limits, std::function<bool()> cancelled)
    : limits_(limits), interval_(limits.interval), journal_(std::make_unique<Journal>(memory)) {
  prepare_launch(program, launch, memory);
  if (block >= launch.grid.count()) {
    throw std::invalid_argument(fmt::format("block {} is not in a grid of {}", block, launch.grid.count()));
  }
  options_.instructions_per_block = UINT64_MAX;
  options_.cancelled = std::move(cancelled);
  runner_ = std::make_unique<BlockRunner>(program, launch, memory, options_, journal_.get());
  runner_->begin(block);
}

BlockStepper::~BlockStepper() = default;

void BlockStepper::record(Observer* listener) {
  journal_->listen(listener);
  journal_->begin_block(runner_->block());
  try {
    while (record_one()) {
    }
  } catch (BlockFault& caught) {
    const Dimensions& index = runner_->block().index;
    caught.fault.block = {index.x, index.y, index.z};
    fault_ = std::move(caught.fault);
    // Stands inside an instruction, which is not executed: what it did is not kept.
    slot_ = UINT64_MAX;
  }
  journal_->listen(nullptr);
  go_to(0);
}

bool BlockStepper::record_one() {
  if (slot_ % interval_ == 0) keep_snapshot();
  if (slot_ == limits_.slots) {
    cut_off_ = fmt::format("the block has not ended after {} instructions", limits_.slots);
    return false;
  }
  if (journal_->bytes() > limits_.bytes / 2) {
    cut_off_ = fmt::format("the block overwrites more than {} MB of global memory", limits_.bytes / 2 >> 20);
    return false;
  }
  if (slot_ % slots_between_cancel_checks == 0 && options_.cancelled && options_.cancelled())
    throw RunCancelled{};
  const std::optional<Issue> issue = runner_->step();
  if (!issue) return false;
  if (issue->round == round_starts_.size()) round_starts_.push_back(slot_);
  issued_at_.push_back(issue->at);
  issued_by_.push_back(static_cast<std::uint8_t>(issue->warp));
  ++slot_;
  return true;
}

void BlockStepper::keep_snapshot() {
  snapshots_.push_back({slot_, journal_->done(), runner_->state()});
  snapshot_bytes_ += snapshots_.back().state.bytes();
  while (bytes() > limits_.bytes && snapshots_.size() > 2) thin_out();
}

// Every second one goes; the first stays.
void BlockStepper::thin_out() {
  interval_ *= 2;
  std::erase_if(snapshots_, [this](const Snapshot& snapshot) { return snapshot.slot % interval_ != 0; });
  snapshot_bytes_ = 0;
  for (const Snapshot& snapshot : snapshots_) snapshot_bytes_ += snapshot.state.bytes();
}

std::uint64_t BlockStepper::bytes() const {
  return snapshot_bytes_ + journal_->bytes();
}

Issue BlockStepper::issue(std::uint64_t slot) const {
  return {issued_by_[slot], issued_at_[slot], round_of(slot)};
}

std::uint64_t BlockStepper::round_of(std::uint64_t slot) const {
  if (slot >= slots()) return rounds();
  return static_cast<std::uint64_t>(std::ranges::upper_bound(round_starts_, slot) - round_starts_.begin()) -
         1;
}

std::uint64_t BlockStepper::first_slot(std::uint64_t round) const {
  return round < rounds() ? round_starts_[round] : slots();
}

void BlockStepper::go_to(std::uint64_t slot) {
  slot = std::min(slot, slots());
  const Snapshot& nearest = *std::prev(std::ranges::upper_bound(snapshots_, slot, {}, &Snapshot::slot));
  if (slot_ > slot || slot_ < nearest.slot) {
    journal_->go_to(nearest.journal_entries);
    runner_->set_state(nearest.state);
    slot_ = nearest.slot;
  }
  while (slot_ < slot && runner_->step()) ++slot_;
}

void BlockStepper::replay(Observer& listener) {
  go_to(0);
  journal_->listen(&listener);
  while (slot_ < slots() && runner_->step()) ++slot_;
  journal_->listen(nullptr);
}

}  // namespace tilescope::simt
