#pragma once

#include <string>

#include "sessions/compare/comparison.hpp"

namespace tilescope {

/// Why one side is faster, in sentences.
struct Explanation {
  /// First that the model does not explain the difference, where that is so; then how the kernels differ in kind, the
  /// causes, and the residual. "" where no difference was decided.
  std::string why;
  /// Reasons that speak against the faster side; "" for none.
  std::string against;
};

/// A part is a cause only if the counterfactuals carry it, where there are any.
Explanation explanation_of(const Comparison& comparison);

/// Both in one paragraph.
std::string explanation_text(const Explanation& explanation);

}  // namespace tilescope
