#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sessions/metrics/metric.hpp"
#include "sessions/shared_measurement.hpp"
#include "sessions/views/points/value_axis.hpp"

namespace tilescope {

/// One point in the table of points.
struct PointRow {
  SharedMeasurement point;
  bool recorded = false;
  /// From 1 among correct results of one shape, device, origin, operations and age of source by p50, of points that were
  /// not timed by the predicted one; 0 for no rank.
  std::uint32_t rank = 0;
  /// Lower case: kernel, configuration, shape, device, status, compiler.
  std::string searchable;
  /// Compiled from another source than the kernel has now; false of recorded ones.
  bool older_source = false;
  /// [us] p50 of a row with a rank: kept here, because ten thousand points are all over the memory.
  double ranked_us = 0;
  /// For a row with a rank: ranked_us is a prediction.
  bool is_predicted = false;
  /// For a row with a rank: it times a part of attention alone.
  bool is_part = false;
  /// For a rank after the first: a comparison cannot tell it from the first.
  bool ties_with_first = false;
};

/// One column of the table: a metric, a parameter, or something that the row itself knows.
struct PointColumn {
  /// A metric's own tag, "parameter NAME", else a name of its own for what the row knows: "rank", "status", "kernel".
  std::string tag = {};
  /// With the unit.
  std::string header = {};
  std::string help = {};
  /// At first.
  bool shown = true;
  /// Set right, so that digits align.
  bool is_number = false;
  /// A text as wide as those that the column usually has.
  std::string widest = {};
  /// Tells rows apart: it stays at the left while the table is scrolled.
  bool identifies = false;
  const Metric* metric = nullptr;
  /// Name of a parameter's column.
  std::string parameter = {};
  /// Text of a column that the row itself knows.
  std::string (*text)(const PointRow&) = nullptr;
  /// Number by which such a column is sorted, if it is.
  std::optional<double> (*number)(const PointRow&) = nullptr;
};

/// The columns of a table: those that identify a row, then its figures, then the parameters.
std::vector<PointColumn> point_columns(const std::vector<ParameterChoices>& parameters);

/// The parameters of several kernels, each once with the values of all, and after them those that only points have.
std::vector<ParameterChoices> all_parameters(const std::vector<ParameterChoices>& declared,
                                             const Configuration& of_points);

/// The text of a cell; "" for a figure that the point does not have.
std::string cell_text(const PointRow& row, const PointColumn& column);

/// Whether a column is sorted by numbers: by its texts otherwise.
bool sorts_by_number(const PointColumn& column);

/// The number that a row is sorted by, none where it has none. An incorrect result has no figure of speed here, and a figure
/// that is NaN or infinite is larger than all others.
std::optional<double> sort_number(const PointRow& row, const PointColumn& column);

}  // namespace tilescope
