#include "profiler/execution/simt/code_reach.hpp"

namespace tilescope::simt {
namespace {

// Instructions that lanes on their way to the exit may have in common with others.
bool does_nothing(const Instruction& at) {
  switch (at.flow) {
    case Flow::enter_block:
    case Flow::probe:
    case Flow::exit:
    case Flow::call_return:
    case Flow::converge:
      return true;
    case Flow::branch:
      return at.guard == no_slot && at.c == no_slot;
    default:
      return false;
  }
}

}  // namespace

bool CodeReach::leaves(std::uint32_t from, std::uint32_t barrier) {
  const auto [known, is_new] = leaves_.try_emplace({from, barrier}, false);
  if (!is_new) return known->second;
  const Reach& leaving = reach(from);
  if (leaving.may_wait) return false;
  const Reach& waiting = reach(barrier + 1);
  for (std::size_t at = 0; at < program_.code.size(); ++at) {
    if (leaving.code[at] && waiting.code[at] && !does_nothing(program_.code[at])) return false;
  }
  return known->second = true;
}

const CodeReach::Reach& CodeReach::reach(std::uint32_t from) {
  const auto [known, is_new] = known_.try_emplace(from);
  Reach& found = known->second;
  if (!is_new) return found;
  found.code.assign(program_.code.size(), false);
  std::vector<std::uint32_t> open{from};
  while (!open.empty()) {
    const std::uint32_t here = open.back();
    open.pop_back();
    if (here >= found.code.size() || found.code[here]) continue;
    found.code[here] = true;
    add_next(here, open, found);
  }
  return found;
}

void CodeReach::add_next(std::uint32_t here, std::vector<std::uint32_t>& open, Reach& found) const {
  const Instruction& at = program_.code[here];
  const bool is_conditional = at.guard != no_slot || at.c != no_slot;
  switch (at.flow) {
    case Flow::branch:
      open.push_back(at.target);
      if (is_conditional) open.push_back(here + 1);
      return;
    case Flow::branch_table:
      for (std::uint32_t i = 0; i < at.target; ++i)
        open.push_back(program_.branch_targets[static_cast<std::size_t>(at.immediate) + i]);
      if (is_conditional) open.push_back(here + 1);
      return;
    case Flow::branch_if_diverged:
    case Flow::call:
      open.push_back(at.target);
      open.push_back(here + 1);
      return;
    case Flow::call_return:
      for (const CallSite& site : program_.calls) open.push_back(site.return_to);
      if (is_conditional) open.push_back(here + 1);
      return;
    case Flow::jump:
      found.may_wait = true;
      if (is_conditional) open.push_back(here + 1);
      return;
    case Flow::exit:
      if (is_conditional) open.push_back(here + 1);
      return;
    case Flow::block_barrier:
      found.may_wait = true;
      open.push_back(here + 1);
      return;
    default:
      open.push_back(here + 1);
      return;
  }
}

}  // namespace tilescope::simt
