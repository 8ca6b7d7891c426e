#pragma once

#include "base/json_fwd.hpp"
#include "sessions/compare/comparison.hpp"
#include "sessions/compare/line_changes.hpp"

namespace tilescope {

/// Output of `tilescope compare --json`, "comparison" in sessions/schema.json. Without the raw samples.
Json comparison_to_json(const Comparison& comparison, const SideSources& sources = {});

}  // namespace tilescope
