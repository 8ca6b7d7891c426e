#pragma once

#include <optional>
#include <string>

#include "sessions/session.hpp"

namespace tilescope {

/// A traced point for a person: each access site with what it cost and the line of the source, the totals, the
/// instruction mix, the findings. `source` is the kernel's file as it was compiled; without it the lines have no text.
std::string trace_text(const Measurement& point, const std::optional<SourceFile>& source);

}  // namespace tilescope
