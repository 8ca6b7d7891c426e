#include "sessions/compare/comparison_json.hpp"

#include "base/json_reader.hpp"
#include "sessions/compare/comparison_text.hpp"

namespace tilescope {
namespace {

Json counterfactual_json(const DifferencePart& part) {
  if (!part.carrying) return nullptr;
  return {{"side", part.microseconds < 0 ? "a" : "b"},
          {"cause", part.carrying->cause},
          {"p50_us", number_or_null(part.carrying->p50_us)},
          {"instead_of_us", number_or_null(part.carrying->instead_of_us)}};
}

Json part_json(const DifferencePart& part) {
  return {{"name", part.name},
          {"microseconds", number_or_null(part.microseconds)},
          {"share", value_or_null(part.share)},
          {"text", text_or_null(part.text)},
          {"lines", part.lines},
          {"counterfactual", counterfactual_json(part)}};
}

Json parts_json(const TimeDifference& difference) {
  Json parts = Json::array();
  for (const DifferencePart& part : difference.parts) parts.push_back(part_json(part));
  return parts;
}

Json line_changes_json(const Comparison& comparison, const SideSources& sources) {
  Json lines = Json::array();
  for (const LineChange& change : line_changes(comparison, sources).lines) {
    lines.push_back({{"line", change.line()},
                     {"file", text_or_null(change.file)},
                     {"line_a", value_or_null(change.line_a)},
                     {"line_b", value_or_null(change.line_b)},
                     {"inlined_place", text_or_null(change.inlined_place)},
                     {"a_us", number_or_null(change.a_us)},
                     {"b_us", number_or_null(change.b_us)}});
  }
  return lines;
}

}  // namespace

Json comparison_to_json(const Comparison& comparison, const SideSources& sources) {
  const auto& difference = comparison.difference;
  Json interval;
  if (comparison.has_interval) interval = {comparison.ratio->low, comparison.ratio->high};
  return {{"a", comparison.a},
          {"b", comparison.b},
          {"verdict", to_string(comparison.verdict)},
          {"basis", to_string(comparison.basis)},
          {"reason", comparison.reason},
          {"ratio", comparison.ratio ? Json(comparison.ratio->value) : Json()},
          {"interval", std::move(interval)},
          {"noise_floor", value_or_null(comparison.noise_floor)},
          {"a_us", difference ? Json(difference->a_us) : Json()},
          {"b_us", difference ? Json(difference->b_us) : Json()},
          {"difference_us", difference ? Json(difference->microseconds()) : Json()},
          {"parts", difference ? parts_json(*difference) : Json::array()},
          {"residual_us", difference ? Json(difference->residual_us) : Json()},
          {"line_changes", line_changes_json(comparison, sources)},
          {"text", comparison_paragraph(comparison)},
          {"remarks", comparison.remarks}};
}

}  // namespace tilescope
