#include "profiler/explanation/model/sm_simulation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "profiler/explanation/model/memory_path.hpp"
#include "profiler/explanation/model/simulated_instruction.hpp"
#include "profiler/explanation/model/simulated_loads.hpp"
#include "profiler/explanation/model/simulated_warp.hpp"
#include "profiler/explanation/model/stall_reasons.hpp"

namespace tilescope::model {
namespace {

// [cycles] of the unit for barriers when a block is released (launches/mechanisms: barriers_small).
constexpr double cycles_of_release = 5;

// Faster than std::ceil where that is a call.
Cycle up(double cycles) {
  const auto whole = static_cast<Cycle>(cycles);
  return whole + (cycles - 1e-6 > static_cast<double>(whole) ? 1 : 0);
}

class Simulation {
 public:
  explicit Simulation(const SmWork& work)
      : work_(work),
        instructions_(simulated(work.costs, work.parameters)),
        memory_(work.l1_bytes, work.miss_latency, work.dram_latency),
        loads_(work, memory_) {
    time_.sums = WaitSums(work.costs.size());
  }

  SmTime run() {
    const std::size_t warps = work_.blocks.front().warps->size();
    const std::size_t fitting = std::max<std::size_t>(most_warps_of_sm / std::max<std::size_t>(warps, 1), 1);
    slots_.resize(std::min({std::max<std::size_t>(work_.resident, 1), fitting, work_.blocks.size()}));
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) start_block(slot, 0);
    while (Quarter* const quarter = next_quarter()) {
      pass(quarter->scheduler.next());
      issue(*quarter);
      // At once: whether a quarter has chosen could not be foreseen where all are asked.
      quarter->scheduler.next();
    }
    last_end_ = std::max(last_end_, up(memory_.end()));
    pass(last_end_);
    scale_by_load();
    return time_;
  }

 private:
  // The one that issues next; none at the end.
  Quarter* next_quarter() {
    Quarter* earliest = nullptr;
    Cycle least = WarpScheduler::never;
    for (Quarter& quarter : quarters_) {
      const Cycle next = quarter.scheduler.next();
      earliest = next < least ? &quarter : earliest;
      least = std::min(next, least);
    }
    if (earliest != nullptr) return earliest;
    return release_stuck() ? next_quarter() : nullptr;
  }

  // A barrier whose number or threads only the run knows may wait for warps that never come here: the first of those that
  // wait go on. Whether any did.
  bool release_stuck() {
    for (BlockSlot& slot : slots_) {
      for (BlockBarrier& barrier : slot.barriers) {
        if (barrier.waiting.empty()) continue;
        release(barrier);
        return true;
      }
    }
    return false;
  }

  // Until `now`. A cycle in which warps run iterations that stand for several ones counts as many times: the mean of the
  // blocks, of which each goes through its work alone, and for a block the mean of its warps; those that wait at a barrier
  // wait for the others.
  void pass(Cycle now) {
    const auto passed = static_cast<double>(std::max<Cycle>(now - now_, 0));
    time_.cycles += running_blocks_ > 0 ? passed * block_weights_ / running_blocks_ : passed;
    now_ = std::max(now, now_);
  }

  // The busier a resource, the more its work decides the time, and the less the warps that wait. The power is inferred
  // from simulations with and without iterations left out.
  void scale_by_load() {
    const Load* busiest = &issue_;
    for (const Load* load : {&lsu_, &tensor_}) {
      if (load->cycles > busiest->cycles) busiest = load;
    }
    const auto simulated = static_cast<double>(last_end_);
    if (busiest->cycles <= 0 || simulated <= 0 || time_.cycles <= 0) return;
    const double share = std::min(1.0, busiest->cycles / simulated);
    const double by_work = busiest->weighted / busiest->cycles, by_time = time_.cycles / simulated;
    const double factor = 1 + std::pow(share, 4) * (by_work / by_time - 1);
    time_.cycles *= factor;
    time_.last_start *= factor;
    time_.second_start *= factor;
  }

