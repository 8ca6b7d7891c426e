#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "kernels/reference/attention.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// The inputs of an experiment and what attention makes of them in float64.
struct CheckedProblem {
  reference::AttentionSizes sizes;
  std::uint64_t seed = 0;
  reference::AttentionInputs inputs;
  reference::AttentionReference reference;
};

reference::AttentionSizes attention_sizes(const Shape& shape);

/// Computing a reference takes longer than anything else in a point, and a sweep asks for the same one a
/// thousand times.
class ReferenceCache {
 public:
  /// The problem of a shape and seed, from the last few or computed. nullptr when cancelled.
  std::shared_ptr<const CheckedProblem> get(const Shape& shape, std::uint64_t seed,
                                            const std::function<bool()>& cancelled);

 private:
  std::list<std::shared_ptr<const CheckedProblem>> latest_;  // newest first
};

}  // namespace tilescope
