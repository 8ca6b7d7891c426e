#pragma once

#include <cstddef>
#include <string>

#include "sessions/compare/shape_matrix.hpp"

namespace tilescope {

/// A matrix for a terminal: what the rows share, at most `most_rows` rows, and what a reader must know.
std::string shape_matrix_text(const ShapeMatrix& matrix, std::size_t most_rows);

}  // namespace tilescope
