#pragma once

#include <string>

#include "sessions/measurement.hpp"

namespace tilescope {

/// How the two kernels differ in kind, in a sentence: "B computes its products by mma.sync: 4.92 M tensor instructions
/// instead of 549 M FMA." "" where they do not, or the counts are not known.
std::string unlike_kinds(const Measurement& a, const Measurement& b);

}  // namespace tilescope