  void start_block(std::size_t slot_number, Cycle now) {
    BlockSlot& slot = slots_[slot_number];
    if (next_block_ == work_.blocks.size()) return;
    if (next_block_ == slots_.size()) {
      time_.second_start = time_.cycles;
      time_.issued_at_second_start = time_.issued;
    }
    time_.last_start = time_.cycles;
    time_.issued_at_last_start = time_.issued;
    slot.place = work_.blocks[next_block_].place;
    slot.number = static_cast<std::uint32_t>(next_block_);
    const std::vector<ShortPath>& paths = *work_.blocks[next_block_++].warps;
    slot.live = paths.size();
    slot.last_end = now;
    slot.warps.resize(paths.size());
    for (BlockBarrier& barrier : slot.barriers) barrier = {};
    // As an H200 numbers warps: the first blocks go on from the last one's quarter, one farther behind a block of whole
    // rounds; each later one has the warps' places of the block that ended.
    if (next_block_ <= slots_.size()) {
      slot.first_quarter = next_quarter_;
      next_quarter_ = (next_quarter_ + paths.size() + (paths.size() % quarters == 0 ? 1 : 0)) % quarters;
    }
    const Cycle begin = std::max(now, next_begin_) + up(work_.parameters.block_start_cycles);
    next_begin_ = std::max(now, next_begin_) + up(work_.block_interval);
    for (std::size_t w = 0; w < paths.size(); ++w) {
      const std::uint32_t number = free_warp();
      SimulatedWarp& warp = warps_[number];
      warp = {};
      warp.path = &paths[w];
      warp.slot = slot_number;
      warp.quarter = (slot.first_quarter + w) % quarters;
      warp.free_at = begin;
      add_running(slot, 1, 1);
      warp.number_in_block = w;
      slot.warps[w] = number;
      time_.sums.add_start(static_cast<double>(begin - now));
      advance(number);
    }
  }

  std::uint32_t free_warp() {
    if (unused_.empty()) {
      warps_.emplace_back();
      return static_cast<std::uint32_t>(warps_.size() - 1);
    }
    const std::uint32_t number = unused_.back();
    unused_.pop_back();
    return number;
  }

  void add_wait(const SimulatedWarp& warp, Wait wait, Stall stall, double cycles) {
    time_.sums.add(wait, stall, warp.at, cycles * warp.weight);
  }

  // To the next instruction of a warp, and the time of its turn.
  void advance(std::uint32_t number) {
    SimulatedWarp& warp = warps_[number];
    while (warp.at == warp.end || instructions_[warp.at].is_left_out) {
      if (warp.at != warp.end) {
        ++warp.at;
        continue;
      }
      if (warp.step == warp.path->steps.size())
        return warp.awaits_barrier ? park(warp, warp.free_at) : end_warp(number);
      take_step(warp, warp.path->steps[warp.step++]);
    }
    const SimulatedInstruction& one = instructions_[warp.at];
    Cycle turn = one.wait_mask != 0 ? wait_for_results(warp, one.wait_mask) : warp.free_at;
    if (one.effect == Effect::wait_copies) turn = wait_for_copies(warp, work_.costs[warp.at], turn);
    if ((warp.awaits_barrier || warp.barrier_end > turn) &&
        !(warp.defers_blocking && one.goes_ahead_of_barrier)) {
      if (warp.awaits_barrier) return park(warp, turn);
      add_barrier_wait(warp, turn);
      turn = warp.barrier_end;
    }
    quarters_[warp.quarter].scheduler.add(
        {turn, slots_[warp.slot].number, static_cast<std::uint16_t>(number), one.gate});
  }

  void park(SimulatedWarp& warp, Cycle turn) {
    warp.is_parked = true;
    warp.free_at = turn;
    add_running(slots_[warp.slot], -1, -warp.weight);
  }

  // Warps of a block begin to run, or stop; their weights change.
  void add_running(BlockSlot& slot, double warps, double weights) {
    RunningWarps& running = slot.running;
    if (running.count > 0) {
      running_blocks_ -= 1;
      block_weights_ -= running.mean_weight();
    }
    running.count += warps;
    running.weights = running.count > 0 ? running.weights + weights : 0;
    if (running.count <= 0) return;
    running_blocks_ += 1;
    block_weights_ += running.mean_weight();
  }

  void add_barrier_wait(const SimulatedWarp& warp, Cycle turn) {
    time_.sums.add(Wait::barriers, Stall::barrier, warp.barrier_at,
                   warp.weight * static_cast<double>(std::max<Cycle>(warp.barrier_end - turn, 0)));
  }

  // The scoreboards of the mask; the longest one is waited for, perhaps for no time.
  Cycle wait_for_results(const SimulatedWarp& warp, unsigned mask) {
    Cycle turn = warp.free_at;
    const Scoreboard* longest = &warp.held[static_cast<std::size_t>(std::countr_zero(mask))];
    for (; mask != 0; mask &= mask - 1) {
      const Scoreboard& held = warp.held[static_cast<std::size_t>(std::countr_zero(mask))];
      longest = held.released > turn ? &held : longest;
      turn = std::max(turn, held.released);
    }
    add_held(warp, *longest, static_cast<double>(turn - warp.free_at));
    return turn;
  }

