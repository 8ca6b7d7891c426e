#include "sessions/verdict/ratio_of_points.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

// Properties of a normal distribution, in standard deviations.
constexpr double interquartile_range = 1.349;
constexpr double median_error = 1.2533;
constexpr double within_95_percent = 1.96;

constexpr double timer_tick_us = 1;

// Relative to the median. Nothing without a series.
std::optional<double> sigma_of(const Latency& latency) {
  if (!latency.l2_warm || latency.l2_warm->count < 2 || !(latency.p50_us > 0)) return std::nullopt;
  return (latency.l2_warm->q3_us - latency.l2_warm->q1_us) / interquartile_range / latency.p50_us;
}

double tick_share(const Latency& latency) {
  const auto launches = static_cast<double>(std::max<std::int64_t>(latency.l2_warm->launches_per_sample, 1));
  return timer_tick_us / (launches * latency.p50_us);
}

Spread times(const Spread& us, double factor) {
  return {us.least * factor, us.median * factor, us.upper_quartile * factor};
}

Ratio with_error(double value, double log_error) {
  return {value, value * std::exp(-log_error), value * std::exp(log_error)};
}

}  // namespace

std::optional<JudgedSeries> judged_series(const Latency& latency) {
  if (!sigma_of(latency)) return std::nullopt;
  const SampleStatistics& series = *latency.l2_warm;
  JudgedSeries judged{{series.min_us, series.p50_us, series.q3_us}, {}};
  if (series.sm_clock_mhz > 0) judged.cycles = times(judged.us, series.sm_clock_mhz);
  return judged;
}

std::optional<Ratio> ratio_of(const Latency& a, const Latency& b) {
  const std::optional<double> sigma_a = sigma_of(a), sigma_b = sigma_of(b);
  if (!sigma_a || !sigma_b) return std::nullopt;
  const auto error = [](double sigma, const Latency& latency) {
    return median_error * sigma / std::sqrt(static_cast<double>(latency.l2_warm->count));
  };
  const double both = std::hypot(error(*sigma_a, a), error(*sigma_b, b));
  return with_error(a.p50_us / b.p50_us, within_95_percent * both);
}

double noise_of(const Latency& a, const Latency& b) {
  const double spread = std::min(sigma_of(a).value_or(0), sigma_of(b).value_or(0));
  return std::max({spread, tick_share(a), tick_share(b)});
}

Ratio ratio_of(const Prediction& a, const Prediction& b, bool same_kernel) {
  const double value = a.p50_us / b.p50_us;
  if (a.ratio_error && b.ratio_error) {
    const auto error = [&](const RatioError& known) {
      return same_kernel ? known.same_kernel : known.kernels;
    };
    return with_error(value, std::max(error(*a.ratio_error), error(*b.ratio_error)));
  }
  return {value, a.low_us / b.high_us, a.high_us / b.low_us};
}

}  // namespace tilescope
