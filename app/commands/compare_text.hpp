#pragma once

#include <span>
#include <string>

#include "sessions/compare/comparison.hpp"
#include "sessions/compare/line_changes.hpp"

namespace tilescope {

/// A comparison for a terminal: the verdict and why, the parts of the difference, the lines whose time changes, and the
/// figures side by side.
std::string comparison_text(const Comparison& comparison, const SideSources& sources = {});

/// Several with one A: the verdicts, the lines whose time changes, and all figures in a table. `sources`: by comparison.
std::string comparisons_text(std::span<const Comparison> comparisons,
                             std::span<const SideSources> sources = {});

/// A table of lines under its heading, or why there is none; "" where neither is said.
std::string line_changes_text(const std::string& heading, const LineChanges& changes,
                              const SideSources& sources);

}  // namespace tilescope
