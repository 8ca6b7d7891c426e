#pragma once

#include "sessions/compare/comparison.hpp"
#include "sessions/json_fwd.hpp"

namespace tilescope {

/// What `tilescope compare --json` prints, as "comparison" in sessions/schema.json. Without the raw samples.
Json comparison_to_json(const Comparison& comparison);

}  // namespace tilescope
