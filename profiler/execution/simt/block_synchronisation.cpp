#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "profiler/execution/simt/block_runner.hpp"

// How lanes wait for each other: barriers of the block and of the warp, and instructions of a whole warp.
namespace tilescope::simt {

// Fragments that wait at the same warp-wide instruction become one; it goes on when all lanes of its mask are in it.
bool BlockRunner::release_warp_wide(Warp& warp) const {
  auto& fragments = warp.fragments;
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    if (fragments[i].state != Fragment::State::at_warp_wide) continue;
    for (std::size_t j = fragments.size(); j-- > i + 1;) {
      if (fragments[j].state != Fragment::State::at_warp_wide || fragments[j].at != fragments[i].at) continue;
      fragments[i].lanes |= fragments[j].lanes;
      fragments.erase(fragments.begin() + static_cast<std::ptrdiff_t>(j));
    }
    const Instruction& at = program_.code[fragments[i].at];
    const LaneMask exec = guarded(warp, at, fragments[i].lanes);
    const LaneMask members = warp.read<LaneMask>(at.a)[first_lane(exec)];
    if ((members & warp.live() & ~exec) != 0) continue;
    fragments[i].state = Fragment::State::ready;
    return true;
  }
  return false;
}

// bar.warp.sync counts lanes at any bar.warp.sync: each arm of a branch may have its own.
bool BlockRunner::release_warp_barrier(Warp& warp) {
  LaneMask waiting = 0;
  for (const Fragment& fragment : warp.fragments) {
    if (fragment.state == Fragment::State::at_warp_barrier) waiting |= fragment.lanes;
  }
  if (waiting == 0) return false;
  LaneMask released = 0;
  for (Fragment& fragment : warp.fragments) {
    if (fragment.state != Fragment::State::at_warp_barrier) continue;
    const LaneMask members = warp.read<LaneMask>(program_.code[fragment.at].a)[first_lane(fragment.lanes)];
    if ((members & warp.live() & ~waiting) != 0) continue;
    fragment.state = Fragment::State::ready;
    ++fragment.at;
    released |= fragment.lanes;
  }
  if (released != 0 && block_.observer != nullptr) block_.observer->warp_barrier(warp, released);
  return released != 0;
}

bool BlockRunner::release_waiting(Warp& warp) {
  if (program_.is_machine_code) {
    return release_convergence(warp, Fragment::State::at_convergence, false) ||
           release_convergence(warp, Fragment::State::at_warp_convergence, false) ||
           release_convergence(warp, Fragment::State::at_convergence, true);
  }
  return release_warp_wide(warp) || release_warp_barrier(warp);
}

bool BlockRunner::warp_wide_waits(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at) {
  const LaneMask members = warp.read<LaneMask>(at.a)[first_lane(exec)];
  if ((members & warp.live() & ~exec) == 0) return false;
  warp.fragments[index].at = address_of(at);
  warp.fragments[index].state = Fragment::State::at_warp_wide;
  return true;
}

// The fragment stays at the instruction; lanes that the guard switches off continue in a fragment of their own.
Fragment& BlockRunner::stop_at(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at) const {
  const std::uint32_t address = address_of(at);
  const LaneMask others = warp.fragments[index].lanes & ~exec;
  if (others != 0) warp.fragments.push_back({address + 1, others, Fragment::State::ready, 0});
  Fragment& fragment = warp.fragments[index];
  fragment.at = address;
  fragment.lanes = exec;
  return fragment;
}

bool BlockRunner::warp_barrier_waits(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at) {
  if (block_.observer != nullptr) block_.observer->member_mask(warp, at, exec);
  const LaneMask members = warp.read<LaneMask>(at.a)[first_lane(exec)];
  if ((members & warp.live() & ~exec) == 0) {
    if (block_.observer != nullptr) block_.observer->warp_barrier(warp, exec);
    return false;
  }
  stop_at(warp, index, exec, at).state = Fragment::State::at_warp_barrier;
  return true;
}

bool BlockRunner::block_barrier_waits(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at) {
  const std::uint32_t number = at.a == no_slot ? static_cast<std::uint32_t>(at.immediate)
                                               : warp.read<std::uint32_t>(at.a)[first_lane(exec)];
  if (number >= block_.barriers.size()) {
    throw BlockFault{{FaultKind::trap,
                      at.origin,
                      {},
                      warp.first_thread() + static_cast<std::uint32_t>(first_lane(exec)),
                      0,
                      "barrier " + std::to_string(number) + " at " + describe_place(program_, at) +
                          ": a block has barriers 0 to 15"}};
  }
  const LaneMask others = warp.live() & ~exec;
  if (at.width != 0 && others != 0 && block_.observer != nullptr &&
      (others & ~leaving_lanes(warp, at)) != 0) {
    block_.observer->divergent_barrier(warp, at, exec);
  }
  arrive(warp, exec, at, number);
  if (static_cast<BarrierForm>(at.flags) == BarrierForm::arrive) return false;
  ++counts_.barriers;
  Fragment& fragment = stop_at(warp, index, exec, at);
  fragment.state = Fragment::State::at_block_barrier;
  fragment.barrier = static_cast<std::uint8_t>(number);
  return true;
}

