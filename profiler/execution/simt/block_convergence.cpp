#include <algorithm>
#include <string>
#include <utility>

#include "profiler/execution/simt/block_runner.hpp"

// How the lanes of a warp that runs machine code part and meet again. They meet at the instructions that the compiler
// put there, and nowhere else: a convergence barrier (BSSY sets the mask of its lanes, BSYNC waits for them), WARPSYNC,
// and the block's barriers. So each instruction is executed as often as on the hardware.
namespace tilescope::simt {
namespace {

// Basic blocks that a fragment runs before the warp's others get their turn, for lanes that spin on a lock held by
// another lane of their warp.
constexpr std::uint32_t blocks_of_a_turn = 10'000;

// nullptr for an address that is none of theirs.
const DriverFunction* driver_function_at(const Program& program, std::uint32_t address) {
  if (address < Program::driver_functions_base) return nullptr;
  const std::uint32_t offset = address - Program::driver_functions_base;
  const std::size_t index = offset / Program::instruction_bytes;
  const bool is_one = offset % Program::instruction_bytes == 0 && index < program.driver_functions.size();
  return is_one ? &program.driver_functions[index] : nullptr;
}

LaneMask members_of(const Warp& warp, const Instruction& at, LaneMask lanes) {
  return warp.read<LaneMask>(at.a)[first_lane(lanes)];
}

}  // namespace

// WARPSYNC.EXCLUSIVE: the lanes with the mask of the first one; the others come to the instruction after them.
LaneMask BlockRunner::part_exclusively(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at) {
  const auto* masks = warp.read<LaneMask>(at.a);
  LaneMask others = 0;
  for (LaneMask rest = exec; rest != 0; rest &= rest - 1) {
    if (masks[first_lane(rest)] != masks[first_lane(exec)]) others |= rest & (~rest + 1);
  }
  if (others == 0) return exec;
  warp.fragments[index].lanes &= ~others;
  warp.fragments.push_back({address_of(at), others, Fragment::State::ready, 0});
  return exec & ~others;
}

bool BlockRunner::convergence_waits(Warp& warp, std::size_t index, LaneMask& exec, const Instruction& at) {
  const bool is_exclusive = at.flow == Flow::warp_converge && at.flags != 0;
  if (is_exclusive) exec = part_exclusively(warp, index, exec, at);
  if (at.flow == Flow::warp_converge && block_.observer != nullptr)
    block_.observer->member_mask(warp, at, exec);
  if ((members_of(warp, at, exec) & warp.live() & ~exec) == 0) {
    if (at.flow == Flow::warp_converge && block_.observer != nullptr) {
      block_.observer->warp_barrier(warp, exec);
    }
    return false;
  }
  stop_at(warp, index, exec, at).state =
      at.flow == Flow::converge ? Fragment::State::at_convergence : Fragment::State::at_warp_convergence;
  return true;
}

// A convergence barrier is complete when its live lanes wait at it. Those that wait at one instruction continue as one
// fragment. Lanes that set the same register apart from each other, in a loop or deeper in a recursion, have barriers
// of their own in it, with other masks. `by_register` takes them for one: for lanes that left the barrier (BREAK) while
// others had its mask elsewhere. With some lanes at WARPSYNC.ALL and the others at WARPSYNC.COLLECTIVE a GPU of sm_90
// stops for ever.
bool BlockRunner::release_convergence(Warp& warp, Fragment::State state, bool by_register) {
  auto& fragments = warp.fragments;
  const auto members = [&](const Fragment& one) {
    return members_of(warp, program_.code[one.at], one.lanes);
  };
  const auto waits_with = [&](const Fragment& one, const Fragment& other) {
    if (one.state != state || other.state != state) return false;
    const Instruction &at = program_.code[one.at], &other_at = program_.code[other.at];
    if (state == Fragment::State::at_warp_convergence) return at.flags == other_at.flags;
    return at.a == other_at.a && (by_register || members(one) == members(other));
  };
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    if (fragments[i].state != state) continue;
    LaneMask waiting = 0;
    for (const Fragment& other : fragments) waiting |= waits_with(fragments[i], other) ? other.lanes : 0;
    if ((members(fragments[i]) & warp.live() & ~waiting) != 0) continue;
    for (std::size_t j = fragments.size(); j-- > i + 1;) {
      if (!waits_with(fragments[i], fragments[j]) || fragments[j].at != fragments[i].at) continue;
      const bool is_exclusive =
          state == Fragment::State::at_warp_convergence && program_.code[fragments[i].at].flags != 0;
      if (is_exclusive && members(fragments[i]) != members(fragments[j])) continue;
      fragments[i].lanes |= fragments[j].lanes;
      fragments.erase(fragments.begin() + static_cast<std::ptrdiff_t>(j));
    }
    fragments[i].state = Fragment::State::ready;
    ++fragments[i].at;
    if (state == Fragment::State::at_warp_convergence && block_.observer != nullptr) {
      block_.observer->warp_barrier(warp, fragments[i].lanes);
    }
    return true;
  }
  return false;
}

