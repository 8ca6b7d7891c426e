#include "sessions/views/model/prediction_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/text/format.hpp"
#include "sessions/prediction_error.hpp"

namespace tilescope {

namespace {

/// A bound in the unit in which format_latency writes `of_us`, and with as many decimals, without the unit.
std::string bound_words(double bound_us, double of_us) {
  if (of_us < 1e3) return format_number(bound_us, of_us < 10 ? 3 : 2);
  if (of_us < 1e6) return format_number(bound_us / 1e3, of_us < 1e4 ? 3 : 2);
  return format_number(bound_us / 1e6, 2);
}

constexpr const char* tail = "tail";
constexpr std::array<std::string_view, 3> overheads{"launch", "block start", "instruction fetch"};

bool is_overhead(const std::string& part) {
  return std::find(overheads.begin(), overheads.end(), part) != overheads.end();
}

std::string besides_words(const PredictionLimit& limit) {
  const std::string share = " " + format_percent(limit.besides_share) + ": ";
  if (limit.besides == tail) return "Tail" + share + "the grid leaves SMs idle.";
  return "Overheads" + share + "launch, block start and instruction fetch.";
}

}  // namespace

std::string predicted_words(const Prediction& prediction) {
  const double p50_us = prediction.p50_us;
  return format_latency(p50_us) + " (" + bound_words(prediction.low_us, p50_us) + " to " +
         bound_words(prediction.high_us, p50_us) + ")";
}

std::string band_words(const Prediction& prediction) {
  return bound_words(prediction.low_us, prediction.high_us) + " to " + format_latency(prediction.high_us);
}

std::string band_help() {
  return "The model expects the measured p50 between these bounds. For a device whose table was fitted to "
         "measurements (H200), 95 % of the measured points to which it was not fitted were inside such "
         "bands. For attention on others the band is 23 %: 95 % of what was published of FlashAttention-2 on "
         "six "
         "GPUs was inside. For other kernels it is 45 %, assumed.";
}

PredictionLimit prediction_limit(const Prediction& prediction) {
  PredictionLimit limit;
  double sum = 0, work = 0, idle = 0, overhead = 0;
  for (const PredictionPart& part : prediction.parts) {
    if (!std::isfinite(part.microseconds) || !(part.microseconds > 0)) continue;
    sum += part.microseconds;
    if (part.name == tail) {
      idle += part.microseconds;
    } else if (is_overhead(part.name)) {
      overhead += part.microseconds;
    } else if (part.microseconds > work) {
      work = part.microseconds;
      limit.work = part.name;
    }
  }
  if (!(sum > 0)) return limit;
  limit.work_share = work / sum;
  if (std::max(idle, overhead) <= work) return limit;
  limit.besides = idle >= overhead ? tail : "overheads";
  limit.besides_share = std::max(idle, overhead) / sum;
  return limit;
}

std::string limit_words(const Prediction& prediction) {
  const PredictionLimit limit = prediction_limit(prediction);
  std::string work = limit.work.empty() ? "" : limit.work + ", " + format_percent(limit.work_share);
  if (limit.besides.empty()) return work;
  return limit.besides + ", " + format_percent(limit.besides_share) + (work.empty() ? "" : "; work: " + work);
}

std::string limit_sentence(const Prediction& prediction) {
  const PredictionLimit limit = prediction_limit(prediction);
  const std::string work = limit.work + ", " + format_percent(limit.work_share);
  if (limit.besides.empty())
    return limit.work.empty() ? "" : "Limited by " + work + " of the predicted time.";
  return besides_words(limit) + (limit.work.empty() ? "" : " Largest part of the work: " + work + ".");
}

std::string timed_words(const Measurement& predicted, const Measurement& timed) {
  const double error = predicted.prediction->p50_us / timed.latency->p50_us - 1;
  const bool is_other = predicted.provenance.source_sha256 != timed.provenance.source_sha256;
  return format_latency(timed.latency->p50_us) + ", prediction " + signed_percent(error) +
         (is_other ? ", other source" : "");
}

std::string signed_percent(double fraction) {
  const bool is_zero = std::abs(fraction) < 0.0005;  // "-0.0 %" says nothing.
  return (fraction > 0 && !is_zero ? "+" : "") + format_percent(is_zero ? 0 : fraction);
}

std::string measured_and_predicted(const Measurement& point) {
  const std::optional<double> error = prediction_error(point);
  if (!error) return "";
  return "measured " + format_latency(point.latency->p50_us) + ", predicted " +
         format_latency(point.prediction->p50_us) + " (" + signed_percent(*error) + ")";
}

std::string why_not_predicted(const Measurement& point) {
  static const std::string start = "No prediction:";
  for (const std::string& note : point.notes) {
    if (!note.starts_with(start)) continue;
    const std::size_t words = note.find_first_not_of(' ', start.size());
    return words == std::string::npos ? "" : capitalised(note.substr(words));
  }
  return "";
}

}  // namespace tilescope
