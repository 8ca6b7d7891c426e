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
  int frames() const { return static_cast<int>(costs_ms_.size()); }
  /// {frames, points, median_ms, p90_ms, max_ms, rss_mb}; the first frames, which lay out and rasterise
  /// glyphs, are left out of the statistics.
  Json report(std::size_t points) const;

 private:
  double start_ms_ = 0;
  std::vector<double> costs_ms_;
};

}  // namespace tilescope
