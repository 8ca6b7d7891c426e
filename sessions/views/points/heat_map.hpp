#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sessions/metrics/metric.hpp"
#include "sessions/views/points/point_index.hpp"

namespace tilescope {

/// The metrics that a heat map can show: those that are numbers.
std::vector<const Metric*> heat_metrics();

/// Source of the figures of a map: sources are never mixed in one map.
struct HeatSource {
  LatencyKind kind = LatencyKind::measured;
  std::string device;
  /// Made with a source that the kernel does not have any more.
  bool older_source = false;

  bool operator==(const HeatSource&) const = default;
};
/// "measured on L4"; of a metric that no GPU measures "calculated for L4", "predicted for L4"; ", older source" where it is
/// one.
std::string to_words(const HeatSource& source, const Metric& metric);

/// One cell: a value for each of the two parameters.
struct HeatCell {
  enum class State { empty, value, invalid, failed };
  State state = State::empty;
  double value = 0;
  /// The value as written in the cell; "incorrect" and the like for a failed one.
  std::string text;
  /// Why the cell is invalid or failed, a sentence.
  std::string reason;
  /// Its value is of a result that was compared with nothing, as the points of a file mostly are.
  bool unchecked = false;
  /// A comparison cannot tell it from the cell with the best value.
  bool ties_with_best = false;
  /// Entry of a value or a failure, in PointIndex::entries().
  std::uint32_t entry = 0;
  /// Configuration that a click sets.
  Configuration configuration;
};

struct HeatMapView {
  ValueAxis x;
  ValueAxis y;
  /// [y, x], y ascending.
  std::vector<HeatCell> cells;
  /// The ends of the colour scale: 0 and 100 for a percentage, unless a value lies above, else the smallest and the
  /// largest value shown.
  double low = 0;
  double high = 0;
  /// The ends are of the values shown: a colour says nothing about another map.
  bool relative = false;
  /// Colours follow the logarithm: the largest value is over four times the smallest. Never of a percentage.
  bool logarithmic = false;
  std::size_t with_value = 0;
  /// The first of at least two cells, where a comparison tells all others from it: of correct results alone where there
  /// are some, and none where they do different work.
  std::optional<std::size_t> first;
  /// "3 of 15 cannot be told from the best", of cells with a value; "" where there are none, and for exact figures.
  std::string ties;
  /// Word for the first: "best", or "lowest" or "highest" if its value is bad, or neither good nor bad.
  std::string first_word;
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

/// The metric that a map shows before the user chooses one: the first that the slice has values of for the device, else
/// the first that it has any of. Latencies come first, then predicted ones, then bank conflicts. For an empty slice the
/// latency where the device is in this machine, else the predicted one.
const Metric& first_heat_metric(const PointIndex& index, const Slice& slice, const std::string& device,
                                bool is_present);

/// "" for a valid configuration, else the constraint's sentence.
using Validity = std::function<std::string(const Configuration&)>;

/// With the others fixed a cell is the newest point of its configuration; with all configurations it is the
/// best one. Validity is asked only with the others fixed, where a cell is one configuration.
HeatMapView heat_map(const PointIndex& index, const Slice& slice, const ValueAxis& x, const ValueAxis& y,
                     const Metric& metric, const HeatSource& source, const Validity& why_invalid);

/// Under the colour scale: "relative", "relative, log", "" for a fixed scale.
std::string scale_words(const HeatMapView& view);
/// The scale in sentences, for a tooltip.
std::string scale_help(const HeatMapView& view);

}  // namespace tilescope
