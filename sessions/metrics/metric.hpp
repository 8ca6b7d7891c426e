#pragma once

#include <optional>
#include <string>

#include "sessions/measurement.hpp"

namespace tilescope {

/// Unit of a value, which also decides how it is written: sessions/views/points/metric_text.hpp.
enum class Unit {
  /// Whole numbers without a unit.
  count,
  /// Two decimals without a unit.
  ratio,
  /// 0 to 100
  percent,
  /// [us]
  microseconds,
  /// [B]
  bytes,
  /// [TFLOP/s]
  tflops,
  /// [MHz]
  megahertz,
  /// Three significant digits without a unit, of any order of magnitude; may be NaN.
  magnitude,
};

/// Where a metric comes from. The point's details have a section for each, tables and lists have them in this order.
enum class MetricSource {
  /// By the device. Counts for nothing where the result is wrong.
  timed,
  /// By the model, from what was counted. Never in the place of what was timed.
  predicted,
  /// From resources and the device's limits: occupancy.
  calculated,
  /// In the memory accesses of the blocks that were interpreted.
  counted,
  /// By the compiler.
  compiled,
  /// Against the float64 reference.
  checked,
};

/// Whether a value is shown as good or bad news; plain where that depends on what one wants.
enum class Tone { plain, good, bad };

/// One figure of a point: how to read it, and what it is called. Columns, heat maps, the point's details and texts are
/// made from these records.
struct Metric {
  /// Unique, and the same for good: "bank_conflicts".
  std::string tag = {};
  /// In a list of quantities, without its unit: "bank conflicts".
  std::string name = {};
  /// The thing that the value is given for: "thread" for registers. "" if it is for the whole launch.
  std::string per = {};
  /// Over a column, short and without the unit: "conflicts". "" where the unit says it.
  std::string header = {};
  /// Label of its row in the point's details: "Conflicts". "" where another row there is more precise.
  std::string label = {};
  /// A sentence for tooltips, without a full stop.
  std::string description = {};
  Unit unit = Unit::count;
  MetricSource source = MetricSource::timed;
  /// Ascending among the metrics of its source; within one place they are ordered by their tags.
  int place = 100;
  bool smaller_is_better = true;
  /// Whether the point with the best value may be called the best. False for figures without merit in themselves:
  /// registers, occupancy, an error within its tolerance.
  bool ranks = true;
  /// Whether its column is shown before the user chooses columns.
  bool shown = false;
  /// As wide as its values usually are: the width of its column.
  std::string widest = {};
  /// The value in its unit, none where the point does not have it. Null for a metric that is a text.
  std::optional<double> (*value)(const Measurement&) = nullptr;
  /// Whether a comparison of two points leaves open which one has the better value, asked only of points that have it.
  /// Null for an exact value.
  bool (*is_open)(const Measurement&, const Measurement&) = nullptr;
  /// The text, "" where the point does not have it. Null for a metric that is a number.
  std::string (*text)(const Measurement&) = nullptr;
  /// Null where the value is always plain. Asked only of points that have the value.
  Tone (*tone)(const Measurement&) = nullptr;
};

}  // namespace tilescope