// Called when no warp can go on. ptxas lets lanes of a switch go to its default, behind the barrier, without BREAK: the
// others then wait for lanes that wait at WARPSYNC or at a barrier of the block. They continue without them.
bool BlockRunner::release_unreachable_convergence() {
  bool released = false;
  for (Warp& warp : block_.warps) {
    const auto waiting = std::ranges::find(warp.fragments, Fragment::State::at_convergence, &Fragment::state);
    if (waiting == warp.fragments.end()) continue;
    const std::uint32_t at = waiting->at;
    const LaneMask members = members_of(warp, program_.code[at], waiting->lanes);
    for (Fragment& other : warp.fragments) {
      const bool is_together = &other != &*waiting && other.at == at &&
                               other.state == Fragment::State::at_convergence &&
                               members_of(warp, program_.code[at], other.lanes) == members;
      if (is_together) waiting->lanes |= std::exchange(other.lanes, 0);
    }
    waiting->state = Fragment::State::ready;
    ++waiting->at;
    std::erase_if(warp.fragments, [](const Fragment& one) { return one.lanes == 0; });
    released = true;
  }
  return released;
}

// The guard does not choose the lanes that branch: those for which it is false are among those that are not here. ptxas
// sends lanes with different masks to the slow path of a vote so (R2UR P0, URZ, R0; @!P0 BRA.DIV UR4).
bool BlockRunner::branches_if_diverged(const Warp& warp, LaneMask lanes, LaneMask exec,
                                       const Instruction& at) const {
  const bool some_are_elsewhere = (members_of(warp, at, lanes) & warp.live() & ~exec) != 0;
  return some_are_elsewhere == (at.flags == 0);
}

std::uint32_t BlockRunner::jump_target(const Warp& warp, const Instruction& at, int lane) const {
  const std::uint32_t address =
      warp.read<std::uint32_t>(at.a)[lane] + static_cast<std::uint32_t>(at.immediate);
  const std::size_t place = address / Program::instruction_bytes;
  if (address % Program::instruction_bytes == 0 && place < program_.code_at_address.size() &&
      program_.code_at_address[place] != no_index) {
    return program_.code_at_address[place];
  }
  const DriverFunction* driver = driver_function_at(program_, address);
  const std::string what = driver != nullptr
                               ? "a call of " + driver->name + ", a function of the driver"
                               : "a jump to " + std::to_string(address) + ", where no instruction begins";
  throw BlockFault{{FaultKind::trap,
                    at.origin,
                    {},
                    warp.first_thread() + static_cast<std::uint32_t>(lane),
                    address,
                    what + ", at " + describe_place(program_, at)}};
}

// Executes the functions of the driver that some of the `lanes` call. Returns those lanes, which continue behind the
// call.
LaneMask BlockRunner::call_driver(Warp& warp, LaneMask lanes, const Instruction& at) {
  if (at.flags != jump_is_call || program_.driver_functions.empty()) return 0;
  const auto* address = warp.read<std::uint32_t>(at.a);
  LaneMask called = 0;
  for (LaneMask rest = lanes; rest != 0;) {
    const std::uint32_t target = address[first_lane(rest)];
    LaneMask together = 0;
    for (LaneMask other = rest; other != 0; other &= other - 1) {
      if (address[first_lane(other)] == target) together |= other & (~other + 1);
    }
    rest &= ~together;
    const DriverFunction* driver =
        driver_function_at(program_, target + static_cast<std::uint32_t>(at.immediate));
    if (driver == nullptr || driver->execute == nullptr) continue;
    warp.exec = together;
    driver->execute(warp, at);
    called |= together;
  }
  return called;
}

// Lanes that go to one place continue together.
void BlockRunner::jump(Warp& warp, std::size_t index, LaneMask taken, const Instruction& at) {
  taken &= ~call_driver(warp, taken, at);
  Fragment& fragment = warp.fragments[index];
  fragment.at = address_of(at) + 1;
  fragment.lanes &= ~taken;
  if (fragment.lanes == 0) warp.fragments.erase(warp.fragments.begin() + static_cast<std::ptrdiff_t>(index));
  for (LaneMask rest = taken; rest != 0;) {
    const std::uint32_t target = jump_target(warp, at, first_lane(rest));
    LaneMask together = 0;
    for (LaneMask other = rest; other != 0; other &= other - 1) {
      if (jump_target(warp, at, first_lane(other)) == target) together |= other & (~other + 1);
    }
    rest &= ~together;
    warp.fragments.push_back({target, together, Fragment::State::ready, 0});
  }
}

// Whether the turn of a diverged warp's fragment is over. It then is the last in line.
bool BlockRunner::yields_explicitly(Warp& warp, std::size_t index) {
  if (--patience_ != 0) return false;
  patience_ = livelock_.is_looking() ? LivelockWatch::short_patience : blocks_of_a_turn;
  const auto first = warp.fragments.begin() + static_cast<std::ptrdiff_t>(index);
  std::rotate(first, first + 1, warp.fragments.end());
  return true;
}

}  // namespace tilescope::simt
