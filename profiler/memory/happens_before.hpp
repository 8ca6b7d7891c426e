#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/ptx/program.hpp"

namespace tilescope {

/// A moment of a block: synchronisations count it up. An access is stamped with the moment of its execution.
using Moment = std::int32_t;

/// Which accesses of a thread block's threads are ordered by its barriers: vector clocks over its threads.
///
/// What a thread did up to known()[its number] comes before what the asking thread does now. Only synchronisation counts:
/// block barriers, whole, partial or named, and bar.warp.sync. That the interpreter runs a warp in lockstep orders nothing,
/// and neither do shuffles (PTX ISA, "Memory Consistency Model": they synchronise without ordering memory).
///
/// The lanes of a warp that know the same share one clock, so that a warp that synchronises as a whole has one.
class HappensBefore {
 public:
  void begin(std::uint32_t threads);

  Moment now() const { return now_; }
  /// Accesses up to this moment come before what any lane of the warp does now, whoever made them.
  Moment floor(std::size_t warp) const { return warps_[warp].floor; }
  /// By thread of the block: see above. Of lane `lane` of warp `warp`.
  std::span<const Moment> known(std::size_t warp, std::size_t lane) const {
    const Warp& lanes = warps_[warp];
    return lanes.clocks[lanes.clock_of[lane]].known;
  }
  /// Whether all lanes of the warp know the same.
  bool is_uniform(std::size_t warp) const { return warps_[warp].clocks.size() == 1; }

  /// bar.warp.sync of `lanes`; `live` are those of the warp that have not exited.
  void warp_barrier(std::size_t warp, ptx::LaneMask lanes, ptx::LaneMask live);
  /// Lanes come to a block barrier. What they do from here on (bar.arrive) it does not order.
  void arrive(std::size_t warp, ptx::LaneMask lanes, std::size_t barrier);
  /// The barrier lets lanes go; masks by warp. At one that waits for all threads (`of_all`), those that exited have
  /// arrived; at one that waits for a number of threads they have not.
  void block_barrier(std::size_t barrier, bool of_all, std::span<const ptx::LaneMask> arrived,
                     std::span<const ptx::LaneMask> released, std::span<const ptx::LaneMask> live);

 private:
  struct Clock {
    ptx::LaneMask lanes = 0;
    std::vector<Moment> known;  // by thread
  };
  struct Warp {
    std::vector<Clock> clocks;  // of disjoint lanes, all 32 together
    std::array<std::uint8_t, ptx::lane_count> clock_of{};
    Moment floor = 0;
  };
  void join(std::vector<Moment>& into, std::size_t warp, ptx::LaneMask lanes) const;
  void set_lanes(std::vector<Moment>& known, std::size_t warp, ptx::LaneMask lanes) const;
  void give(std::size_t warp, ptx::LaneMask lanes, std::vector<Moment> known);
  ptx::LaneMask threads_of(std::size_t warp) const;

  Moment now_ = 1;
  std::vector<Warp> warps_;
  std::array<std::vector<Moment>, 16>
      arrivals_;  // what those know that came to a barrier that is not complete
  std::uint32_t threads_ = 0;
};

}  // namespace tilescope
