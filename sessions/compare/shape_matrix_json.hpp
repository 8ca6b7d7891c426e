#pragma once

#include "base/json_fwd.hpp"
#include "sessions/compare/shape_matrix.hpp"

namespace tilescope {

/// As "shape_matrix" in sessions/schema.json.
Json shape_matrix_to_json(const ShapeMatrix& matrix);

}  // namespace tilescope
