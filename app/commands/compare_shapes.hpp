#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sessions/compare/shape_comparisons.hpp"

namespace tilescope {

/// Compares two sides at each shape, with progress on stderr. A shape at which a session has no point is left out with
/// the reason; throws NoFittingPoint where that is so at all of them. Ctrl+C leaves the shapes out that are not compared
/// yet.
ShapeComparisons compare_at_shapes(const std::vector<Shape>& shapes,
                                   const std::function<Comparison(const Shape&)>& compare_at);

/// `format` as of `compare`: "text", "markdown" or "csv".
void print_shape_comparisons(const ShapeComparisons& compared, bool as_json, const std::string& format);

}  // namespace tilescope