// Lanes that go on to their exit and meet nothing on the way for which they would wait. A GPU does not wait for them
// (since sm_70), so a kernel may let threads return early, also where they write something first.
LaneMask BlockRunner::leaving_lanes(const Warp& warp, const Instruction& barrier) {
  LaneMask leaving = 0;
  for (const Fragment& fragment : warp.fragments) {
    const bool may_leave =
        fragment.state == Fragment::State::ready || fragment.state == Fragment::State::at_convergence;
    if (may_leave && reach_.leaves(fragment.at, address_of(barrier))) leaving |= fragment.lanes;
  }
  return leaving;
}

void BlockRunner::arrive(Warp& warp, LaneMask lanes, const Instruction& at, std::uint32_t number) {
  BlockBarrier& barrier = block_.barriers[number];
  const auto w = static_cast<std::size_t>(warp.index());
  barrier.expected = at.b == no_slot ? 0 : warp.read<std::uint32_t>(at.b)[first_lane(lanes)];
  barrier.arrived += static_cast<std::uint32_t>(std::popcount(lanes));
  if (at.c != no_slot) {
    const LaneMask value = warp.mask(at.c);
    barrier.reduction[w] = (barrier.reduction[w] & ~lanes) | ((at.count != 0 ? ~value : value) & lanes);
  }
  barrier.arrived_lanes[w] |= lanes;
  barrier_may_be_complete_ = true;
  if (block_.observer != nullptr) block_.observer->barrier_arrival(warp, static_cast<int>(number), lanes);
}

void BlockRunner::complete_barriers() {
  barrier_may_be_complete_ = false;
  std::uint32_t live = 0;
  for (const Warp& warp : block_.warps) live += static_cast<std::uint32_t>(std::popcount(warp.live()));
  for (std::uint32_t number = 0; number < block_.barriers.size(); ++number) {
    const BlockBarrier& barrier = block_.barriers[number];
    if (barrier.arrived == 0) continue;
    if (barrier.arrived >= (barrier.expected == 0 ? live : barrier.expected)) release(number);
  }
}

void BlockRunner::release(std::uint32_t number) {
  BlockBarrier& barrier = block_.barriers[number];
  std::uint32_t true_threads = 0;
  for (std::size_t w = 0; w < block_.warps.size(); ++w) {
    true_threads +=
        static_cast<std::uint32_t>(std::popcount(barrier.reduction[w] & barrier.arrived_lanes[w]));
  }
  std::vector<LaneMask> released(block_.warps.size(), 0);
  for (Warp& warp : block_.warps) {
    for (Fragment& fragment : warp.fragments) {
      if (fragment.state != Fragment::State::at_block_barrier || fragment.barrier != number) continue;
      const Instruction& at = program_.code[fragment.at];
      warp.exec = fragment.lanes;
      const auto form = static_cast<BarrierForm>(at.flags);
      if (form == BarrierForm::red_popc) {
        for (LaneMask rest = fragment.lanes; rest != 0; rest &= rest - 1) {
          warp.write<std::uint32_t>(at.d)[first_lane(rest)] = true_threads;
        }
      } else if (form == BarrierForm::red_and) {
        warp.set_mask(at.d, true_threads == barrier.arrived ? all_lanes : 0);
      } else if (form == BarrierForm::red_or) {
        warp.set_mask(at.d, true_threads != 0 ? all_lanes : 0);
      }
      released[static_cast<std::size_t>(warp.index())] |= fragment.lanes;
      fragment.state = Fragment::State::ready;
      ++fragment.at;
    }
  }
  if (block_.observer != nullptr) {
    block_.observer->block_barrier(block_, static_cast<int>(number), barrier.arrived_lanes, released);
  }
  barrier.arrived = 0;
  std::ranges::fill(barrier.arrived_lanes, 0u);
}

void BlockRunner::deadlock() {
  std::string waits;
  Fault fault{FaultKind::deadlock, no_index, {}, 0, 0, ""};
  for (const Warp& warp : block_.warps) {
    for (const Fragment& fragment : warp.fragments) {
      const Instruction& at = program_.code[fragment.at];
      const std::string place = describe_place(program_, at);
      if (fault.origin == no_index) {
        fault.origin = at.origin;
        fault.thread = warp.first_thread() + static_cast<std::uint32_t>(first_lane(fragment.lanes));
        if (fragment.state == Fragment::State::at_warp_wide) fault.kind = FaultKind::divergent_barrier;
      }
      if (waits.find(place) != std::string::npos) continue;
      waits += (waits.empty() ? "" : ", ") + std::string("threads of warp ") + std::to_string(warp.index()) +
               " at " + place;
    }
  }
  fault.text = "all remaining threads wait for threads that never arrive: " + waits;
  throw BlockFault{std::move(fault)};
}

}  // namespace tilescope::simt
