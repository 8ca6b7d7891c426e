#pragma once

#include <memory>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// A point that no longer changes: sessions, stores and views share it.
using SharedMeasurement = std::shared_ptr<const Measurement>;
using PointList = std::vector<SharedMeasurement>;

}  // namespace tilescope