  void add_held(const SimulatedWarp& warp, const Scoreboard& held, double waited) {
    const double conflicts = std::max(0.0, std::min<double>(held.conflicts, waited));
    add_wait(warp, Wait::bank_conflicts, held.stall, conflicts);
    add_result_wait(warp, held.reason, held.stall, held.latency, waited - conflicts);
  }

  // `latency`: the share of the wait that an idle SM would take.
  void add_result_wait(const SimulatedWarp& warp, Wait reason, Stall stall, double latency, double waited) {
    add_wait(warp, Wait::latency, stall, waited * latency);
    add_wait(warp, reason, stall, waited * (1 - latency));
  }

  Cycle wait_for_copies(const SimulatedWarp& warp, const InstructionCost& cost, Cycle turn) {
    if (warp.copy_groups.size() <= cost.pending) return turn;
    const Cycle done = warp.copy_groups[warp.copy_groups.size() - 1 - cost.pending];
    if (done <= turn) return turn;
    add_result_wait(warp, Wait::global_memory, Stall::long_scoreboard, warp.copy_latency,
                    static_cast<double>(done - turn));
    return done;
  }

  void take_step(SimulatedWarp& warp, const PathStep& step) {
    switch (step.kind) {
      case PathStep::Kind::scale_begin:
        add_running(slots_[warp.slot], 0, warp.weight * (step.factor - 1));
        warp.weight *= step.factor;
        break;
      case PathStep::Kind::scale_end:
        add_running(slots_[warp.slot], 0, -warp.weight * (1 - 1 / step.factor));
        warp.weight /= step.factor;
        break;
      case PathStep::Kind::basic_block: {
        const InstructionRange& range = work_.basic_blocks[step.basic_block];
        // Behind a block that jumps elsewhere than to the next one.
        if (warp.end != 0 && range.first != warp.end) {
          warp.free_at += up(work_.parameters.jump_cycles);
          add_wait(warp, Wait::jumps, Stall::branch_resolving, work_.parameters.jump_cycles);
        }
        warp.at = range.first;
        warp.end = range.first + range.count;
        break;
      }
    }
  }

  void end_warp(std::uint32_t number) {
    SimulatedWarp& warp = warps_[number];
    BlockSlot& slot = slots_[warp.slot];
    const std::size_t slot_number = warp.slot;
    slot.last_end = std::max(slot.last_end, warp.free_at);
    last_end_ = std::max(last_end_, warp.free_at);
    add_running(slot, -1, -warp.weight);
    --slot.live;
    unused_.push_back(number);
    for (BlockBarrier& barrier : slot.barriers) {
      if (!barrier.waiting.empty() && barrier.arrived >= slot.live) release(barrier);
    }
    if (slot.live > 0) return;
    start_block(slot_number, slot.last_end);
  }

  void release(BlockBarrier& barrier) {
    const Cycle released =
        barrier.last + up(work_.parameters.barrier_latency + work_.parameters.barrier_wait_cycles);
    adu_free_ = std::max(adu_free_, static_cast<double>(barrier.last)) + cycles_of_release;
    std::vector<std::uint32_t> waiting;
    waiting.swap(barrier.waiting);
    barrier.last = 0;
    barrier.arrived = 0;
    for (const std::uint32_t number : waiting) {
      SimulatedWarp& warp = warps_[number];
      warp.awaits_barrier = false;
      warp.barrier_end = released;
      if (!warp.is_parked) continue;
      warp.is_parked = false;
      add_running(slots_[warp.slot], 1, warp.weight);
      add_barrier_wait(warp, warp.free_at);
      warp.free_at = std::max(warp.free_at, released);
      advance(number);
    }
  }

  // Waits of no time are added as well: which ones there are could not be foreseen.
  void issue(Quarter& quarter) {
    const std::uint32_t number = quarter.scheduler.next_warp();
    SimulatedWarp& warp = warps_[number];
    const SimulatedInstruction& one = instructions_[warp.at];
    const auto [waiting, slot, others] = quarter.scheduler.take(one.issue_slots);
    add_wait(warp, Wait::issue_slots, Stall::not_selected, static_cast<double>(others));
    add_unit_wait(warp, one, static_cast<double>(slot - waiting.turn - others));
    time_.issued += warp.weight;
    time_.sums.issued[warp.at] += warp.weight;
    issue_.add(1.0 / quarters, warp.weight);
    if (one.unit == Unit::tensor) tensor_.add(one.busy_cycles / quarters, warp.weight);
    if (one.has_pipe) occupy(quarter, one, slot);
    add_wait(warp, Wait::latency, Stall::wait, one.stall_wait);
    warp.free_at = slot + one.stall_cycles;
    if (one.has_effect) finish(number, warp, quarter, slot);
    ++warp.at;
    advance(number);
  }

