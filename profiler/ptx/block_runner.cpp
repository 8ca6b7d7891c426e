#include "profiler/ptx/block_runner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilescope::ptx {
namespace {

// Basic blocks that the lowest lanes of a diverged warp may run before the others get their turn: enough for any real
// loop to end by itself, few enough for lanes that spin on a lock that another lane of their warp holds.
constexpr std::uint32_t most_patience = 100'000;
constexpr std::uint32_t length_of_a_turn = 1'000;
// Readable bytes behind shared memory: vector loads of the last bytes reach there.
constexpr std::size_t shared_tail = 64;
constexpr std::uint64_t blocks_between_cancel_checks = 4096;

LaneMask guarded(const Warp& warp, const Instruction& at, LaneMask lanes) {
  if (at.guard == no_slot) return lanes;
  const LaneMask guard = warp.mask(at.guard);
  return lanes & (at.guard_negated ? ~guard : guard);
}

std::byte* align_up(std::vector<std::byte>& bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  return bytes.data() + ((slot_bytes - address % slot_bytes) % slot_bytes);
}

int first_lane(LaneMask lanes) {
  return std::countr_zero(lanes);
}

}  // namespace

BlockRunner::BlockRunner(const Program& program, const Launch& launch, GlobalMemory& memory,
                         const RunOptions& options, Observer* observer)
    : program_(program), launch_(launch), options_(options) {
  constants_.resize(program.constants.size() + slot_bytes);
  std::byte* constants = align_up(constants_);
  std::ranges::copy(program.constants, constants);
  constants_end_ = constants + program.constants.size();

  block_.program = &program;
  block_.launch = &launch;
  block_.global = &memory;
  block_.observer = observer;
  const std::size_t threads = block_.threads(), warps = (threads + lane_count - 1) / lane_count;
  registers_.resize(warps * program.register_slots * slot_bytes + slot_bytes);
  const std::size_t shared_bytes = program.static_shared_bytes + launch.dynamic_shared_bytes;
  shared_.resize(shared_bytes + shared_tail + slot_bytes);
  block_.shared = {align_up(shared_), shared_bytes};
  local_.resize(threads * program.local_bytes + slot_bytes);
  block_.local = {align_up(local_), threads * program.local_bytes};
  block_.warps.reserve(warps);
  for (BlockBarrier& barrier : block_.barriers) {
    barrier.arrived_lanes.assign(warps, 0);
    barrier.reduction.assign(warps, 0);
  }
  counts_.executions.assign(program.blocks.size(), 0);
  counts_.lanes.assign(program.blocks.size(), 0);
}

