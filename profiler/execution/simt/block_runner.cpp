#include "profiler/execution/simt/block_runner.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "profiler/execution/simt/call_stack.hpp"

namespace tilescope::simt {
namespace {

// Basic blocks that the lowest lanes of a diverged warp may run before the others get their turn. Large enough for any
// real loop to end, and small enough for lanes that spin on a lock held by another lane of their warp.
constexpr std::uint32_t most_patience = 100'000;
constexpr std::uint32_t length_of_a_turn = 1'000;
constexpr std::uint64_t blocks_between_cancel_checks = 4096;

// Puts another observer into a block as long as it lives: a round may end in an exception.
class ObservedBy {
 public:
  ObservedBy(Block& block, Observer& observer)
      : block_(block), before_(std::exchange(block.observer, &observer)) {}
  ~ObservedBy() { block_.observer = before_; }
  ObservedBy(const ObservedBy&) = delete;
  ObservedBy& operator=(const ObservedBy&) = delete;

 private:
  Block& block_;
  Observer* before_;
};

}  // namespace

std::optional<Fault> BlockRunner::run(std::uint64_t linear_index) {
  begin(linear_index);
  std::optional<Fault> fault;
  if (block_.observer != nullptr) block_.observer->begin_block(block_);
  try {
    run_warps();
  } catch (BlockFault& caught) {
    caught.fault.block = {block_.index.x, block_.index.y, block_.index.z};
    fault = std::move(caught.fault);
  }
  if (block_.observer != nullptr) block_.observer->end_block(block_);
  return fault;
}

void BlockRunner::begin(std::uint64_t linear_index) {
  start(linear_index);
  livelock_.begin_block();
  next_stop_ = options_.instructions_per_block;
  patience_ = most_patience;
  others_turn_ = 0;
  turn_ = {};
}

std::optional<Issue> BlockRunner::step() {
  for (;;) {
    if (turn_.next_warp == block_.warps.size()) {
      const bool any_live =
          std::ranges::any_of(block_.warps, [](const Warp& warp) { return warp.live() != 0; });
      if (!any_live) return std::nullopt;
      if (!turn_.any_issued && !release_unreachable_convergence()) deadlock();
      turn_ = {turn_.round + (turn_.any_issued ? 1 : 0), 0, false};
    }
    const std::uint32_t w = turn_.next_warp++;
    const bool has_issued = issue_one(block_.warps[w]);
    if (barrier_may_be_complete_) complete_barriers();
    if (!has_issued) continue;
    turn_.any_issued = true;
    return Issue{w, issued_, turn_.round};
  }
}

// One instruction of the warp; false where all its lanes wait or have exited.
bool BlockRunner::issue_one(Warp& warp) {
  issued_ = no_index;
  while (issued_ == no_index) {
    const std::size_t index = next_to_run(warp);
    if (index < warp.fragments.size()) {
      run_fragment<Mode::single>(warp, index);
    } else if (!release_waiting(warp)) {
      return false;
    }
  }
  return true;
}

void BlockRunner::run_warps() {
  if (options_.warp_order == WarpOrder::side_by_side && options_.schedule_seed == 0) {
    while (step()) {
    }
    return;
  }
  std::vector<std::size_t> order(block_.warps.size());
  for (std::size_t w = 0; w < order.size(); ++w) order[w] = w;
  for (;;) {
    if (options_.schedule_seed != 0) std::ranges::shuffle(order, random_);
    bool any_ran = false, any_live = false;
    if (program_.is_machine_code && livelock_.is_looking())
      patience_ = std::min(patience_, LivelockWatch::short_patience);
    run_round(order, any_ran, any_live);
    if (!any_live) return;
    if (!any_ran && !release_unreachable_convergence()) deadlock();
    if (options_.schedule_seed == 0 && livelock_.round_is_over(block_, counts_.barriers)) livelock(order);
  }
}

void BlockRunner::run_round(const std::vector<std::size_t>& order, bool& any_ran, bool& any_live) {
  for (const std::size_t w : order) {
    any_ran |= run_warp(block_.warps[w]);
    if (barrier_may_be_complete_) complete_barriers();
    any_live |= block_.warps[w].live() != 0;
  }
}

// Observes a last round, in which the warps do again what they did before.
void BlockRunner::livelock(const std::vector<std::size_t>& order) {
  WaitObserver waits;
  bool any_ran = false, any_live = false;
  {
    const ObservedBy observed(block_, waits);
    run_round(order, any_ran, any_live);
  }
  throw BlockFault{waits.fault(block_)};
}

// A warp that spins on a value that another warp of its block writes must not keep that one from its turn.
void BlockRunner::give_turn() {
  next_stop_ = std::min(block_.clock + livelock_.turn(), options_.instructions_per_block);
}

bool BlockRunner::ends_turn(const Warp& warp, const Instruction& at) {
  if (block_.clock >= options_.instructions_per_block) spins(warp, at);
  turn_is_over_ = true;
  return true;
}

// Runs a warp until all its lanes wait or have exited; with a schedule seed also until it is preempted.
bool BlockRunner::run_warp(Warp& warp) {
  bool ran = false;
  if (options_.schedule_seed != 0) {
    until_preempted_ = 1 + static_cast<std::uint32_t>(random_() % 400);
    while (until_preempted_ > 0) {
      const std::size_t index = next_to_run(warp);
      if (index == warp.fragments.size()) {
        if (release_waiting(warp)) continue;
        break;
      }
      ran = true;
      run_fragment<Mode::fuzzing>(warp, index);
    }
    return ran;
  }
  give_turn();
  const bool is_checked = is_following_ != nullptr;
  for (;;) {
    const std::size_t index = next_to_run(warp);
    if (index == warp.fragments.size()) {
      if (release_waiting(warp)) continue;
      return ran;
    }
    ran = true;
    is_checked ? run_fragment<Mode::checked>(warp, index) : run_fragment<Mode::free>(warp, index);
    if (std::exchange(turn_is_over_, false)) return true;
  }
}

// The ready fragment of the lowest rank (of the highest in the others' turn), merged with all fragments at the same
// instruction; fragments.size() when none is ready.
std::size_t BlockRunner::next_to_run(Warp& warp) const {
  auto& fragments = warp.fragments;
  if (program_.is_machine_code) {
    const auto ready = std::ranges::find(fragments, Fragment::State::ready, &Fragment::state);
    return static_cast<std::size_t>(ready - fragments.begin());
  }
  std::size_t best = fragments.size();
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    if (fragments[i].state != Fragment::State::ready) continue;
    if (best == fragments.size()) {
      best = i;
      continue;
    }
    const std::uint32_t rank = program_.rank[fragments[i].at], best_rank = program_.rank[fragments[best].at];
    if (others_turn_ > 0 ? rank > best_rank : rank < best_rank) best = i;
  }
  if (best == fragments.size() || fragments.size() == 1) return best;
  for (std::size_t i = fragments.size(); i-- > best + 1;) {
    if (fragments[i].state != Fragment::State::ready || fragments[i].at != fragments[best].at) continue;
    fragments[best].lanes |= fragments[i].lanes;
    fragments.erase(fragments.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return best;
}

template <BlockRunner::Mode mode>
inline void BlockRunner::execute(Warp& warp, const Instruction& at) {
  if constexpr (mode == Mode::single) {
    if (reports_instructions_) block_.observer->before(warp, at);
  }
  if (follows_values<mode>()) [[unlikely]] {
    follower_->execute(warp, at);
  } else {
    at.execute(warp, at);
  }
  if constexpr (mode == Mode::single) {
    if (reports_instructions_) block_.observer->after(warp, at);
  }
}

template <BlockRunner::Mode mode>
void BlockRunner::run_fragment(Warp& warp, std::size_t index) {
  const Instruction* at = program_.code.data() + warp.fragments[index].at;
  LaneMask lanes = warp.fragments[index].lanes;
  for (;;) {
    if constexpr (mode == Mode::fuzzing) {
      if (--until_preempted_ == 0) {
        warp.fragments[index].at = address_of(*at);
        return;
      }
    }
    if constexpr (mode == Mode::single) {
      if (issued_ != no_index) {
        warp.fragments[index].at = address_of(*at);
        return;
      }
      if (at->flow != Flow::enter_block && at->flow != Flow::probe) issued_ = address_of(*at);
    }
    if (follows_values<mode>()) [[unlikely]]
      follower_->come_to(warp, *at, lanes);
    LaneMask exec = lanes;
    if (at->guard != no_slot) {
      exec = guarded(warp, *at, lanes);
      counts_.guarded_lanes[address_of(*at)] += static_cast<std::uint64_t>(std::popcount(exec));
    }
    if (at->flow == Flow::next) [[likely]] {
      if (exec != 0) {
        warp.exec = exec;
        execute<mode>(warp, *at);
      }
      ++at;
      continue;
    }
    switch (at->flow) {
      case Flow::enter_block:
        if (enter_block(warp, index, *at)) return;
        ++at;
        break;
      case Flow::branch:
        exec = where_condition(warp, *at, exec);
        if (exec == lanes) {
          at = program_.code.data() + at->target;
        } else if (exec == 0) {
          ++at;
        } else {
          return branch(warp, index, exec, *at);
        }
        break;
      case Flow::branch_table:
        return branch_by_table(warp, index, exec, *at);
      case Flow::call:
      case Flow::call_return:
        at = exec == 0 ? at + 1 : call_or_return(warp, index, exec, *at);
        if (at == nullptr) return;
        break;
      case Flow::exit:
        exec = where_condition(warp, *at, exec);
        if (exec != 0) {
          end_lanes(warp, exec);
          warp.fragments[index].lanes = lanes &= ~exec;
          if (lanes == 0) {
            warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(index));
            return;
          }
        }
        ++at;
        break;
      case Flow::warp_wide:
        if (exec != 0) {
          if (warp_wide_waits(warp, index, exec, *at)) {
            issued_ = no_index;  // it is executed when the other lanes have come
            return;
          }
          warp.exec = exec;
          if (block_.observer != nullptr) block_.observer->member_mask(warp, *at, exec);
          execute<mode>(warp, *at);
        }
        ++at;
        break;
      case Flow::warp_barrier:
        if (exec != 0 && warp_barrier_waits(warp, index, exec, *at)) return;
        ++at;
        break;
      case Flow::block_barrier:
        if (exec != 0 && block_barrier_waits(warp, index, exec, *at)) return;
        ++at;
        break;
      case Flow::trap:
        if (exec != 0) {
          throw BlockFault{{FaultKind::trap,
                            at->origin,
                            {},
                            warp.first_thread() + static_cast<std::uint32_t>(first_lane(exec)),
                            0,
                            "the kernel executed a trap at " + describe_place(program_, *at)}};
        }
        ++at;
        break;
      case Flow::uniform:
        if (exec != 0) {
          warp.exec = all_lanes;
          execute<mode>(warp, *at);
        }
        ++at;
        break;
      case Flow::converge:
      case Flow::warp_converge:
        exec = where_condition(warp, *at, exec);
        if (exec != 0 && convergence_waits(warp, index, exec, *at)) return;
        lanes = warp.fragments[index].lanes;
        ++at;
        break;
      case Flow::branch_if_diverged:
        at = branches_if_diverged(warp, lanes, exec, *at) ? program_.code.data() + at->target : at + 1;
        break;
      case Flow::jump:
        exec = where_condition(warp, *at, exec);
        if (exec != 0) return jump(warp, index, exec, *at);
        ++at;
        break;
      case Flow::probe:
        if (exec != 0 && block_.observer != nullptr) {
          warp.exec = exec;
          block_.observer->probe(warp, program_.probes[static_cast<std::size_t>(at->immediate)]);
        }
        ++at;
        break;
      case Flow::next:
        break;
    }
  }
}

// Counts the basic block. Returns true when other lanes of the warp must run first; the fragment then waits here.
bool BlockRunner::enter_block(Warp& warp, std::size_t index, const Instruction& enter) {
  Fragment& fragment = warp.fragments[index];
  const std::uint32_t here = address_of(enter);
  if (program_.is_machine_code) {
    fragment.at = here;
    if (warp.fragments.size() > 1 && yields_explicitly(warp, index)) return true;
  } else if (warp.fragments.size() > 1) {
    fragment.at = here;
    if (others_turn_ > 0) {
      if (--others_turn_ == 0) return true;
    } else if (--patience_ == 0) {
      patience_ = most_patience;
      others_turn_ = length_of_a_turn;
      return true;
    } else if (std::ranges::any_of(warp.fragments, [&](const Fragment& other) {
                 return &other != &fragment && other.state == Fragment::State::ready &&
                        program_.rank[other.at] <= program_.rank[here];
               })) {
      return true;
    }
  }
  if (block_.clock >= next_stop_ && ends_turn(warp, enter)) {
    fragment.at = here;
    return true;
  }
  ++counts_.executions[enter.target];
  counts_.lanes[enter.target] += static_cast<std::uint64_t>(std::popcount(fragment.lanes));
  if (reports_basic_blocks_) {
    warp.exec = fragment.lanes;
    block_.observer->basic_block(warp, enter.target);
  }
  block_.clock += static_cast<std::uint64_t>(enter.immediate);
  if (options_.cancelled && counts_.executions[enter.target] % blocks_between_cancel_checks == 0)
    check_cancelled();
  return false;
}

void BlockRunner::branch(Warp& warp, std::size_t index, LaneMask taken, const Instruction& at) {
  Fragment& fragment = warp.fragments[index];
  fragment.lanes &= ~taken;
  fragment.at = address_of(at) + 1;
  warp.fragments.push_back({at.target, taken, Fragment::State::ready, 0});
}

// The instruction at which all lanes of the fragment continue; nullptr when they continue in separate fragments.
const Instruction* BlockRunner::call_or_return(Warp& warp, std::size_t index, LaneMask exec,
                                               const Instruction& at) {
  CallStack& stack = warp.call_stack();
  const bool are_all = exec == warp.fragments[index].lanes;
  if (at.flow == Flow::call) {
    stack.enter(warp, at, exec);
    if (are_all) return program_.code.data() + at.target;
    branch(warp, index, exec, at);
    return nullptr;
  }
  if (are_all && stack.returning_together(exec) == exec)
    return program_.code.data() + stack.leave(warp, exec);
  return_from_call(warp, index, exec, at);
  return nullptr;
}

void BlockRunner::return_from_call(Warp& warp, std::size_t index, LaneMask taken, const Instruction& at) {
  Fragment& fragment = warp.fragments[index];
  fragment.at = address_of(at) + 1;
  fragment.lanes &= ~taken;
  if (fragment.lanes == 0) warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(index));
  CallStack& stack = warp.call_stack();
  for (LaneMask rest = taken; rest != 0;) {
    const LaneMask together = stack.returning_together(rest);
    rest &= ~together;
    warp.fragments.push_back({stack.leave(warp, together), together, Fragment::State::ready, 0});
  }
}

