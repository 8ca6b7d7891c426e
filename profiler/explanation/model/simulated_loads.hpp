#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "profiler/explanation/model/memory_path.hpp"
#include "profiler/explanation/model/mixed_hash.hpp"
#include "profiler/explanation/model/simulated_warp.hpp"
#include "profiler/explanation/model/sm_simulation.hpp"

namespace tilescope::model {

/// The transfer of one execution of an instruction.
inline Transfer transfer_of(const InstructionCost& cost) {
  return {cost.read_cycles, cost.write_cycles, cost.dram_cycles, cost.queue_cycles, 0};
}

/// Loads of the warps of an SM, as far as they leave L1.
class SimulatedLoads {
 public:
  /// Both must outlive it.
  SimulatedLoads(const SmWork& work, MemoryPath& memory) : work_(work), memory_(memory) {}

  /// When the data of a load that begins then arrive. `place`: the block's, along x, y and z.
  double arrival(SimulatedWarp& warp, const InstructionCost& cost, double begin,
                 const std::array<std::uint64_t, 3>& place) {
    if (warp.loads.size() <= cost.load_number) warp.loads.resize(cost.load_number + std::size_t{1});
    const std::uint32_t execution = warp.loads[cost.load_number]++;
    if (cost.waiting_share <= 0) return begin;
    // A load that misses now and then misses at its first execution, and then at regular distances.
    const double share = cost.waiting_share, before = execution;
    if (!happens(share, before)) return begin;
    const double bytes = cost.l2_bytes / share;
    const double missed = std::floor(before * share);
    last_dram_wait_ = dram_wait(warp, cost, missed);
    const Transfer transfer{cost.read_cycles / share, cost.write_cycles / share, cost.dram_cycles / share, 0,
                            last_dram_wait_};
    if (cost.shared_along == 0) return memory_.load(begin, transfer, bytes, warp.weight);
    return memory_.load_shared(begin, transfer, bytes, warp.weight, load_key(warp, cost, execution, place));
  }

  /// When the data of an asynchronous copy arrive.
  double arrival_of_copy(SimulatedWarp& warp, const InstructionCost& cost, double begin) {
    Transfer transfer = transfer_of(cost);
    transfer.waits_for_dram = dram_wait(warp, cost, warp.copies++);
    return memory_.read(begin, transfer);
  }
  /// The part of the last load that waited for DRAM.
  double last_dram_wait() const { return last_dram_wait_; }

 private:
  // Its multiples are spread evenly over 0 to 1.
  static constexpr double golden_ratio = 0.6180339887;

  // Whether one of many equal events is one of those that a share of them are, at regular distances.
  static bool happens(double share, double before) {
    return share > 0 && std::ceil((before + 1) * share) > std::ceil(before * share);
  }

  // Where it is known which loads touch memory first, they wait for DRAM, and no other ones.
  double dram_wait(const SimulatedWarp& warp, const InstructionCost& cost, double before) const {
    if (!work_.is_touch_known) return work_.dram_wait;
    if (cost.dram_share <= 0) return 0;
    if (!cost.is_lost_here_and_there) return happens(cost.dram_share, before) ? 1 : 0;
    // Each load of each warp begins elsewhere.
    const double begin =
        std::fmod(golden_ratio * static_cast<double>(warp.at + 16 * warp.number_in_block), 1.0);
    return happens(cost.dram_share, before + begin / cost.dram_share) ? 1 : 0;
  }

  // Equal for two blocks that load the same there.
  std::uint64_t load_key(const SimulatedWarp& warp, const InstructionCost& cost, std::uint32_t execution,
                         const std::array<std::uint64_t, 3>& place) const {
    std::uint64_t key = mixed(mixed(warp.at, warp.number_in_block), execution);
    key = mixed(key, (cost.shared_along & 1u) != 0 ? 0 : place[0] + 1);
    key = mixed(key, (cost.shared_along & 2u) != 0 ? place[1] / work_.heads_of_group : place[1]);
    return mixed(key, (cost.shared_along & 4u) != 0 ? 0 : place[2] + 1);
  }

  const SmWork& work_;
  MemoryPath& memory_;
  double last_dram_wait_ = 0;
};

}  // namespace tilescope::model
