#pragma once

#include <optional>
#include <string>

#include "sessions/prediction.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// A table of the lines that take most of the predicted time; "" where none is known.
std::string line_times_text(const Prediction& prediction, const std::optional<SourceFile>& source);

}  // namespace tilescope
