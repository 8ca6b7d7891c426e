#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// Explains one part of the predicted times of two points by their counts.
struct CountReason {
  /// "B needs 31.5 M fewer shared-memory wavefronts in excess (0 instead of 31.5 M), all of them on line 84 (K)"; ""
  /// where no count belongs to the part, or one of the points has none.
  std::string text;
  /// Lines in the kernel of A, or of B where B needs more.
  std::vector<std::int64_t> lines;
};

/// `part` is the model's name for it: "bank conflicts"; its time changes by `microseconds` from A to B. Where the counts do
/// not change that way, the text says what else does.
CountReason count_reason(const std::string& part, double microseconds, const Measurement& a,
                         const Measurement& b);

/// "FMA and ALU instructions -93.1 %, barriers +50.0 %": the counts that change most from A to B, three at most; "" where
/// none changes by a tenth, or one of the points has none.
std::string count_changes(const Measurement& a, const Measurement& b);

/// "B holds 16 warps per SM instead of 8"; "" where both hold as many.
std::string warps_reason(const Measurement& a, const Measurement& b);

}  // namespace tilescope
