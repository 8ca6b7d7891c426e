#pragma once

#include <string>

#include "sessions/experiment.hpp"

namespace tilescope {

/// The arguments of a launch that have a name, for Measurement::arguments: numbers, and buffers by their elements.
/// `document` is a launch file, or "" for none.
Configuration named_arguments(const std::string& document);

}  // namespace tilescope
