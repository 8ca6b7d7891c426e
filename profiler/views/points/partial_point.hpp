#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profiler/service/requests/measure.hpp"
#include "sessions/views/points/heat_map.hpp"
#include "sessions/views/points/point_details.hpp"
#include "sessions/views/points/point_index.hpp"
#include "sessions/views/points/point_text.hpp"
#include "sessions/views/points/value_axis.hpp"

namespace tilescope {

// Views of a point that is still being made. None of it is a point: it enters no list, no ranking, no scale
// and no table.

/// The partial point of an experiment before its first stage: the experiment itself. Its parameters are
/// complete.
PartialPoint nothing_known(const Experiment& experiment, const DeviceIdentity& device);

/// "Measuring: compiled, being checked"; of nullptr "Measuring: waiting for the worker".
std::string measuring_heading(const PartialPoint* point);

/// The figures that the point will have, in the rows of point_details: the same rows in every stage, pending where a
/// figure is not known yet. Library kernels have neither resources nor counts.
std::vector<DetailSection> partial_details(const PartialPoint& point, bool is_launched_by_library);
/// The partial details with the figures of a second point beside them, as compared_details(); `recorded` is said of
/// that point.
std::vector<DetailSection> compared_partial_details(std::vector<DetailSection> partial,
                                                    const Measurement& other, bool recorded);

/// A place on a plot against one parameter, with the interval in which the value lies.
struct PartialMark {
  double x = 0;
  double y = 0;
  double low = 0;
  double high = 0;
};
/// [us] The provisional latency with its p10 to p90. None before it is there, or where the point is not of the slice's
/// shape or has no value on the axis.
std::optional<PartialMark> partial_latency(const PartialPoint& point, const Slice& slice,
                                           const ValueAxis& axis);
/// [%] The occupancy; while it is an estimate, with an interval from 0: it is the most that it can be.
std::optional<PartialMark> partial_occupancy(const PartialPoint& point, const Slice& slice,
                                             const ValueAxis& axis);

/// The cell of the point's configuration in a map, and the value as its cell shows it: "", "≤ 33.3", "12.40". None in a
/// map of other figures than those that are measured on the point's device with the kernel as it is now.
struct PartialCell {
  std::size_t cell = 0;
  std::string text;
};
std::optional<PartialCell> partial_cell(const PartialPoint& point, const Slice& slice,
                                        const HeatMapView& view, const Metric& metric);

/// For a tooltip over a mark or a cell: that the point is provisional, its stage, and what is known of it.
std::vector<TextPair> partial_tooltip(const PartialPoint& point);

}  // namespace tilescope
