#include "sessions/views/points/axis_ticks.hpp"

#include <cmath>

namespace tilescope {

double tick_step(double length) {
  const double power = std::pow(10, std::floor(std::log10(length / 6)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (length / (factor * power) <= 6) return factor * power;
  }
  return 10 * power;
}

std::vector<double> axis_ticks(double begin, double end) {
  std::vector<double> ticks;
  if (!(end > begin)) return ticks;
  const double step = tick_step(end - begin);
  const double first = std::ceil(begin / step);
  for (int i = 0; (first + i) * step <= end; ++i) ticks.push_back((first + i) * step);
  return ticks;
}

}  // namespace tilescope
