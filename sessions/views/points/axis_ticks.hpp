#pragma once

#include <vector>

namespace tilescope {

/// 1, 2 or 5 times a power of ten, so that at most six fit into a length above 0.
double tick_step(double length);

/// Multiples of tick_step() from `begin` to `end`.
std::vector<double> axis_ticks(double begin, double end);

}  // namespace tilescope
