#pragma once

#include <cstddef>
#include <vector>

#include "sessions/json.hpp"

namespace tilescope {

/// What our own code costs a frame: the processor time of the window's thread from the frame's beginning to
/// its draw list. The rasteriser and the wait for the display come after it.
class FrameCost {
 public:
  void begin();
  void end();
  /// {frames, points, median_ms, p90_ms, max_ms, rss_mb} of the latest frames. Of few frames the first, which
  /// lay out and rasterise glyphs, are left out of the statistics.
  Json report(std::size_t points) const;

 private:
  double start_ms_ = 0;
  std::vector<double> costs_ms_;  ///< Of the latest frames, oldest first.
};

}  // namespace tilescope
