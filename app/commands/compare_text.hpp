#pragma once

#include <span>
#include <string>

#include "sessions/compare/comparison.hpp"
#include "sessions/compare/line_changes.hpp"

namespace tilescope {

/// A comparison for a terminal: the verdict and why, the parts of the difference, the lines whose time changes, and the
/// figures side by side.
std::string comparison_text(const Comparison& comparison, const SideSources& sources = {});

/// Several with one A: the verdicts, and all figures in a table.
std::string comparisons_text(std::span<const Comparison> comparisons);

}  // namespace tilescope