std::optional<Fault> BlockRunner::run(std::uint64_t linear_index) {
  start(linear_index);
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

void BlockRunner::start(std::uint64_t linear_index) {
  const Dimensions& grid = launch_.grid;
  block_.linear_index = linear_index;
  block_.index = {static_cast<std::uint32_t>(linear_index % grid.x),
                  static_cast<std::uint32_t>(linear_index / grid.x % grid.y),
                  static_cast<std::uint32_t>(linear_index / grid.x / grid.y)};
  block_.clock = 0;
  patience_ = most_patience;
  random_.seed(options_.schedule_seed * 0x9e3779b97f4a7c15u + linear_index);
  // What nobody wrote is the same in every run: NaN bytes in shared memory, so that it shows in results.
  std::ranges::fill(registers_, std::byte{0});
  std::ranges::fill(shared_, std::byte{0xff});
  std::ranges::fill(local_, std::byte{0xff});
  for (BlockBarrier& barrier : block_.barriers) {
    barrier.expected = barrier.arrived = 0;
    std::ranges::fill(barrier.arrived_lanes, 0u);
  }
  block_.warps.clear();
  std::byte* registers = align_up(registers_);
  std::uint32_t threads_left = block_.threads();
  for (int w = 0; threads_left > 0; ++w) {
    const std::uint32_t lanes = std::min<std::uint32_t>(threads_left, lane_count);
    threads_left -= lanes;
    block_.warps.emplace_back(block_, w, lanes == lane_count ? all_lanes : (1u << lanes) - 1, registers,
                              constants_end_);
    registers += program_.register_slots * slot_bytes;
    fill_presets(block_.warps.back());
  }
}

void BlockRunner::fill_presets(Warp& warp) {
  const Dimensions &grid = launch_.grid, &block = launch_.block, &index = block_.index;
  for (const Preset& preset : program_.presets) {
    if (preset.special == Special::gridid) {
      std::fill_n(warp.write<std::uint64_t>(preset.slot), lane_count, std::uint64_t{0});
      continue;
    }
    auto* lanes = warp.write<std::uint32_t>(preset.slot);
    for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
      const std::uint32_t thread = warp.first_thread() + lane;
      switch (preset.special) {
        case Special::tid_x:
          lanes[lane] = thread % block.x;
          break;
        case Special::tid_y:
          lanes[lane] = thread / block.x % block.y;
          break;
        case Special::tid_z:
          lanes[lane] = thread / block.x / block.y;
          break;
        case Special::ntid_x:
          lanes[lane] = block.x;
          break;
        case Special::ntid_y:
          lanes[lane] = block.y;
          break;
        case Special::ntid_z:
          lanes[lane] = block.z;
          break;
        case Special::ctaid_x:
          lanes[lane] = index.x;
          break;
        case Special::ctaid_y:
          lanes[lane] = index.y;
          break;
        case Special::ctaid_z:
          lanes[lane] = index.z;
          break;
        case Special::nctaid_x:
          lanes[lane] = grid.x;
          break;
        case Special::nctaid_y:
          lanes[lane] = grid.y;
          break;
        case Special::nctaid_z:
          lanes[lane] = grid.z;
          break;
        case Special::laneid:
          lanes[lane] = lane;
          break;
        case Special::warpid:
          lanes[lane] = static_cast<std::uint32_t>(warp.index());
          break;
        case Special::nwarpid:
          lanes[lane] = (block_.threads() + lane_count - 1) / lane_count;
          break;
        case Special::lanemask_eq:
          lanes[lane] = 1u << lane;
          break;
        case Special::lanemask_lt:
          lanes[lane] = (1u << lane) - 1;
          break;
        case Special::lanemask_le:
          lanes[lane] = (2u << lane) - 1;
          break;
        case Special::lanemask_gt:
          lanes[lane] = ~((2u << lane) - 1);
          break;
        case Special::lanemask_ge:
          lanes[lane] = ~((1u << lane) - 1);
          break;
        case Special::total_smem_size:
          lanes[lane] = static_cast<std::uint32_t>(block_.shared.size());
          break;
        case Special::dynamic_smem_size:
          lanes[lane] = launch_.dynamic_shared_bytes;
          break;
        // As if the grid ran on one SM: a kernel can rely on no other.
        case Special::smid:
        case Special::gridid:
          lanes[lane] = 0;
          break;
        case Special::nsmid:
          lanes[lane] = 1;
          break;
      }
    }
  }
}

void BlockRunner::run_warps() {
  std::vector<std::size_t> order(block_.warps.size());
  for (std::size_t w = 0; w < order.size(); ++w) order[w] = w;
  for (;;) {
    if (options_.schedule_seed != 0) std::ranges::shuffle(order, random_);
    bool any_ran = false, any_live = false;
    for (const std::size_t w : order) {
      any_ran |= run_warp(block_.warps[w]);
      if (barrier_may_be_complete_) complete_barriers();
      any_live |= block_.warps[w].live() != 0;
    }
    if (!any_live) return;
    if (!any_ran) deadlock();
  }
}

// Runs a warp until all its lanes wait or are gone; with a schedule seed also until it is preempted.
bool BlockRunner::run_warp(Warp& warp) {
  bool ran = false;
  if (options_.schedule_seed != 0) {
    until_preempted_ = 1 + static_cast<std::uint32_t>(random_() % 400);
    while (until_preempted_ > 0) {
      const std::size_t index = next_to_run(warp);
      if (index == warp.fragments.size()) {
        if (release_warp_wide(warp) || release_warp_barrier(warp)) continue;
        break;
      }
      ran = true;
      run_fragment<true>(warp, index);
    }
    return ran;
  }
  for (;;) {
    const std::size_t index = next_to_run(warp);
    if (index == warp.fragments.size()) {
      if (release_warp_wide(warp) || release_warp_barrier(warp)) continue;
      return ran;
    }
    ran = true;
    run_fragment<false>(warp, index);
  }
}

