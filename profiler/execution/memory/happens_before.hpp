#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/execution/simt/program.hpp"

namespace tilescope {

/// A moment of a block, incremented by synchronisations. An access has the moment of its execution.
using Moment = std::int32_t;

/// Tracks which accesses of a block's threads are ordered by its barriers, with vector clocks over its threads.
///
/// A thread's accesses up to known()[its number] happen before what the querying thread does now. Only synchronisation
/// counts: block barriers, whole, partial or named, and bar.warp.sync. The interpreter's lockstep execution of a warp
/// orders nothing, and neither do shuffles (PTX ISA, "Memory Consistency Model": they synchronise without ordering
/// memory).
///
/// The lanes of a warp with the same knowledge share one clock, so that a warp that synchronises as a whole has one.
class HappensBefore {
 public:
  void begin(std::uint32_t threads);

  Moment now() const { return now_; }
  /// Begins a new moment: for an order that others track.
  void tick() { ++now_; }
  /// All accesses up to this moment, by any thread, happen before what any lane of the warp does now.
  Moment floor(std::size_t warp) const { return warps_[warp].floor; }
  /// The clock of lane `lane` of warp `warp`, by thread of the block: see above.
  std::span<const Moment> known(std::size_t warp, std::size_t lane) const {
    const Warp& lanes = warps_[warp];
    return lanes.clocks[lanes.clock_of[lane]].known;
  }
  /// Whether all lanes of the warp have the same clock.
  bool is_uniform(std::size_t warp) const { return warps_[warp].clocks.size() == 1; }

  /// bar.warp.sync of `lanes`; `live`: the warp's lanes that have not exited.
  void warp_barrier(std::size_t warp, simt::LaneMask lanes, simt::LaneMask live);
  /// Lanes arrive at a block barrier. It does not order what they do afterwards (bar.arrive).
  void arrive(std::size_t warp, simt::LaneMask lanes, std::size_t barrier);
  /// The barrier releases lanes; masks by warp. At a barrier of all threads (`of_all`) exited threads count as arrived;
  /// at a barrier of a number of threads they do not.
  void block_barrier(std::size_t barrier, bool of_all, std::span<const simt::LaneMask> arrived,
                     std::span<const simt::LaneMask> released, std::span<const simt::LaneMask> live);

 private:
  struct Clock {
    simt::LaneMask lanes = 0;
    std::vector<Moment> known;  // by thread
  };
  struct Warp {
    std::vector<Clock> clocks;  // of disjoint lanes, all 32 together
    std::array<std::uint8_t, simt::lane_count> clock_of{};
    Moment floor = 0;
  };
  void join(std::vector<Moment>& into, std::size_t warp, simt::LaneMask lanes) const;
  void set_lanes(std::vector<Moment>& known, std::size_t warp, simt::LaneMask lanes) const;
  void give(std::size_t warp, simt::LaneMask lanes, std::vector<Moment> known);
  simt::LaneMask threads_of(std::size_t warp) const;

  Moment now_ = 1;
  std::vector<Warp> warps_;
  std::array<std::vector<Moment>, 16>
      arrivals_;  // the clocks of threads that arrived at an incomplete barrier
  std::uint32_t threads_ = 0;
};

}  // namespace tilescope
