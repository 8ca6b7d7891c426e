#pragma once

#include <functional>
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
  /// The shape that `why_invalid` is about.
  Shape judged;
  /// Why the draft is malformed or cannot be measured; "" when it can, and when it is the experiment's shape.
  std::string why_invalid;
};

/// Fields for the sizes, the type and the mask, and the shapes of papers and leaderboards. Returns a new shape when the
/// user has chosen one that is not malformed; what is wrong with a draft is shown under the fields. `why_invalid` says
/// why the kernel cannot take a shape, "" when it can. Marks "shape.Sq" and the other sizes, "shape.dtype.fp16",
/// "shape.causal" and "shape.common" for tests.
std::optional<Shape> shape_picker(ShapeDraft& draft, const Shape& current,
                                  const std::vector<DataType>& dtypes,
                                  const std::function<std::string(const Shape&)>& why_invalid);

}  // namespace tilescope
