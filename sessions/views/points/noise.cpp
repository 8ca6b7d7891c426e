#include "sessions/views/points/noise.hpp"

namespace tilescope {

bool intervals_meet(const Metric& metric, const Measurement& a, const Measurement& b) {
  if (metric.interval == nullptr) return metric.value(a) == metric.value(b);
  const auto [a_low, a_high] = metric.interval(a);
  const auto [b_low, b_high] = metric.interval(b);
  return !(a_low > b_high) && !(b_low > a_high);  // An unknown bound (NaN) distinguishes nothing.
}

}  // namespace tilescope
