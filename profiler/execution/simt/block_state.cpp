#include "profiler/execution/simt/block_state.hpp"

#include <algorithm>
#include <memory>

#include "profiler/execution/simt/block_runner.hpp"

// How a block is kept and brought back: between two instructions of BlockRunner::step.
namespace tilescope::simt {

std::size_t BlockState::bytes() const {
  std::size_t sum = sizeof(BlockState) + registers.size() + shared.size() + local.size();
  sum +=
      (counts.executions.size() + counts.lanes.size() + counts.guarded_lanes.size()) * sizeof(std::uint64_t);
  for (const BlockBarrier& barrier : barriers)
    sum += (barrier.arrived_lanes.size() + barrier.reduction.size()) * sizeof(LaneMask);
  for (const WarpState& warp : warps) {
    sum += sizeof(WarpState) + warp.fragments.size() * sizeof(Fragment);
    if (warp.async_copies) sum += warp.async_copies->pending_count() * sizeof(AsyncCopies::Copy);
    if (warp.call_stack) sum += sizeof(CallStack);
  }
  return sum;
}

WarpState Warp::state() const {
  WarpState state{exec, carry, live_, fragments, std::nullopt, std::nullopt};
  if (async_copies_) state.async_copies = *async_copies_;
  if (call_stack_) state.call_stack = *call_stack_;
  return state;
}

void Warp::set_state(const WarpState& state) {
  exec = state.exec;
  carry = state.carry;
  live_ = state.live;
  fragments = state.fragments;
  async_copies_ = state.async_copies ? std::make_unique<AsyncCopies>(*state.async_copies) : nullptr;
  call_stack_ = state.call_stack ? std::make_unique<CallStack>(*state.call_stack) : nullptr;
}

BlockState BlockRunner::state() const {
  BlockState state;
  state.registers = registers_;
  state.shared = shared_;
  state.local = local_;
  state.warps.reserve(block_.warps.size());
  for (const Warp& warp : block_.warps) state.warps.push_back(warp.state());
  state.barriers = block_.barriers;
  state.clock = block_.clock;
  state.counts = counts_;
  state.turn = turn_;
  state.patience = patience_;
  state.others_turn = others_turn_;
  state.barrier_may_be_complete = barrier_may_be_complete_;
  return state;
}

// Copies into the vectors that are there: warps and spans point into them.
void BlockRunner::set_state(const BlockState& state) {
  std::ranges::copy(state.registers, registers_.begin());
  std::ranges::copy(state.shared, shared_.begin());
  std::ranges::copy(state.local, local_.begin());
  for (std::size_t w = 0; w < state.warps.size(); ++w) block_.warps[w].set_state(state.warps[w]);
  block_.barriers = state.barriers;
  block_.clock = state.clock;
  counts_ = state.counts;
  turn_ = state.turn;
  patience_ = state.patience;
  others_turn_ = state.others_turn;
  barrier_may_be_complete_ = state.barrier_may_be_complete;
}

}  // namespace tilescope::simt
