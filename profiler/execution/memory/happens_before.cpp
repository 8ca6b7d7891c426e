#include "profiler/execution/memory/happens_before.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilescope {

using simt::LaneMask;

void HappensBefore::begin(std::uint32_t threads) {
  threads_ = threads;
  now_ = 1;
  warps_.resize((threads + simt::lane_count - 1) / simt::lane_count);
  for (Warp& warp : warps_) {
    warp.clocks.resize(1);
    warp.clocks[0].lanes = simt::all_lanes;
    warp.clocks[0].known.assign(threads, 0);
    warp.clock_of.fill(0);
    warp.floor = 0;
  }
  for (std::vector<Moment>& known : arrivals_) known.clear();
}

// Merges the clocks of the lanes: the latest moment of each thread that any of them knows.
void HappensBefore::join(std::vector<Moment>& into, std::size_t warp, LaneMask lanes) const {
  if (into.empty()) into.assign(threads_, 0);
  for (const Clock& clock : warps_[warp].clocks) {
    if ((clock.lanes & lanes) == 0) continue;
    for (std::size_t thread = 0; thread < threads_; ++thread) {
      into[thread] = std::max(into[thread], clock.known[thread]);
    }
  }
}

// Adds the lanes' own accesses up to now.
void HappensBefore::set_lanes(std::vector<Moment>& known, std::size_t warp, LaneMask lanes) const {
  const std::size_t first = warp * simt::lane_count;
  for (std::size_t lane = 0; lane < simt::lane_count && first + lane < threads_; ++lane) {
    if ((lanes >> lane & 1u) != 0) known[first + lane] = now_;
  }
}

void HappensBefore::give(std::size_t warp, LaneMask lanes, std::vector<Moment> known) {
  Warp& own = warps_[warp];
  for (Clock& clock : own.clocks) clock.lanes &= ~lanes;
  std::erase_if(own.clocks, [](const Clock& clock) { return clock.lanes == 0; });
  own.clocks.push_back({lanes, std::move(known)});
  own.floor = now_;
  for (std::size_t c = 0; c < own.clocks.size(); ++c) {
    const Clock& clock = own.clocks[c];
    own.floor = std::min(own.floor, *std::ranges::min_element(clock.known));
    for (LaneMask rest = clock.lanes; rest != 0; rest &= rest - 1) {
      own.clock_of[static_cast<std::size_t>(std::countr_zero(rest))] = static_cast<std::uint8_t>(c);
    }
  }
}

void HappensBefore::warp_barrier(std::size_t warp, LaneMask lanes, LaneMask live) {
  if ((live & ~lanes) == 0) lanes = simt::all_lanes;
  Warp& own = warps_[warp];
  if (lanes == simt::all_lanes && own.clocks.size() == 1) {
    set_lanes(own.clocks[0].known, warp, lanes);
    if (warps_.size() == 1) own.floor = now_;
  } else {
    std::vector<Moment> known;
    join(known, warp, lanes);
    set_lanes(known, warp, lanes);
    give(warp, lanes, std::move(known));
  }
  ++now_;
}

void HappensBefore::arrive(std::size_t warp, LaneMask lanes, std::size_t barrier) {
  join(arrivals_[barrier], warp, lanes);
  set_lanes(arrivals_[barrier], warp, lanes);
  ++now_;
}

// The lanes with which the block was started; its last warp may have fewer than 32.
LaneMask HappensBefore::threads_of(std::size_t warp) const {
  const std::size_t rest = threads_ - warp * simt::lane_count;
  return rest >= simt::lane_count ? simt::all_lanes : (LaneMask{1} << rest) - 1;
}

void HappensBefore::block_barrier(std::size_t barrier, bool of_all, std::span<const LaneMask> arrived,
                                  std::span<const LaneMask> released, std::span<const LaneMask> live) {
  bool is_whole = true;
  for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
    const LaneMask members = of_all ? live[warp] : threads_of(warp);
    is_whole = is_whole && ((members | arrived[warp]) & ~released[warp]) == 0;
  }
  if (is_whole) {
    for (Warp& warp : warps_) {
      warp.clocks.resize(1);
      warp.clocks[0].lanes = simt::all_lanes;
      std::ranges::fill(warp.clocks[0].known, now_);
      warp.clock_of.fill(0);
      warp.floor = now_;
    }
  } else {
    for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
      if (released[warp] == 0) continue;
      std::vector<Moment> known = arrivals_[barrier];
      const LaneMask lanes = (live[warp] & ~released[warp]) == 0 ? simt::all_lanes : released[warp];
      join(known, warp, lanes);
      give(warp, lanes, std::move(known));
    }
  }
  arrivals_[barrier].clear();
  ++now_;
}

}  // namespace tilescope
