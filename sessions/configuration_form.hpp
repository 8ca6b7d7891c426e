#pragma once

#include "base/json_values.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// A configuration as a member: {"BLOCK_M": 64}.
inline constexpr Form<Configuration> configuration_form{configuration_to_json, configuration_from_json};

}  // namespace tilescope
