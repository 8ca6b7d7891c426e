#pragma once

#include "sessions/compare/shape_matrix.hpp"
#include "sessions/json_fwd.hpp"

namespace tilescope {

/// As "shape_matrix" in sessions/schema.json.
Json shape_matrix_to_json(const ShapeMatrix& matrix);

}  // namespace tilescope
