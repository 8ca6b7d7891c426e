#pragma once

#include <string>

#include "profiler/explanation/layouts/candidate_layout.hpp"

namespace tilescope {

/// The place of an element as a C++ expression to paste, in elements from the start of the tile, over the ints `row`
/// and `column`, which are not negative: "row * 64 + (((column / 8) ^ (row % 8)) * 8) + column % 8". For a tile of one
/// row over `offset`. "" where a place is not a whole number of elements.
std::string index_expression(const CandidateLayout& layout, const TileShape& tile);

/// Right-hand side of a swizzle's XOR: "row % 8", "row / 2 % 4", or "bits 4 to 6 of the offset" if it is not
/// a part of the row. Only for a layout with a swizzle.
std::string xor_source_words(const CandidateLayout& layout, const TileShape& tile);

}  // namespace tilescope