  void add_unit_wait(const SimulatedWarp& warp, const SimulatedInstruction& one, double waited) {
    if (one.unit != Unit::lsu || one.is_of_memory)
      return add_wait(warp, one.unit_wait, one.unit_stall, waited);
    // A warp that waits for the load-store unit waits for the conflicts of those before it.
    const double share = lsu_conflicts_ / std::max(lsu_.cycles, 1.0);
    add_wait(warp, Wait::bank_conflicts, one.unit_stall, waited * share);
    add_wait(warp, one.unit_wait, one.unit_stall, waited * (1 - share));
  }

  // The pipe of an instruction is busy from `slot` on.
  void occupy(Quarter& quarter, const SimulatedInstruction& one, Cycle slot) {
    const double until = static_cast<double>(slot) + one.busy_cycles;
    if (one.shares_pipe) {
      for (Quarter& each : quarters_) each.scheduler.shut(one.gate, up(until));
      return;
    }
    const double heavy = quarter.free[static_cast<std::size_t>(Unit::fma_heavy)];
    const bool takes_heavy = one.fits_heavy && heavy < quarter.free[static_cast<std::size_t>(one.unit)];
    const Unit taken = takes_heavy ? Unit::fma_heavy : one.unit;
    quarter.free[static_cast<std::size_t>(taken)] = until;
    // A whole number of cycles needs no conversion, for which the next choice would wait.
    quarter.scheduler.shut_pipe(taken, one.has_whole_cycles ? slot + one.whole_cycles : up(until));
  }

  // Effects of an instruction beside keeping a pipe of its quarter busy.
  void finish(std::uint32_t number, SimulatedWarp& warp, Quarter& quarter, Cycle slot) {
    const InstructionCost& cost = work_.costs[warp.at];
    const SimulatedInstruction& one = instructions_[warp.at];
    double begin = static_cast<double>(slot);
    double conflicts = 0;  // [cycles] until the result, of this access and of those before it
    if (cost.unit == Unit::lsu) {
      conflicts = begin < lsu_free_ ? (lsu_free_ - begin) * lsu_conflicts_ / std::max(lsu_.cycles, 1.0) : 0;
      begin = std::max(begin, lsu_free_);
      if (cost.write_cycles > 0) begin = std::max(begin, memory_.room_for_stores());
      lsu_free_ = begin + cost.busy_cycles;
      lsu_.add(cost.busy_cycles, warp.weight);
      lsu_conflicts_ += cost.conflict_cycles;
      conflicts += cost.conflict_cycles;
      quarter.lsu_done[quarter.lsu_next] = up(lsu_free_);
      quarter.lsu_next = (quarter.lsu_next + 1) % lsu_queue;
      quarter.scheduler.shut(static_cast<WarpScheduler::Gate>(Unit::lsu), quarter.lsu_done[quarter.lsu_next]);
    }
    if (cost.unit == Unit::adu && cost.effect == Effect::delayed_result) {
      begin = std::max(begin, adu_free_);
      adu_free_ = begin + cost.busy_cycles;
    }
    const double worked = begin + cost.busy_cycles;
    double result = worked + cost.latency +
                    (cost.effect == Effect::shared_access ? work_.parameters.shared_wait_cycles : 0);
    const Wait reason = one.result_wait;
    double unloaded = cost.latency;  // [cycles] of `result` in an idle SM
    switch (cost.effect) {
      case Effect::none:
        return;
      case Effect::block_barrier:
        return arrive(number, warp, cost, slot);
      case Effect::commit_copies:
        warp.copy_groups.push_back(
            std::max(warp.last_copy, warp.copy_groups.empty() ? 0 : warp.copy_groups.back()));
        return;
      case Effect::wait_copies:
      case Effect::jump:
        return;
      case Effect::delayed_result:
        if (cost.unit != Unit::lsu) result = begin + std::max(cost.latency, cost.busy_cycles);
        break;
      case Effect::shared_access:
        if (cost.write_scoreboard >= scoreboards)
          warp.stored = std::max(warp.stored, up(worked + work_.parameters.store_cycles));
        break;
      case Effect::global_load:
      case Effect::local_load:
        if (const double arrival = loads_.arrival(warp, cost, worked, slots_[warp.slot].place);
            arrival > result) {
          result = arrival;
          unloaded = work_.miss_latency + loads_.last_dram_wait() * (work_.dram_latency - work_.miss_latency);
        }
        break;
      case Effect::global_store:
      case Effect::local_store:
      case Effect::global_reduction:
        warp.written = std::max(warp.written, memory_.write(worked, transfer_of(cost)));
        break;
      case Effect::global_atomic:
        result = memory_.read(worked, transfer_of(cost)) - work_.miss_latency + cost.latency;
        break;
      case Effect::memory_fence:
        result = std::max(static_cast<double>(slot), warp.written) + cost.latency;
        if (cost.write_scoreboard >= scoreboards && cost.read_scoreboard >= scoreboards)
          warp.free_at = std::max(warp.free_at, up(result));
        hold(warp, cost.read_scoreboard, {result, reason, Stall::membar, 0, 1});
        break;
      case Effect::async_copy:
        result = loads_.arrival_of_copy(warp, cost, worked) + work_.parameters.async_copy_latency;
        warp.last_copy = std::max(warp.last_copy, up(result));
        warp.copy_latency = share_of(work_.miss_latency + work_.parameters.async_copy_latency,
                                     result - static_cast<double>(slot));
        hold(warp, cost.read_scoreboard, {worked, reason, Stall::long_scoreboard, 0, 0});
        return;
    }
    const Stall stall = one.result_stall;
    const double waited = result - static_cast<double>(slot) - conflicts;
    hold(warp, cost.write_scoreboard, {result, reason, stall, conflicts, share_of(unloaded, waited)});
    hold(warp, cost.read_scoreboard, {worked, reason, stall, conflicts, 0});
  }

