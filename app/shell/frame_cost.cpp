#include "app/shell/frame_cost.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>

namespace tilescope {

namespace {

constexpr std::size_t frames_to_settle = 10;
constexpr std::size_t frames_kept = 200;

double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// The memory that is in use, in MB (1e6 B).
double resident_mb() {
  std::ifstream input("/proc/self/statm");
  long total = 0;
  long resident = 0;
  input >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

}  // namespace

void FrameCost::begin() {
  start_ms_ = thread_ms();
}

void FrameCost::end() {
  if (costs_ms_.size() == frames_kept) costs_ms_.erase(costs_ms_.begin());
  costs_ms_.push_back(thread_ms() - start_ms_);
}

Json FrameCost::report(std::size_t points) const {
  const bool from_the_start = costs_ms_.size() < frames_kept;
  const std::size_t skipped =
      from_the_start && costs_ms_.size() > 2 * frames_to_settle ? frames_to_settle : 0;
  std::vector<double> sorted(costs_ms_.begin() + static_cast<std::ptrdiff_t>(skipped), costs_ms_.end());
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double q) {
    return sorted.empty()
               ? Json()
               : Json(sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))]);
  };
  return {{"frames", sorted.size()}, {"points", points},        {"median_ms", quantile(0.5)},
          {"p90_ms", quantile(0.9)}, {"max_ms", quantile(1.0)}, {"rss_mb", resident_mb()}};
}

}  // namespace tilescope
