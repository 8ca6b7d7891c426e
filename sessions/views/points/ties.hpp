#pragma once

#include <cstddef>
#include <string>

#include "sessions/metrics/metric.hpp"

namespace tilescope {

/// Whether a comparison of two points that have a value of the metric cannot tell which one is better. Of points without
/// samples, as many recorded ones are, nothing is known. For an exact metric: whether the values are equal.
bool are_tied(const Metric& metric, const Measurement& a, const Measurement& b);

/// "3 of 15 cannot be told from the best": of 15 points that are ranked.
std::string ties_words(std::size_t ties, std::size_t ranked);

}  // namespace tilescope