  static double share_of(double part, double whole) { return whole > 0 ? std::min(1.0, part / whole) : 1; }

  struct Result {
    double until = 0;
    Wait reason = Wait::arithmetic;
    Stall stall = Stall::short_scoreboard;
    double conflicts = 0, latency = 0;  // as Scoreboard's
  };
  static void hold(SimulatedWarp& warp, std::uint8_t scoreboard, const Result& result) {
    if (scoreboard >= scoreboards) return;
    Scoreboard& held = warp.held[scoreboard];
    const Cycle released = up(result.until);
    if (released <= held.released) return;
    held = {released, result.reason, result.stall, static_cast<float>(result.conflicts),
            static_cast<float>(result.latency)};
  }

  void arrive(std::uint32_t number, SimulatedWarp& warp, const InstructionCost& cost, Cycle slot) {
    BlockSlot& block = slots_[warp.slot];
    BlockBarrier& barrier = block.barriers[cost.pending];
    adu_free_ = std::max(adu_free_, static_cast<double>(slot)) + cost.busy_cycles;
    barrier.last = std::max({barrier.last, up(adu_free_), warp.stored});
    ++barrier.arrived;
    if (!cost.only_arrives) {
      barrier.waiting.push_back(number);
      warp.awaits_barrier = true;
      warp.defers_blocking = cost.defers_blocking;
      warp.barrier_at = warp.at;
    }
    const std::size_t needed = cost.warps > 0 ? std::min<std::size_t>(cost.warps, block.live) : block.live;
    if (barrier.arrived >= needed) release(barrier);
  }

  const SmWork& work_;
  // By SmWork::costs.
  const std::vector<SimulatedInstruction> instructions_;
  SmTime time_;
  std::array<Quarter, quarters> quarters_;
  MemoryPath memory_;
  SimulatedLoads loads_;
  Cycle now_ = 0, last_end_ = 0;
  // Blocks with warps that run, and the sum of their mean weights.
  double running_blocks_ = 0, block_weights_ = 0;
  Load issue_, lsu_, tensor_;
  double lsu_conflicts_ = 0;
  double lsu_free_ = 0, adu_free_ = 0;
  std::vector<SimulatedWarp> warps_;
  std::vector<std::uint32_t> unused_;
  std::vector<BlockSlot> slots_;
  std::size_t next_block_ = 0, next_quarter_ = 0;
  Cycle next_begin_ = 0;
};

}  // namespace

SmTime simulate(const SmWork& work) {
  if (work.blocks.empty()) return {};
  return Simulation(work).run();
}

}  // namespace tilescope::model
