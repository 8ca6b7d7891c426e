#include "sessions/compare/comparison_text.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/format.hpp"
#include "sessions/compare/count_reasons.hpp"
#include "sessions/prediction_error.hpp"

namespace tilescope {
namespace {

// A part below this share of the difference is left to the table.
constexpr double notable_share = 0.1;
constexpr std::size_t most_reasons = 3;

std::string setting_words(const Measurement& side, const Measurement* other) {
  std::string text;
  for (const auto& [name, value] : side.parameters) {
    if (other != nullptr) {
      const auto same = other->parameters.find(name);
      if (same != other->parameters.end() && same->second == value) continue;
    }
    text += " " + name + "=" + to_string(value);
  }
  return text;
}

std::string speed_words(const Ratio& ratio, bool has_interval) {
  const SpeedText text = speed_text(ratio, has_interval);
  return text.speed + (text.interval.empty() ? "" : " (" + text.interval + ")");
}

// "bank conflicts -20.10 µs, 62.0 % of the difference (B needs ...)."
std::string part_sentence(const DifferencePart& part) {
  std::string text = capitalised(part.name) + ": " + signed_latency(part.microseconds) + ", " +
                     format_percent(*part.share) + " of the difference";
  return text + (part.text.empty() ? "." : ". " + part.text + ".");
}

std::string opposite_words(const TimeDifference& difference) {
  std::string text;
  for (const std::size_t i : parts_by_size(difference)) {
    const DifferencePart& part = difference.parts[i];
    if (!part.share || *part.share > -notable_share) continue;
    text += (text.empty() ? "" : ", ") + part.name + " " + signed_latency(part.microseconds);
  }
  return text.empty() ? "" : " Against it: " + text + ".";
}

std::string residual_words(const Comparison& comparison) {
  const TimeDifference& difference = *comparison.difference;
  if (comparison.basis == Basis::predicted || difference.microseconds() == 0) return "";
  return " Residual, which the model does not explain: " + signed_latency(difference.residual_us) + ", " +
         format_percent(difference.residual_us / difference.microseconds()) + " of the difference.";
}

}  // namespace

std::string side_name(const Measurement& side, const Measurement& other) {
  const bool same_kernel = side.kernel == other.kernel;
  return side.kernel + setting_words(side, same_kernel ? &other : nullptr);
}

std::string basis_words(Basis basis) {
  switch (basis) {
    case Basis::interleaved:
      return "measured in turns";
    case Basis::apart:
      return "measured apart";
    case Basis::predicted:
      return "predicted, not measured";
    case Basis::none:
      break;
  }
  return "";
}

std::string interval_text(double low, double high) {
  constexpr int fewest = 2, most = 6;
  for (int decimals = fewest; decimals <= most; ++decimals) {
    const std::string begin = format_number(low, decimals), end = format_number(high, decimals);
    if (begin != end) return begin + " to " + end;
  }
  return format_number(low, fewest) + " to " + format_number(high, fewest);
}

SpeedText speed_text(const Ratio& ratio, bool has_interval) {
  if (ratio.value >= 1) {
    return {"B is " + format_number(ratio.value, 2) + " times as fast as A",
            has_interval ? interval_text(ratio.low, ratio.high) : ""};
  }
  return {"B takes " + format_number(1 / ratio.value, 2) + " times as long as A",
          has_interval ? interval_text(1 / ratio.high, 1 / ratio.low) : ""};
}

std::string share_words(double share) {
  constexpr double shown = 0.0005;
  return format_percent(std::abs(share) < shown ? 0 : share);
}

std::string signed_latency(double us) {
  constexpr double shown_us = 0.0005;
  if (std::abs(us) < shown_us) return "0 µs";
  return (us < 0 ? "-" : "+") + format_latency(std::abs(us));
}

std::string verdict_sentence(const Comparison& comparison) {
  std::string text = to_string(comparison.verdict);
  if (!comparison.difference) return text + ".";
  const TimeDifference& difference = *comparison.difference;
  return text + ": A takes " + format_latency(difference.a_us) + ", B " + format_latency(difference.b_us) +
         " (" + basis_words(comparison.basis) +
         "): " + speed_words(*comparison.ratio, comparison.has_interval) + ".";
}

std::string why_words(const Comparison& comparison) {
  if (!comparison.difference) return "";
  const TimeDifference& difference = *comparison.difference;
  if (!difference.why_no_parts.empty()) return difference.why_no_parts;
  if (comparison.verdict == Verdict::same) return "";
  std::string text;
  std::size_t told = 0;
  for (const std::size_t i : parts_by_size(difference)) {
    const DifferencePart& part = difference.parts[i];
    if (!part.share || *part.share < notable_share || told == most_reasons) continue;
    text += (told++ == 0 ? "" : " ") + part_sentence(part);
  }
  text += opposite_words(difference) + residual_words(comparison);
  if (const std::string warps = warps_reason(comparison.a, comparison.b); !warps.empty())
    text += " " + warps + ".";
  return text;
}

std::string comparison_paragraph(const Comparison& comparison) {
  std::string text = verdict_sentence(comparison) + " " + comparison.reason;
  const std::string why = why_words(comparison);
  return why.empty() ? text : text + " " + why;
}

std::vector<PartRow> part_rows(const TimeDifference& difference) {
  std::vector<PartRow> rows;
  const double whole = difference.microseconds();
  const auto share_of = [&](double us) { return whole == 0 ? "-" : share_words(us / whole); };
  for (const std::size_t i : parts_by_size(difference)) {
    const DifferencePart& part = difference.parts[i];
    rows.push_back({part.name, signed_latency(part.microseconds), share_of(part.microseconds), part.text});
  }
  rows.push_back({"residual", signed_latency(difference.residual_us), share_of(difference.residual_us),
                  difference.why_no_parts});
  rows.push_back({"difference", signed_latency(whole), share_of(whole), ""});
  return rows;
}

}  // namespace tilescope
