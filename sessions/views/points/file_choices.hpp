#pragma once

#include <string>
#include <vector>

#include "sessions/shared_measurement.hpp"
#include "sessions/standing.hpp"
#include "sessions/views/points/taken_points.hpp"
#include "sessions/views/points/value_axis.hpp"

namespace tilescope {

/// The values that a point of a file has: those that were chosen for it and its constants, and the arguments of its launch.
Configuration file_configuration(const Measurement& point);

/// The constants and chosen values that differ among the points of a file's kernel, which declares no parameters, each with the
/// values that occur, ascending. A number that was chosen for some points is the argument of the others.
std::vector<ParameterChoices> choices_of_points(const std::string& kernel, const PointList& session,
                                                const PointList& recorded);

/// The source of the newest point of a file's kernel: points of another one are of an older source.
CurrentSources newest_source(const std::string& kernel, const PointList& session);

/// Whether points do the same work, so that one can be the best: numbers of their launches are equal, and their buffers
/// have about as many elements, of which some may be for partial results. True of attention at one shape.
bool do_equal_work(const std::vector<const Measurement*>& points);

}  // namespace tilescope
