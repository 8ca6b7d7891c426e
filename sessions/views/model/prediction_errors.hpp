#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sessions/shared_measurement.hpp"
#include "sessions/views/model/prediction_parts.hpp"
#include "sessions/views/points/point_text.hpp"
#include "sessions/views/points/taken_points.hpp"

namespace tilescope {

/// Which points are compared.
struct ErrorsChoice {
  std::string device;
  /// Nothing: of all kernels.
  std::optional<std::string> kernel;
  /// Nothing: of all shapes.
  std::optional<Shape> shape;

  bool operator==(const ErrorsChoice&) const = default;
};

/// A point with a latency and a prediction.
struct ErrorDot {
  double measured_us = 0;
  double predicted_us = 0;
  /// (predicted - measured) / measured
  double error = 0;
  /// Into ErrorsView::points.
  std::uint32_t entry = 0;
};

/// Errors of one kernel.
struct ErrorSeries {
  std::string kernel;
  std::vector<ErrorDot> dots;
};

/// The errors of some points in figures, all of them as fractions.
struct ErrorRow {
  /// A kernel, a part that limits, or "all".
  std::string name;
  std::size_t points = 0;
  double mean_error = 0;
  /// 90th percentile of |error|: the smallest that at least 90 % of the points do not exceed.
  double p90_error = 0;
  /// Share of the points whose measured p50 lies between the bounds of the prediction.
  double within_band = 0;
  /// Mean |error| of the roofline time, over the points that have one.
  std::optional<double> roofline_error;
};

/// How far the predictions of a device are from what was measured on it.
struct ErrorsView {
  ErrorsChoice choice;
  std::vector<SharedMeasurement> points;
  /// By name.
  std::vector<ErrorSeries> series;
  /// By name, of all points of the device: a kernel has the same mark whatever is chosen.
  std::vector<std::string> all_kernels;
  /// "all" first, then the largest mean |error| first.
  std::vector<ErrorRow> by_kernel;
  /// By what limits, the largest mean |error| first.
  std::vector<ErrorRow> by_limiter;
  /// The largest |error| first.
  std::vector<ErrorDot> worst;
  static constexpr std::size_t most_misses = 10;
  /// Correct points of the device that are left out: of another kernel or shape, with one of the two times alone, and
  /// with neither.
  std::size_t not_chosen = 0;
  std::size_t predicted_alone = 0;
  std::size_t measured_alone = 0;
  std::size_t with_neither = 0;
  /// [us] The ends of both axes.
  double low_us = 1;
  double high_us = 100;
  /// [us] Between them 1, 2 and 5 times powers of ten; none where the powers alone are enough.
  std::vector<double> ticks;
};
ErrorsView prediction_errors(const PointList& session, const PointList& recorded, const ErrorsChoice& choice);

/// A device, and how many of its correct points have a latency and a prediction.
struct ErrorsDevice {
  std::string name;
  std::size_t points = 0;
};
/// By name; devices that have such points.
std::vector<ErrorsDevice> prediction_error_devices(const PointList& session, const PointList& recorded);

/// The figures of a point in a tooltip.
std::vector<TextPair> error_tooltip(const Measurement& point);

/// Why there is nothing to compare, and what is missing, in sentences.
std::string why_no_errors(const ErrorsView& view);

/// Table for a panel of both, a line each: the parts of the shown point, the tables, then every point.
std::string model_csv(const std::optional<PartsView>& parts, const ErrorsView& errors);

}  // namespace tilescope
