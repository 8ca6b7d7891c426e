#include "profiler/timing/latency_timer.hpp"

namespace tilescope {

std::string to_string(CacheState state) {
  return state == CacheState::l2_warm ? "l2_warm" : "l2_cold";
}

namespace timing_detail {

std::int64_t more_launches(std::int64_t launches, double elapsed_us, const TimingOptions& options) {
  // The difference of two runs can be zero or negative. Then it is only known to be small.
  const double per_launch_us = std::max(elapsed_us, 1.0) / static_cast<double>(launches);
  const double wanted = std::ceil(1.2 * options.min_sample_us / per_launch_us);
  const auto aimed = static_cast<std::int64_t>(std::min(wanted, static_cast<double>(options.max_launches)));
  return std::min(std::clamp(aimed, 2 * launches, 16 * launches), options.max_launches);
}

}  // namespace timing_detail
}  // namespace tilescope
