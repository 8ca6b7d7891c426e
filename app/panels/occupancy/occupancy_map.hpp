#pragma once

#include <cstdint>
#include <string>

#include "app/panels/points/kernel_points.hpp"
#include "profiler/explanation/occupancy/occupancy_map.hpp"

namespace tilescope {

/// Occupancy over two parameters, colored by limiter, with waves and tail.
class OccupancyMap {
 public:
  void draw(Explorer& explorer);
  std::string csv() const { return occupancy_map_csv(view_); }

 private:
  /// Everything that the map was made from, besides the points.
  struct Key {
    Slice slice;
    std::string kernel;
    std::string device;
    std::uint64_t kernels_revision = 0;
    std::uint64_t prefetched_revision = 0;

    bool operator==(const Key&) const = default;
  };

  void derive(const Explorer& explorer, const ValueAxis& x, const ValueAxis& y, bool points_changed);
  void draw_legend_line() const;
  void draw_cells(Explorer& explorer) const;
  void cell_tooltip_of(const OccupancyMapCell& cell) const;

  std::string x_;
  std::string y_;
  Key key_;
  KernelPoints points_;
  OccupancyMapView view_;
};

}  // namespace tilescope
