#pragma once

#include <span>
#include <string>

#include "sessions/compare/comparison.hpp"
#include "sessions/compare/line_changes.hpp"
#include "sessions/compare/shape_comparisons.hpp"
#include "sessions/reports/report_document.hpp"

namespace tilescope {

/// One A and up to five others, each compared with it: the verdicts and why, the way from A to B, all figures side by side,
/// the environment. `sources`: by comparison, here and below.
ReportDocument comparison_report(std::span<const Comparison> comparisons,
                                 const std::string& tilescope_version,
                                 std::span<const SideSources> sources = {});

/// Two sides at several shapes: a row for each, what they say together, the figures of all, the environment.
ReportDocument shape_comparisons_report(const ShapeComparisons& compared,
                                        const std::string& tilescope_version,
                                        std::span<const SideSources> sources = {});

/// waterfall() as a picture, for a comparison with a difference: A's latency, a bar for every part from where the one
/// before ends, the residual, and B's latency.
std::string waterfall_svg(const Comparison& comparison);

}  // namespace tilescope