// The fragment of the lowest rank among the ready ones (of the highest in the others' turn), with all that stand where it
// stands; fragments.size() for none.
std::size_t BlockRunner::next_to_run(Warp& warp) const {
  auto& fragments = warp.fragments;
  std::size_t best = fragments.size();
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    if (fragments[i].state != Fragment::State::ready) continue;
    if (best == fragments.size() || program_.rank[fragments[i].at] < program_.rank[fragments[best].at])
      best = i;
  }
  if (best == fragments.size() || fragments.size() == 1) return best;
  for (std::size_t i = fragments.size(); i-- > best + 1;) {
    if (fragments[i].state != Fragment::State::ready || fragments[i].at != fragments[best].at) continue;
    fragments[best].lanes |= fragments[i].lanes;
    fragments.erase(fragments.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return best;
}

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

// bar.warp.sync counts lanes wherever they wait: both arms of a branch may have one.
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

template <bool fuzzing>
void BlockRunner::run_fragment(Warp& warp, std::size_t index) {
  const Instruction* at = program_.code.data() + warp.fragments[index].at;
  LaneMask lanes = warp.fragments[index].lanes;
  for (;;) {
    if constexpr (fuzzing) {
      if (--until_preempted_ == 0) {
        warp.fragments[index].at = address_of(*at);
        return;
      }
    }
    const LaneMask exec = guarded(warp, *at, lanes);
    if (at->flow == Flow::next) [[likely]] {
      if (exec != 0) {
        warp.exec = exec;
        at->execute(warp, *at);
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
      case Flow::exit:
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
          if (warp_wide_waits(warp, index, exec, *at)) return;
          warp.exec = exec;
          at->execute(warp, *at);
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
      case Flow::next:
        break;
    }
  }
}

// Counts the block. True when other lanes of the warp come first: the fragment then waits here.
bool BlockRunner::enter_block(Warp& warp, std::size_t index, const Instruction& enter) {
  Fragment& fragment = warp.fragments[index];
  const std::uint32_t here = address_of(enter);
  if (warp.fragments.size() > 1) {
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
  ++counts_.executions[enter.target];
  counts_.lanes[enter.target] += static_cast<std::uint64_t>(std::popcount(fragment.lanes));
  block_.clock += static_cast<std::uint64_t>(enter.immediate);
  if (block_.clock > options_.instructions_per_block) spins(warp, enter);
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

bool BlockRunner::warp_wide_waits(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at) {
  const LaneMask members = warp.read<LaneMask>(at.a)[first_lane(exec)];
  if ((members & warp.live() & ~exec) == 0) return false;
  warp.fragments[index].at = address_of(at);
  warp.fragments[index].state = Fragment::State::at_warp_wide;
  return true;
}

bool BlockRunner::warp_barrier_waits(Warp& warp, std::size_t index, LaneMask exec, const Instruction& at) {
  const LaneMask members = warp.read<LaneMask>(at.a)[first_lane(exec)];
  if ((members & warp.live() & ~exec) == 0) {
    if (block_.observer != nullptr) block_.observer->warp_barrier(warp, exec);
    return false;
  }
  Fragment& fragment = warp.fragments[index];
  fragment.at = address_of(at);
  if (exec != fragment.lanes) {  // those that the guard switches off go on
    warp.fragments.push_back({fragment.at + 1, fragment.lanes & ~exec, Fragment::State::ready, 0});
    warp.fragments[index].lanes = exec;
  }
  warp.fragments[index].state = Fragment::State::at_warp_barrier;
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
  if (at.width != 0 && exec != warp.live() && block_.observer != nullptr) {
    block_.observer->divergent_barrier(warp, at, exec);
  }
  arrive(warp, exec, at, number);
  if (static_cast<BarrierForm>(at.flags) == BarrierForm::arrive) return false;
  ++counts_.barriers;
  Fragment& fragment = warp.fragments[index];
  fragment.at = address_of(at);
  if (exec != fragment.lanes) {  // those that the guard switches off go on
    warp.fragments.push_back({fragment.at + 1, fragment.lanes & ~exec, Fragment::State::ready, 0});
    warp.fragments[index].lanes = exec;
  }
  warp.fragments[index].state = Fragment::State::at_block_barrier;
  warp.fragments[index].barrier = static_cast<std::uint8_t>(number);
  return true;
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

void BlockRunner::end_lanes(Warp& warp, LaneMask lanes) {
  warp.exit(lanes);
  barrier_may_be_complete_ = true;
}

std::uint32_t BlockRunner::address_of(const Instruction& instruction) const {
  return static_cast<std::uint32_t>(&instruction - program_.code.data());
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
  fault.text = "every thread that is left waits for threads that do not come: " + waits;
  throw BlockFault{std::move(fault)};
}

void BlockRunner::spins(const Warp& warp, const Instruction& at) {
  throw BlockFault{{FaultKind::instruction_budget,
                    at.origin,
                    {},
                    warp.first_thread(),
                    0,
                    "a block executed " + std::to_string(options_.instructions_per_block) +
                        " warp instructions without an end; it last was at " + describe_place(program_, at)}};
}

void BlockRunner::check_cancelled() {
  if (options_.cancelled()) throw RunCancelled{};
}

}  // namespace tilescope::ptx