void BlockRunner::branch_by_table(Warp& warp, std::size_t index, LaneMask taken, const Instruction& at) {
  const auto* entry = warp.read<std::uint32_t>(at.a);
  Fragment& fragment = warp.fragments[index];
  fragment.at = address_of(at) + 1;
  fragment.lanes &= ~taken;
  const bool all_taken = fragment.lanes == 0;
  if (all_taken) warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(index));
  for (LaneMask rest = taken; rest != 0;) {
    const int lane = first_lane(rest);
    LaneMask together = 0;
    for (LaneMask other = rest; other != 0; other &= other - 1) {
      if (entry[first_lane(other)] == entry[lane]) together |= other & (~other + 1);
    }
    rest &= ~together;
    if (entry[lane] >= at.target) {
      throw BlockFault{{FaultKind::trap,
                        at.origin,
                        {},
                        warp.first_thread() + static_cast<std::uint32_t>(lane),
                        0,
                        "brx.idx with index " + std::to_string(entry[lane]) + " in a table of " +
                            std::to_string(at.target) + " at " + describe_place(program_, at)}};
    }
    const std::uint32_t target =
        program_.branch_targets[static_cast<std::size_t>(at.immediate) + entry[lane]];
    warp.fragments.push_back({target, together, Fragment::State::ready, 0});
  }
}

void BlockRunner::end_lanes(Warp& warp, LaneMask lanes) {
  warp.exit(lanes);
  barrier_may_be_complete_ = true;
}

std::uint32_t BlockRunner::address_of(const Instruction& instruction) const {
  return static_cast<std::uint32_t>(&instruction - program_.code.data());
}

void BlockRunner::spins(const Warp& warp, const Instruction& at) {
  throw BlockFault{{FaultKind::instruction_budget,
                    at.origin,
                    {},
                    warp.first_thread(),
                    0,
                    "a block executed " + std::to_string(options_.instructions_per_block) +
                        " warp instructions without ending; it was last at " + describe_place(program_, at)}};
}

void BlockRunner::check_cancelled() {
  if (options_.cancelled()) throw RunCancelled{};
}

}  // namespace tilescope::simt
