#pragma once

#include <string>
#include <vector>

#include "sessions/import/import.hpp"

namespace tilescope {

/// The shape that parameters and options describe. Parameters that name a part of it (B, H, S, D, dtype,
/// causal, and usual longer names such as batch, heads, seq_len and head_dim) are taken out. Assumptions are
/// added to `notes`. Throws std::invalid_argument with the option to give where sizes are missing or
/// contradict the options, and LeftOut for an element type that no shape has.
Shape take_shape(Configuration& parameters, const ImportOptions& options, std::vector<std::string>& notes);

}  // namespace tilescope
