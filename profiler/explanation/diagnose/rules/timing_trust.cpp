#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "sessions/trust.hpp"

// Whether the samples of a latency can be trusted, by sessions/trust.hpp, which also marks rankings.
namespace tilescope {
namespace {

std::vector<Diagnosis> find_too_few_samples(const DiagnosisInput& input) {
  if (!has_too_few_samples(input.point)) return {};
  return {{"too_few_samples",
           Severity::hint,
           {},
           fmt::format("The latency is that of {} sample{}: too few for percentiles.",
                       input.point.latency->samples, input.point.latency->samples == 1 ? "" : "s"),
           fmt::format("A series has at least {} samples.", fewest_samples),
           "Measure it again, with a larger --time-budget."}};
}

std::vector<Diagnosis> find_coarse_timer(const DiagnosisInput& input) {
  if (!has_coarse_samples(input.point)) return {};
  const SampleStatistics& series = *input.point.latency->l2_warm;
  const double sample_us = series.p50_us * static_cast<double>(series.launches_per_sample);
  return {{"coarse_timer",
           Severity::hint,
           {},
           "The timer's tick is coarse for these samples: the latency has steps.",
           fmt::format("A sample of {} launches takes {}, and a tick 1 µs: {}.", series.launches_per_sample,
                       format_latency(sample_us), format_percent(1 / sample_us)),
           "Time more launches in one sample."}};
}

std::vector<Diagnosis> find_clock_drop(const DiagnosisInput& input) {
  const auto& latency = input.point.latency;
  if (!latency || !latency->l2_warm) return {};
  const SampleStatistics& series = *latency->l2_warm;
  const double default_mhz = input.device == nullptr ? 0 : input.device->boost_clock_mhz;
  const bool is_low = series.sm_clock_mhz > 0 && series.sm_clock_mhz < least_clock_fraction * default_mhz;
  if (!is_low && !has_mostly_dropped_samples(input.point)) return {};
  return {
      {"clock_drop",
       Severity::hint,
       {},
       is_low ? "The SM clock was far below the default while this point was timed."
              : "Most samples were dropped, because the SM clock had fallen.",
       fmt::format("{} MHz, default {} MHz; {} samples kept, {} dropped.",
                   format_number(series.sm_clock_mhz, 0), format_number(default_mhz, 0), series.count,
                   series.dropped),
       "Compare it in cycles, or measure again when the GPU is neither waking up nor at its power limit."}};
}

std::vector<Diagnosis> find_clocks_disagree(const DiagnosisInput& input) {
  if (!has_disagreeing_clocks(input.point)) return {};
  const SampleStatistics& series = *input.point.latency->l2_warm;
  const double event_us = series.p50_us * static_cast<double>(series.launches_per_sample);
  return {{"clocks_disagree",
           Severity::hint,
           {},
           event_us > *series.host_us
               ? "The GPU's events say that a sample took longer than the host waited for it."
               : "The host waited much longer for a sample than the GPU's events say.",
           fmt::format("A sample takes {} by the GPU's events and {} by the host's clock.",
                       format_latency(event_us), format_latency(*series.host_us)),
           "Measure it again; look for other work on the GPU, and for events that were recorded in the wrong "
           "place."}};
}

const RegisterRule register_too_few_samples{
    {.kind = "too_few_samples", .place = 50, .find = find_too_few_samples}};
const RegisterRule register_coarse_timer{{.kind = "coarse_timer", .place = 51, .find = find_coarse_timer}};
const RegisterRule register_clock_drop{{.kind = "clock_drop", .place = 52, .find = find_clock_drop}};
const RegisterRule register_clocks_disagree{
    {.kind = "clocks_disagree", .place = 53, .find = find_clocks_disagree}};

}  // namespace
}  // namespace tilescope
