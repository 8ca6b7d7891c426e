#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sessions/shared_measurement.hpp"
#include "sessions/views/points/ladder.hpp"
#include "sessions/views/points/taken_points.hpp"

namespace tilescope {

/// One configuration at one shape.
struct ShapeCell {
  /// nullptr where there is none. It need not be correct.
  SharedMeasurement point;
  /// Where the latency comes from; none where the point is not correct or has no latency.
  std::optional<LadderKind> kind;
  /// [us] p10, p50 and p90 of what was timed; the band of a prediction (see `kind`). 0 without one.
  double low_us = 0, p50_us = 0, high_us = 0;
  /// Latency over the best of the column, from 1; none for a cell that is not ranked.
  std::optional<double> ratio;
  bool is_best = false;
  /// Not the best, but a comparison of the two does not decide which is faster.
  bool ties_with_best = false;
  /// Why it is not ranked: "no point", "Incorrect result"; "" where it is.
  std::string why_not_ranked;
};

/// Relative cost of using one configuration at all shapes instead of the best one at each. 0.05 is 5 %.
struct Regret {
  /// The arithmetic mean over the shapes.
  double mean = 0;
  double worst = 0;
  /// Into ShapeMatrix::columns.
  std::size_t worst_column = 0;

  bool operator==(const Regret&) const = default;
};

/// A kernel and configuration at every shape.
struct ShapeRow {
  std::string kernel;
  Configuration parameters;
  KernelCompiler compiler = KernelCompiler::nvrtc;
  /// Name that distinguishes the row: "flash_scalar BLOCK_M=64", without the kernel if all rows have the
  /// same.
  std::string name;
  /// As many as there are columns.
  std::vector<ShapeCell> cells;
  /// None where a cell is not ranked in a column that counts.
  std::optional<Regret> regret;
  /// In a sentence; "" where there is a regret.
  std::string why_no_regret;
};

struct ShapeColumn {
  Shape shape;
  /// How many cells are ranked. A column without any does not count for the regret.
  std::size_t ranked = 0;
  /// The ranked times are predictions: nothing was timed here.
  bool is_predicted = false;

  bool counts() const { return ranked > 0; }
};

/// Latencies of configurations at shapes, on one device. Where a column has timed latencies, its predicted ones are shown
/// and not ranked.
struct ShapeMatrix {
  std::string device;
  std::vector<ShapeColumn> columns;
  /// By the worst regret, then by the mean one; those without a regret last, those with more ranked cells first.
  std::vector<ShapeRow> rows;
  /// Notes for the reader, in sentences: predicted times, omitted points.
  std::vector<std::string> notes;
};

/// A matrix for each device in the order of the points, at these shapes; without any at all shapes of the
/// points. Among several points of one configuration at one shape, a timed one is preferred to a predicted
/// one, then the newest; but a failure of the kernel hides correct points before it. Cancelled points are
/// left out.
std::vector<ShapeMatrix> shape_matrices(const PointList& points, const std::vector<Shape>& shapes = {});

}  // namespace tilescope
