#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sessions/metrics/metric.hpp"
#include "sessions/views/point_index.hpp"

namespace tilescope {

/// The metrics that a heat map can show: those that are numbers.
std::vector<const Metric*> heat_metrics();

/// Whose figures a map shows: they are never mixed in one map.
struct HeatSource {
  LatencyKind kind = LatencyKind::measured;
  std::string device;
  /// Of a source that the kernel does not have any more.
  bool older_source = false;

  bool operator==(const HeatSource&) const = default;
};
/// "measured on L4"; of a metric that no GPU measures "calculated for L4"; ", older source" where it is one.
std::string to_words(const HeatSource& source, const Metric& metric);

/// One cell: a value for each of the two parameters.
struct HeatCell {
  enum class State { empty, value, illegal, failed };
  State state = State::empty;
  double value = 0;
  /// The value as written in the cell; "wrong" and the like for a failed one.
  std::string text;
  /// Why the cell is illegal or failed, a sentence.
  std::string reason;
  /// Of a value or a failure, into PointIndex::entries().
  std::uint32_t entry = 0;
  /// What a click sets.
  Configuration configuration;
};

struct HeatMapView {
  ValueAxis x;
  ValueAxis y;
  /// [y, x], y ascending.
  std::vector<HeatCell> cells;
  double low = 0;
  double high = 0;
  /// Colours follow the logarithm: the largest value is over four times the smallest.
  bool logarithmic = false;
  std::size_t with_value = 0;
  /// Into cells, of right results alone.
  std::optional<std::size_t> best;
  HeatSource source;

  const HeatCell& at(std::size_t column, std::size_t row) const {
    return cells[row * x.values.size() + column];
  }
  /// Where a value lies between low (0) and high (1).
  double shade(double value) const;
};

/// The sources that have a value in a slice, the device under the pickers first.
std::vector<HeatSource> heat_sources(const PointIndex& index, const Slice& slice, const Metric& metric,
                                     const std::string& device);

/// "" for a legal configuration, else the constraint's sentence.
using Legality = std::function<std::string(const Configuration&)>;

/// With the others fixed a cell is the newest point of its configuration; with all configurations it is the
/// best one. Legality is asked only with the others fixed, where a cell is one configuration.
HeatMapView heat_map(const PointIndex& index, const Slice& slice, const ValueAxis& x, const ValueAxis& y,
                     const Metric& metric, const HeatSource& source, const Legality& why_invalid);

}  // namespace tilescope
