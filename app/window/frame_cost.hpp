#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

/// The cost of our own code per frame: the processor time of the window's thread from the frame's beginning to its draw
/// list. The rasteriser and the wait for the display come after it.
class FrameCost {
 public:
  bool keeps_slow_parts = false;

  void begin();
  void end();
  /// Runs a part of the window's loop. Returns for how long it delayed the thread [ms], working or waiting for a lock
  /// or a disk, and records that for tests and benchmarks if it was long. `frame` is the latest one.
  template <class Part>
  double watch(const char* name, int frame, Part part) {
    const Moment start = now();
    part();
    return note(name, frame, start);
  }
  /// {frames, points, median_ms, p90_ms, max_ms, rss_mb} of the latest frames, and `slow`, the latest parts that took
  /// more than 4 ms: {frame, part, held_ms, processor_ms}, without the time for which other threads had the processors.
  /// The first frames, which lay out and rasterise glyphs, are not part of the statistics.
  Json report(std::size_t points) const;

 private:
  struct Moment {
    /// [ms] since an arbitrary time, without the time that this thread waited for a processor.
    double held_ms = 0;
    /// [ms] of this thread.
    double processor_ms = 0;
  };
  struct SlowPart {
    int frame = 0;
    const char* name = "";
    Moment took;
  };

  static Moment now();
  double note(const char* name, int frame, Moment start);

  double start_ms_ = 0;
  /// The latest frames, oldest first.
  std::vector<double> costs_ms_;
  /// Oldest first.
  std::deque<SlowPart> slow_;
};

}  // namespace tilescope
