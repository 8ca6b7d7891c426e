#pragma once

#include <memory>

#include "sessions/shared_measurement.hpp"
#include "sessions/views/points/taken_points.hpp"

namespace tilescope {

/// The newest correct point that was timed in the same experiment, as identity() has it, so on the same device: of the
/// session, else of recorded ones. nullptr where there is none, and for a point that was timed itself.
SharedMeasurement find_timed(const Measurement& point, const PointList& session, const PointList& recorded);

}  // namespace tilescope
