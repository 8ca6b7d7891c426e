#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sessions/views/points/point_index.hpp"

namespace tilescope {

/// A place of the occupancy plot: occupancy has few values, so that many configurations share one.
struct OccupancyDot {
  double x = 0;
  /// 0 to 100
  double percent = 0;
  /// The newest point here, into PointIndex::entries().
  std::uint32_t entry = 0;
  /// Number of points here.
  std::uint32_t count = 1;
};

/// Dots of one limiter on one device.
struct OccupancySeries {
  Limiter limiter = Limiter::warps;
  std::string device;
  /// Whether it is on the chosen device; others are drawn hollow.
  bool own_device = true;
  /// Measured with an older source of the kernel.
  bool older_source = false;
  /// "limited by registers", "limited by registers, H200", "SM full (warps)"
  std::string legend;
  /// Ascending in x, then in percent.
  std::vector<OccupancyDot> dots;
};

/// Occupancy against one parameter.
struct OccupancyView {
  std::vector<OccupancySeries> series;
  std::size_t points = 0;
  /// The newest point of each value on the chosen device, joined by a line; empty when all configurations are shown.
  std::vector<OccupancyDot> line;
  /// The point of the chosen configuration on the chosen device: one or none.
  std::vector<OccupancyDot> current;

  bool empty() const { return series.empty(); }
};

/// "limited by shared memory", "SM full (warps)"
std::string limited_words(const Occupancy& occupancy);

OccupancyView occupancy_against(const PointIndex& index, const Slice& slice, const ValueAxis& axis,
                                const std::string& device);

/// The nearest entry whose dot lies within `radius` pixels of a place of the plot, and the number of points there.
struct OccupancyHit {
  std::uint32_t entry = 0;
  std::uint32_t count = 1;
};
std::optional<OccupancyHit> nearest_dot(const OccupancyView& view, double x, double percent,
                                        double pixels_per_x, double pixels_per_percent, double radius);

}  // namespace tilescope
