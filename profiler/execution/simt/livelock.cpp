#include "profiler/execution/simt/livelock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "profiler/execution/simt/sparse_memory.hpp"

namespace tilescope::simt {
namespace {

// [warp instructions] of a block before the first look; each further look comes after this many times as many.
constexpr std::uint64_t first_look = 8'000'000, looks_apart = 4;
// States of a loop that a look can tell apart: a spin loop has one or two for each of its basic blocks.
constexpr int most_rounds = 128;
// A round executes at least one basic block of a warp: after so many, each lane has executed some.
constexpr int fewest_rounds = 40;

class Hash {
 public:
  void add(std::uint64_t word) { value_ = (std::rotl(value_, 29) ^ word) * 0x9e37'79b9'7f4a'7c15u; }
  void add(const std::byte* data, std::size_t bytes) {
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, data + at, sizeof word);
      add(word);
    }
    std::uint64_t rest = 0;
    if (at < bytes) std::memcpy(&rest, data + at, bytes - at);
    add(rest);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x51'7cc1'b727'220a;
};

std::uint64_t state_of(const Warp& warp) {
  Hash hash;
  hash.add(warp.read<std::byte>(0), std::size_t{warp.block().program->register_slots} * slot_bytes);
  hash.add(warp.live() | std::uint64_t{warp.carry} << 32);
  // Fragments take turns: their order among themselves is none of the warp's state.
  std::vector<std::uint64_t> fragments;
  for (const Fragment& one : warp.fragments) {
    Hash fragment;
    fragment.add(one.at | std::uint64_t{one.lanes} << 32);
    fragment.add(static_cast<std::uint64_t>(one.state) | std::uint64_t{one.barrier} << 8);
    fragments.push_back(fragment.value());
  }
  std::ranges::sort(fragments);
  for (const std::uint64_t fragment : fragments) hash.add(fragment);
  return hash.value();
}

std::uint64_t memory_of(const Block& block) {
  Hash hash;
  hash.add(block.shared.data(), block.shared.size());
  hash.add(block.local.data(), block.local.size());
  for (const Allocation& allocation : block.global->allocations()) {
    if (allocation.read_only) continue;
    if (!allocation.is_sparse) {
      hash.add(allocation.data, allocation.bytes);
      continue;
    }
    for_each_touched_piece(allocation.data, allocation.bytes,
                           [&](std::uint64_t first, std::span<const std::byte> piece) {
                             hash.add(first);
                             hash.add(piece.data(), piece.size());
                           });
  }
  return hash.value();
}

std::uint64_t live_threads(const Block& block) {
  std::uint64_t live = 0;
  for (const Warp& warp : block.warps) live += static_cast<std::uint64_t>(std::popcount(warp.live()));
  return live;
}

bool runs_in_several_places(const Warp& warp) {
  return std::ranges::count(warp.fragments, Fragment::State::ready, &Fragment::state) > 1;
}

bool reads_clock(const Program& program) {
  return std::ranges::any_of(program.origins, [](const Origin& origin) { return origin.data.reads_clock; });
}

}  // namespace

void LivelockWatch::begin_block() {
  stage_ = Stage::idle;
  next_look_ = first_look;
}

void LivelockWatch::begin(Stage stage, const Block& block, std::uint64_t barriers) {
  stage_ = stage;
  rounds_ = 0;
  barriers_ = barriers;
  live_threads_ = live_threads(block);
  states_.assign(block.warps.size(), {});
  repeats_.assign(block.warps.size(), 0);
  if (stage == Stage::memory) memory_ = memory_of(block);
}

bool LivelockWatch::all_repeat(const Block& block) {
  bool all = true;
  if (!block.program->is_machine_code && std::ranges::any_of(block.warps, runs_in_several_places))
    return false;
  for (std::size_t w = 0; w < block.warps.size(); ++w) {
    if (block.warps[w].live() == 0) continue;
    if (!states_[w].insert(state_of(block.warps[w])).second) repeats_[w] = 1;
    all = all && repeats_[w] != 0;
  }
  return all;
}

bool LivelockWatch::round_is_over(const Block& block, std::uint64_t barriers) {
  if (stage_ == Stage::idle) {
    if (block.clock < next_look_) return false;
    next_look_ = block.clock * looks_apart;
    if (reads_clock(*block.program)) return false;
    begin(Stage::warps, block, barriers);
    return false;
  }
  if (barriers != barriers_ || live_threads(block) != live_threads_) {
    stage_ = Stage::idle;
    return false;
  }
  ++rounds_;
  const bool repeat = all_repeat(block) && rounds_ >= fewest_rounds;
  if (repeat && stage_ == Stage::warps) {
    begin(Stage::memory, block, barriers);
    return false;
  }
  // A block that makes no progress stays under observation, with short turns, until it is described.
  const bool is_found = repeat && memory_of(block) == memory_;
  if (!is_found && (repeat || rounds_ == most_rounds)) stage_ = Stage::idle;
  return is_found;
}

void WaitObserver::access(const Warp& warp, const MemoryAccess& access) {
  const bool reads = access.access == Access::load || is_atomic(access.access);
  const bool is_shared = access.space == Space::shared || access.space == Space::global;
  const bool is_better = wait_.instruction == nullptr || (is_atomic(access.access) && !wait_.is_atomic);
  if (!reads || !is_shared || !is_better) return;
  const int lane = first_lane(access.lanes);
  wait_ = {access.instruction,
           warp.first_thread() + static_cast<std::uint32_t>(lane),
           access.space,
           access.addresses[lane],
           std::min<std::uint8_t>(access.lane_bytes, sizeof(std::uint64_t)),
           is_atomic(access.access)};
}

Fault WaitObserver::fault(const Block& block) const {
  const Program& program = *block.program;
  Fault fault{FaultKind::livelock, no_index, {}, 0, wait_.address, ""};
  if (wait_.instruction == nullptr) {
    const auto spins = std::ranges::find_if(block.warps, [](const Warp& warp) { return warp.live() != 0; });
    const Instruction& at = program.code[spins->fragments.front().at];
    fault.origin = at.origin;
    fault.thread = spins->first_thread() + static_cast<std::uint32_t>(first_lane(spins->live()));
    fault.text = fmt::format("the loop at {} never ends: nothing that decides about its end changes",
                             describe_place(program, at));
    return fault;
  }
  fault.origin = wait_.instruction->origin;
  fault.thread = wait_.thread;
  const bool is_shared = wait_.space == Space::shared;
  const Allocation* allocation = is_shared ? nullptr : block.global->find(wait_.address, wait_.bytes);
  const std::byte* data = is_shared               ? block.shared.data() + wait_.address
                          : allocation != nullptr ? allocation->data + (wait_.address - allocation->address)
                                                  : nullptr;
  std::uint64_t value = 0;
  if (data != nullptr) std::memcpy(&value, data, wait_.bytes);
  const std::string where =
      allocation != nullptr
          ? fmt::format("byte {} of '{}'", wait_.address - allocation->address, allocation->name)
          : fmt::format("byte {} of shared memory", wait_.address);
  fault.text = fmt::format(
      "the loop at {} makes no progress: thread {} of block ({}, {}, {}) waits for another value of {} ({} "
      "bytes, now "
      "{}), and all other threads of the block wait as well or have ended",
      describe_place(program, *wait_.instruction), wait_.thread, block.index.x, block.index.y, block.index.z,
      where, unsigned{wait_.bytes}, value);
  if (!is_shared && block.launch->grid.count() > 1)
    fault.text +=
        ". Blocks are interpreted one after the other: a value that a later block writes never comes, though "
        "a GPU "
        "that runs both at the same time would end";
  return fault;
}

}  // namespace tilescope::simt
