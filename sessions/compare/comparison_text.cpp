#include "sessions/compare/comparison_text.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/format.hpp"
#include "sessions/compare/explanation.hpp"

namespace tilescope {
namespace {

std::string speed_words(const Comparison& comparison) {
  const SpeedText text = speed_text(comparison);
  return text.speed + (text.interval.empty() ? "" : " (" + text.interval + ")");
}

}  // namespace

std::vector<std::string> side_names(std::span<const Comparison> comparisons) {
  std::vector<const Measurement*> sides{&comparisons.front().a};
  for (const Comparison& comparison : comparisons) sides.push_back(&comparison.b);
  std::vector<std::string> names;
  names.reserve(sides.size());
  for (const Measurement* side : sides) names.push_back(side_name(*side, sides));
  return names;
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

SpeedText speed_text(const Comparison& comparison) {
  const Ratio& ratio = *comparison.ratio;
  SpeedText text = speed_text(ratio, comparison.has_interval);
  if (comparison.verdict != Verdict::undecided) return text;
  const bool is_b_shorter = ratio.value >= 1;
  text.speed = std::string(is_b_shorter ? "p50(A) / p50(B)" : "p50(B) / p50(A)") + " is " +
               format_number(is_b_shorter ? ratio.value : 1 / ratio.value, 2);
  if (text.interval.empty()) text.speed += ", without an interval";
  return text;
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
         " (" + basis_words(comparison.basis) + "): " + speed_words(comparison) + ".";
}

std::string comparison_paragraph(const Comparison& comparison) {
  std::string text = verdict_sentence(comparison) + " " + comparison.reason;
  const std::string why = explanation_text(explanation_of(comparison));
  return why.empty() ? text : text + " " + why;
}

std::vector<PartRow> part_rows(const TimeDifference& difference) {
  std::vector<PartRow> rows;
  if (!difference.is_decided) return rows;
  const double whole = difference.microseconds();
  for (const std::size_t i : parts_by_size(difference)) {
    const DifferencePart& part = difference.parts[i];
    rows.push_back({part.name, signed_latency(part.microseconds), part.share ? share_words(*part.share) : "-",
                    part.text});
  }
  rows.push_back({"residual", signed_latency(difference.residual_us),
                  share_words(difference.residual_us / whole), difference.why_no_parts});
  rows.push_back({"difference", signed_latency(whole), share_words(1), ""});
  return rows;
}

}  // namespace tilescope
