#include "profiler/gpu/timing/stop_rule.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

constexpr std::size_t noise_window = 64;         // [samples]
constexpr double stable_noise_tolerance = 0.05;  // Relative to the current noise, over the window.
constexpr std::size_t drops_that_are_the_norm = 20;

}  // namespace

void StopRule::add(double sample_us, double sm_clock_mhz) {
  const Sample sample{sample_us, sm_clock_mhz};
  const bool low =
      sm_clock_mhz > 0 && sm_clock_mhz < options_.min_clock_fraction * options_.default_clock_mhz;
  if (!low || takes_low_clocks_) return keep(sample);
  dropped_.push_back(sample);
  if (dropped_.size() >= drops_that_are_the_norm && dropped_.size() > kept_.size()) take_back_dropped();
}

void StopRule::keep(Sample sample) {
  kept_.push_back(sample);
  moments_.add(sample.us);
  if (moments_.count() < 2) return;
  noise_.push_back(moments_.relative_stddev());
  if (noise_.size() > noise_window) noise_.pop_front();
}

void StopRule::take_back_dropped() {
  takes_low_clocks_ = true;
  for (const Sample& sample : dropped_) keep(sample);
  dropped_.clear();
}

bool StopRule::noise_is_stable() const {
  if (noise_.size() < noise_window) return false;
  const double now = noise_.back();
  double squares = 0;
  for (const double earlier : noise_) squares += (earlier - now) * (earlier - now);
  return std::sqrt(squares / static_cast<double>(noise_window)) <= stable_noise_tolerance * now;
}

std::optional<std::string> StopRule::why_stop(double spent_s) {
  const bool enough = moments_.count() >= options_.min_samples;
  if (enough && spent_s >= std::min(options_.budget_s, options_.time_limit_s)) {
    if (moments_.relative_stddev() <= options_.max_relative_stddev) return "converged";
    if (noise_is_stable()) return "stable_noise";
  }
  if (spent_s < options_.time_limit_s) return std::nullopt;
  if (kept_.size() < 2 && !dropped_.empty()) take_back_dropped();
  return kept_.empty() ? std::nullopt : std::optional<std::string>("time_limit");
}

SampleStatistics StopRule::statistics() const {
  std::vector<double> samples, clocks;
  for (const Sample& sample : kept_) {
    samples.push_back(sample.us);
    if (sample.clock_mhz > 0) clocks.push_back(sample.clock_mhz);
  }
  SampleStatistics statistics = statistics_of(std::move(samples));
  std::sort(clocks.begin(), clocks.end());
  statistics.sm_clock_mhz = clocks.empty() ? 0.0 : percentile_of_sorted(clocks, 0.5);
  statistics.dropped = static_cast<std::int64_t>(dropped_.size());
  return statistics;
}

}  // namespace tilescope
