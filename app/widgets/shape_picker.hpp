#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sessions/experiment.hpp"

namespace tilescope {

/// The shape while it is being typed: it becomes the experiment's when a field is left and the shape makes
/// sense.
struct ShapeDraft {
  Shape shape;
  Shape taken_from;  ///< The experiment's shape that the draft started from.
};

/// Fields for the sizes, the type and the mask, and the shapes that papers and leaderboards use. Returns a
/// new shape when the person has chosen one that attention is defined for; what is wrong with a draft stands
/// under the fields.
std::optional<Shape> shape_picker(ShapeDraft& draft, const Shape& current,
                                  const std::vector<DataType>& dtypes);

}  // namespace tilescope
