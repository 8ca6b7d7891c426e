#pragma once

#include <optional>
#include <span>
#include <string>

#include "sessions/compare/comparison.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// A comparison for a terminal: the verdict and why, the parts of the difference, the lines whose time changes, and the
/// figures side by side. `source`: of both sides, for the text of the lines.
std::string comparison_text(const Comparison& comparison, const std::optional<SourceFile>& source = {});

/// Several with one A: the verdicts, and all figures in a table.
std::string comparisons_text(std::span<const Comparison> comparisons);

}  // namespace tilescope
