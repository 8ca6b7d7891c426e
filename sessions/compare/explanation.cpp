#include "sessions/compare/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text/format.hpp"
#include "sessions/compare/comparison_text.hpp"
#include "sessions/compare/count_reasons.hpp"
#include "sessions/compare/unlike_kinds.hpp"

namespace tilescope {
namespace {

constexpr std::size_t max_causes = 3;
constexpr const char* few_warps = "few_warps";

class Sentences {
 public:
  void add(const std::string& sentence) {
    if (!sentence.empty()) text_ += (text_.empty() ? "" : " ") + sentence;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string as_sentence(const std::string& words) {
  return words.empty() ? "" : words + ".";
}

bool is_measured(const Comparison& comparison) {
  return comparison.basis == Basis::interleaved || comparison.basis == Basis::apart;
}

bool is_notable(const TimeDifference& difference, const DifferencePart& part) {
  return std::abs(part.microseconds) >= notable_part_share * std::abs(difference.microseconds());
}

// A part that counterfactuals were asked about needs one that carries it, and so does one of parts that explain nothing by
// their sizes.
bool can_be_named(const TimeDifference& difference, const DifferencePart& part) {
  if (part.carrying) return true;
  return difference.has_shares && !part.is_tested;
}

// The notable parts that go the way of the difference, or those that go against it; the largest first.
std::vector<const DifferencePart*> named_parts(const TimeDifference& difference, bool with_it) {
  std::vector<const DifferencePart*> parts;
  for (const std::size_t i : parts_by_size(difference)) {
    const DifferencePart& part = difference.parts[i];
    const bool goes_with_it = (part.microseconds < 0) == (difference.microseconds() < 0);
    if (goes_with_it == with_it && is_notable(difference, part) && can_be_named(difference, part))
      parts.push_back(&part);
  }
  return parts;
}

std::string carrying_text(const DifferencePart& part, bool beside_measured) {
  return part.carrying ? carrying_sentence(*part.carrying, part.side(), beside_measured) : "";
}

// "Bank conflicts: -35.00 µs, 87.5 % of the difference. B needs ... . Without its bank conflicts A would take ..."
std::string cause_text(const DifferencePart& part, bool beside_measured) {
  const std::string share = part.share ? ", " + format_percent(*part.share) + " of the difference" : "";
  Sentences text;
  text.add(capitalised(part.name) + ": " + signed_latency(part.microseconds) + share + ".");
  text.add(as_sentence(part.text));
  text.add(carrying_text(part, beside_measured));
  return text.text();
}

std::string no_cause_text(const TimeDifference& difference) {
  for (const DifferencePart& part : difference.parts) {
    if (part.is_tested && is_notable(difference, part))
      return "No part is confirmed as a cause by a prediction without it.";
  }
  const bool is_cancelled = !difference.has_shares && difference.is_explained();
  return is_cancelled ? "The parts mostly cancel each other: none of them explains the difference." : "";
}

std::string causes_text(const TimeDifference& difference, bool beside_measured) {
  Sentences text;
  std::size_t count = 0;
  for (const DifferencePart* part : named_parts(difference, true)) {
    if (count++ < max_causes) text.add(cause_text(*part, beside_measured));
  }
  return count > 0 ? text.text() : no_cause_text(difference);
}

std::string against_text(const TimeDifference& difference, bool beside_measured) {
  std::string parts;
  Sentences counterfactuals;
  for (const DifferencePart* part : named_parts(difference, false)) {
    parts += (parts.empty() ? "" : ", ") + part->name + " " + signed_latency(part->microseconds);
    counterfactuals.add(carrying_text(*part, beside_measured));
  }
  Sentences text;
  text.add(as_sentence(parts));
  text.add(counterfactuals.text());
  return text.text();
}

std::string residual_text(const TimeDifference& difference) {
  if (difference.is_explained()) {
    return "Residual, which the model does not explain: " + signed_latency(difference.residual_us) + ", " +
           format_percent(difference.residual_us / difference.microseconds()) + " of the difference.";
  }
  const double explained_us = difference.microseconds() - difference.residual_us;
  return "The model does not explain this difference: of " + signed_latency(difference.microseconds()) +
         " it predicts " + signed_latency(explained_us) + ", and " + signed_latency(difference.residual_us) +
         " are the residual.";
}

// More resident warps are a reason for the side that holds them.
void add_warps(const Comparison& comparison, Sentences& why, Sentences& against) {
  const std::string words = as_sentence(warps_reason(comparison.a, comparison.b));
  if (words.empty()) return;
  const bool b_is_faster = comparison.difference->microseconds() < 0;
  const Measurement& faster = b_is_faster ? comparison.b : comparison.a;
  const Measurement& slower = b_is_faster ? comparison.a : comparison.b;
  if (faster.occupancy->warps_per_sm < slower.occupancy->warps_per_sm) return against.add(words);
  const TimeDifference& difference = *comparison.difference;
  if (slower.prediction->without.empty()) return why.add(difference.has_shares ? words : "");
  const double least_us = notable_part_share * std::abs(difference.microseconds());
  const auto carrying = carrying_cause(few_warps, *slower.prediction, *faster.prediction, least_us);
  if (!carrying) return;
  why.add(words);
  const auto is_told = [](const DifferencePart& part) {
    return part.carrying && part.carrying->cause == few_warps;
  };
  if (std::ranges::none_of(difference.parts, is_told))
    why.add(carrying_sentence(*carrying, b_is_faster ? "A" : "B", is_measured(comparison)));
}

}  // namespace

Explanation explanation_of(const Comparison& comparison) {
  if (!comparison.difference || !comparison.difference->is_decided) return {};
  const TimeDifference& difference = *comparison.difference;
  const std::string kinds = unlike_kinds(comparison.a, comparison.b);
  Sentences why, against;
  if (!difference.why_no_parts.empty()) {
    why.add(kinds);
    why.add(difference.why_no_parts);
    return {why.text(), ""};
  }
  const std::string residual = is_measured(comparison) ? residual_text(difference) : "";
  if (!difference.is_explained()) why.add(residual);
  why.add(kinds);
  why.add(causes_text(difference, is_measured(comparison)));
  if (difference.is_explained()) why.add(residual);
  against.add(against_text(difference, is_measured(comparison)));
  add_warps(comparison, why, against);
  if (against.text().empty()) return {why.text(), ""};
  return {why.text(),
          std::string("Against ") + (difference.microseconds() < 0 ? "B" : "A") + ": " + against.text()};
}

std::string explanation_text(const Explanation& explanation) {
  const bool has_both = !explanation.why.empty() && !explanation.against.empty();
  return explanation.why + (has_both ? " " : "") + explanation.against;
}

}  // namespace tilescope
