#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sessions/experiment.hpp"

namespace tilescope {

/// The shape while it is being typed. It becomes the experiment's shape when a field is left and the shape is valid.
struct ShapeDraft {
  Shape shape;
  /// The experiment's shape when the draft started.
  Shape taken_from;
};

/// Fields for the sizes, the type and the mask, and the shapes of papers and leaderboards. Returns a new shape when the
/// user has chosen a valid one; the error of a draft is shown under the fields.
std::optional<Shape> shape_picker(ShapeDraft& draft, const Shape& current,
                                  const std::vector<DataType>& dtypes);

}  // namespace tilescope
