#pragma once

#include <span>
#include <string>

#include "sessions/compare/comparison.hpp"

namespace tilescope {

/// A comparison for a terminal: the verdict and why, the parts of the difference, and the figures side by side.
std::string comparison_text(const Comparison& comparison);

/// Several with one A: the verdicts, and all figures in a table.
std::string comparisons_text(std::span<const Comparison> comparisons);

}  // namespace tilescope
