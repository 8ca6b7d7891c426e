#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sessions/compare/shape_comparisons.hpp"

namespace tilescope {

/// Compares two sides at each shape, with progress on stderr. A shape at which a session has no point is left out with
/// the reason; throws NoFittingPoint where that is so at all of them. Ctrl+C leaves the shapes out that are not compared
/// yet.
ShapeComparisons compare_at_shapes(const std::vector<Shape>& shapes,
                                   const std::function<Comparison(const Shape&)>& compare_at);

/// `format` as of `compare`: "text", "markdown", "csv" or "html". `sources`: by comparison.
std::string shape_comparisons_in(const std::string& format, const ShapeComparisons& compared,
                                 std::span<const SideSources> sources);

}  // namespace tilescope
