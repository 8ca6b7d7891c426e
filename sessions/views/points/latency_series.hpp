#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sessions/views/points/point_index.hpp"
#include "sessions/views/points/result_kind.hpp"

namespace tilescope {

/// Share of the distance between two values: how far dots are jittered to either side of their value.
inline constexpr double spread_in_column = 0.2;

/// One point of the latency plot. Times in [us].
struct LatencyDot {
  /// On the parameter's axis; jittered around its value when all configurations are shown.
  double x = 0;
  double p50_us = 0;
  /// p50 - p10, of a prediction p50 - low.
  double below_us = 0;
  /// p90 - p50, of a prediction high - p50.
  double above_us = 0;
  /// Into PointIndex::entries().
  std::uint32_t entry = 0;
};

/// Dots that are drawn alike: of one kind, one device, right or wrong. A point with a latency and a prediction has a
/// dot in two of them.
struct LatencySeries {
  LatencyKind kind = LatencyKind::measured;
  /// The dots are predictions; `kind` says whether their session is a recorded one.
  bool predicted = false;
  std::string device;
  /// The chosen one.
  bool own_device = true;
  ResultKind result = ResultKind::correct;
  /// Incorrect, or with faults: in no ranking and not joined by a line.
  bool wrong = false;
  /// Made with a source that the kernel does not have any more.
  bool older_source = false;
  /// "measured on H200", "predicted for L4", "predicted for H200, of the recorded session", "incorrect result, measured on
  /// H200, older source", "not checked, predicted for L4"
  std::string legend;
  /// Ascending in x.
  std::vector<LatencyDot> dots;
};

/// A configuration without a latency because it failed.
struct FailedDot {
  double x = 0;
  std::uint32_t entry = 0;
  bool older_source = false;
};

/// Timed points of the kernel that a slice does not have.
struct TimedElsewhere {
  std::string device;
  std::size_t points = 0;
  /// Points of the slice's shape, at other settings.
  std::size_t of_this_shape = 0;
};

/// Latency against one parameter.
struct LatencyView {
  /// The slice's own device first, measured before recorded before predicted.
  std::vector<LatencySeries> series;
  std::vector<FailedDot> failed;
  /// The dots of the chosen configuration, the newest of each series.
  std::vector<LatencyDot> current;
  /// Correct points with neither a latency nor a prediction.
  std::size_t without_latency = 0;
  /// Points of the shape with a latency or a prediction, also those outside of the slice.
  std::size_t of_this_shape = 0;
  /// Points at other shapes with a latency or a prediction, and the most common such shape.
  std::size_t of_other_shapes = 0;
  std::optional<Shape> other_shape;
  /// Where the slice has no timed point: the device with the most of them.
  std::optional<TimedElsewhere> elsewhere;
  /// Smallest p10 of all series, 0 when there is none.
  double low_us = 0;
  /// Largest p90.
  double high_us = 0;

  bool empty() const { return series.empty(); }
};

/// `device` is the chosen one, whose series come first. If the other parameters are fixed, only the newest point of
/// each value is shown.
LatencyView latency_against(const PointIndex& index, const Slice& slice, const ValueAxis& axis,
                            const std::string& device);

/// "108 points were measured on H200, none at these settings: 12 of this shape at other slider values."
std::string timed_elsewhere_words(const TimedElsewhere& elsewhere);

/// The title of the axis: "p50 with p10 to p90 [µs]", "predicted p50 with its band [µs]", or one that names both. `is_short`
/// leaves out what the whiskers are.
std::string latency_axis_words(const LatencyView& view, bool is_short);

/// Maps dots to the screen: the number of pixels per unit of x and of y (or of log10 y).
struct PixelScale {
  double per_x = 1;
  double per_y = 1;
  bool log_y = false;
};

/// The nearest entry whose dot lies within `radius` pixels of a place of the plot.
std::optional<std::uint32_t> nearest_dot(const LatencyView& view, double x, double y_us, PixelScale scale,
                                         double radius);

}  // namespace tilescope
