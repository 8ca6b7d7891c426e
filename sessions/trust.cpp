#include "sessions/trust.hpp"

#include <array>
#include <utility>

namespace tilescope {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> words{
    {{"too_few_samples", "few samples"},
     {"coarse_timer", "coarse timer"},
     {"clock_drop", "clock dropped"},
     {"clocks_disagree", "clocks disagree"},
     {"dead_knob", "dead parameter"},
     {"equal_machine_code", "same code"}}};

// Events and the host's clock agree within a few percent once the launch is left out.
constexpr double most_beyond_host = 1.05;
// Host time besides the kernel: the launch of the graph, the clock's probe (20 us) and the wake-up of the
// waiting thread.
constexpr double most_host_overhead_us = 2000;
constexpr double most_host_share = 1.5;

const SampleStatistics* warm_series(const Measurement& point) {
  return point.latency && point.latency->l2_warm ? &*point.latency->l2_warm : nullptr;
}

double sample_us(const SampleStatistics& series) {
  return series.p50_us * static_cast<double>(series.launches_per_sample);
}

}  // namespace

bool has_too_few_samples(const Measurement& point) {
  return point.latency && point.latency->samples > 0 && point.latency->samples < fewest_samples;
}

bool has_coarse_samples(const Measurement& point) {
  const SampleStatistics* series = warm_series(point);
  return series != nullptr && series->launches_per_sample > 0 && sample_us(*series) < shortest_sample_us;
}

bool has_mostly_dropped_samples(const Measurement& point) {
  const SampleStatistics* series = warm_series(point);
  return series != nullptr && series->dropped > series->count;
}

bool has_disagreeing_clocks(const Measurement& point) {
  const SampleStatistics* series = warm_series(point);
  if (series == nullptr || !series->host_us || series->launches_per_sample == 0) return false;
  const double event_us = sample_us(*series), host_us = *series->host_us;
  return event_us > most_beyond_host * host_us ||
         host_us > most_host_share * event_us + most_host_overhead_us;
}

std::string_view distrust_word_of_kind(std::string_view kind) {
  for (const auto& [known, word] : words) {
    if (known == kind) return word;
  }
  return "";
}

std::string distrust_word(const Measurement& point) {
  if (has_disagreeing_clocks(point)) return "clocks disagree";
  if (has_mostly_dropped_samples(point)) return "clock dropped";
  if (has_too_few_samples(point)) return "few samples";
  if (has_coarse_samples(point)) return "coarse timer";
  if (!point.diagnoses) return "";
  for (const Diagnosis& diagnosis : *point.diagnoses) {
    // Some values of a parameter that has an effect.
    if (diagnosis.kind == "dead_knob" && !diagnosis.is_major) continue;
    if (const std::string_view word = distrust_word_of_kind(diagnosis.kind); !word.empty())
      return std::string(word);
  }
  return "";
}

std::string distrust_mark(const Measurement& point) {
  const std::string word = distrust_word(point);
  return word.empty() ? "" : " (" + word + ")";
}

}  // namespace tilescope
