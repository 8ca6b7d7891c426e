#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/panels/points/kernel_points.hpp"
#include "profiler/views/points/partial_point.hpp"
#include "sessions/views/occupancy/occupancy_series.hpp"

namespace tilescope {

/// The occupancy of the kernel's points against one parameter.
class OccupancyPoints {
 public:
  void draw(Explorer& explorer);
  std::string csv() const;

 private:
  struct Options {
    std::string axis;
    bool all_configurations = false;

    bool operator==(const Options&) const = default;
  };

  void derive(const Explorer& explorer, bool points_changed);
  void draw_plot(Explorer& explorer);
  void draw_above_plot(const Explorer& explorer) const;
  void setup_axes();
  void draw_series(const OccupancySeries& series) const;
  void draw_line() const;
  void draw_counts() const;
  bool draw_partial(const Explorer& explorer) const;
  void react_to_mouse(Explorer& explorer) const;

  Options options_;
  Options fitted_options_;
  /// Values on the axis: another kernel may have other values for the same parameter.
  std::vector<double> fitted_positions_;
  Slice slice_;
  ValueAxis axis_;
  std::string device_;
  KernelPoints points_;
  FollowedSweep followed_sweep_;
  /// A double click: back to the first axes.
  bool wants_all_ = false;
  OccupancyView view_;
  /// Mark of the point that is being made.
  std::optional<PartialMark> provisional_;
  /// Points of the kernel and shape whose other parameters are not at the slider values.
  std::size_t of_other_settings_ = 0;
};

}  // namespace tilescope
