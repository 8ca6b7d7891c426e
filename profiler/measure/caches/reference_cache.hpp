#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "kernels/reference/attention.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// The inputs of an experiment.
struct ProblemInputs {
  reference::AttentionSizes sizes;
  std::uint64_t seed = 0;
  reference::AttentionInputs inputs;
};

/// The inputs of an experiment and the expected result in float64.
struct CheckedProblem : ProblemInputs {
  reference::AttentionReference reference;
};

reference::AttentionSizes attention_sizes(const Shape& shape, KernelResult result = KernelResult::attention);

/// Caches references: computing one takes longer than anything else in a point, and a sweep needs the same one a
/// thousand times.
class ReferenceCache {
 public:
  /// The problem with these sizes and seed, cached or computed. nullptr when cancelled.
  std::shared_ptr<const CheckedProblem> get(const reference::AttentionSizes& sizes, std::uint64_t seed,
                                            const std::function<bool()>& cancelled);

  /// Only the inputs, cached or generated.
  std::shared_ptr<const ProblemInputs> inputs(const reference::AttentionSizes& sizes, std::uint64_t seed);
  /// The reference of these rows, which must be ascending and not empty, cached or computed. nullptr when cancelled.
  std::shared_ptr<const reference::AttentionReference> rows(const ProblemInputs& problem,
                                                            const std::vector<std::int64_t>& rows,
                                                            const std::function<bool()>& cancelled);

 private:
  struct Rows {
    reference::AttentionSizes sizes;
    std::uint64_t seed = 0;
    std::shared_ptr<const reference::AttentionReference> reference;
  };
  // Newest first.
  std::list<std::shared_ptr<const CheckedProblem>> latest_;
  std::list<std::shared_ptr<const ProblemInputs>> latest_inputs_;
  std::list<Rows> latest_rows_;
};

}  // namespace tilescope
