#include "sessions/compare/shape_comparisons.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/json.hpp"
#include "base/text/format.hpp"
#include "base/text/markdown.hpp"
#include "sessions/compare/comparison_json.hpp"
#include "sessions/compare/comparison_text.hpp"
#include "sessions/shape_set.hpp"

namespace tilescope {
namespace {

using Cells = std::vector<std::string>;

std::vector<Shape> shapes_of(const ShapeComparisons& compared) {
  std::vector<Shape> shapes;
  shapes.reserve(compared.shapes());
  for (const Comparison& comparison : compared.comparisons) shapes.push_back(comparison.b.shape);
  for (const ShapeNotCompared& missing : compared.not_compared) shapes.push_back(missing.shape);
  return shapes;
}

std::string interval_text(const Comparison& comparison) {
  if (!comparison.has_interval) return "-";
  return format_number(comparison.ratio->low, 3) + " to " + format_number(comparison.ratio->high, 3);
}

std::string latency_text(const Comparison& comparison, double TimeDifference::*latency) {
  return comparison.difference ? format_us((*comparison.difference).*latency) : "-";
}

Cells row_of(const Comparison& comparison, const std::string& heading) {
  return {heading,
          to_string(comparison.verdict),
          latency_text(comparison, &TimeDifference::a_us),
          latency_text(comparison, &TimeDifference::b_us),
          comparison.ratio ? format_number(comparison.ratio->value, 3) : "-",
          interval_text(comparison),
          to_string(comparison.basis)};
}

/// The one name of a side, or its kernel where the names differ.
std::string common_name(const ShapeComparisons& compared, Measurement Comparison::*side,
                        Measurement Comparison::*other) {
  std::set<std::string> names, kernels;
  for (const Comparison& comparison : compared.comparisons) {
    names.insert(side_name(comparison.*side, comparison.*other));
    kernels.insert((comparison.*side).kernel);
  }
  if (names.size() == 1) return *names.begin();
  std::string text;
  for (const std::string& kernel : kernels) text += (text.empty() ? "" : ", ") + kernel;
  return text;
}

bool has_one_configuration(const ShapeComparisons& compared, Measurement Comparison::*side) {
  return std::ranges::all_of(compared.comparisons, [&](const Comparison& comparison) {
    const Measurement &own = comparison.*side, &first = compared.comparisons.front().*side;
    return own.kernel == first.kernel && own.parameters == first.parameters;
  });
}

std::string verdict_counts(const ShapeComparisons& compared) {
  std::string text;
  for (const Verdict verdict : {Verdict::faster, Verdict::slower, Verdict::same, Verdict::undecided}) {
    const auto count = std::ranges::count(compared.comparisons, verdict, &Comparison::verdict);
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + to_string(verdict) + " at " + std::to_string(count);
    if (text.find("shape") == std::string::npos) text += count == 1 ? " shape" : " shapes";
  }
  return text;
}

std::string summary_of(const ShapeComparisons& compared) {
  const std::optional<MeanRatio> mean = mean_ratio(compared);
  if (!mean) return "No shape has a ratio of latencies. " + verdict_counts(compared) + ".";
  std::string text = "Geometric mean of " + std::to_string(mean->ratios) +
                     (mean->ratios == 1 ? " ratio" : " ratios") +
                     " p50(A) / p50(B): " + format_number(mean->value, 3);
  if (mean->basis == Basis::predicted) text += ", predicted";
  return text + ". " + verdict_counts(compared) + ".";
}

std::vector<std::string> remarks_of(const ShapeComparisons& compared) {
  std::vector<std::string> remarks;
  const auto add = [&](const std::string& remark) {
    if (std::ranges::find(remarks, remark) == remarks.end()) remarks.push_back(remark);
  };
  const std::optional<MeanRatio> mean = mean_ratio(compared);
  if (mean && mean->ratios < compared.shapes()) {
    add("The mean is over " + std::to_string(mean->ratios) + " of " + std::to_string(compared.shapes()) +
        " shapes: the others have no ratio.");
  }
  if (mean && !mean->basis) add("The mean is over ratios of different origin: see the column.");
  if (!has_one_configuration(compared, &Comparison::a))
    add("The configuration of A differs between shapes: it is the session's best at each.");
  if (!has_one_configuration(compared, &Comparison::b))
    add("The configuration of B differs between shapes: it is the session's best at each.");
  for (const Comparison& comparison : compared.comparisons) {
    if (comparison.basis == Basis::none) add(to_string(comparison.b.shape) + ": " + comparison.reason);
    for (const std::string& remark : comparison.remarks) add(remark);
  }
  for (const ShapeNotCompared& missing : compared.not_compared)
    add(to_string(missing.shape) + ": " + missing.reason);
  return remarks;
}

std::string lines_markdown(const ShapeComparisons& compared, std::span<const SideSources> sources) {
  const std::optional<ShapeLines> shown = lines_of_largest_difference(compared, sources);
  if (!shown) return "";
  const std::string heading = "\n" + markdown_escaped(shown->heading) + ":";
  if (shown->changes.lines.empty()) return heading + " " + markdown_escaped(shown->changes.why_none) + "\n";
  std::vector<Cells> rows;
  rows.reserve(shown->changes.lines.size());
  for (const LineChange& change : shown->changes.lines) {
    rows.push_back({place_text(change), format_us(change.a_us), format_us(change.b_us),
                    signed_latency(change.microseconds()),
                    line_text(change, sources_at(sources, shown->comparison))});
  }
  return heading + "\n\n" + markdown_table({"line", "A [µs]", "B [µs]", "change", "source"}, rows);
}

}  // namespace

std::optional<MeanRatio> mean_ratio(const ShapeComparisons& compared) {
  MeanRatio mean;
  std::set<Basis> bases;
  double sum = 0;
  for (const Comparison& comparison : compared.comparisons) {
    if (!comparison.ratio) continue;
    sum += std::log(comparison.ratio->value);
    bases.insert(comparison.basis);
    ++mean.ratios;
  }
  if (mean.ratios == 0) return std::nullopt;
  mean.value = std::exp(sum / static_cast<double>(mean.ratios));
  if (bases.size() == 1) mean.basis = *bases.begin();
  return mean;
}

bool is_text_column(const std::string& header) {
  return header == "shape" || header == "verdict" || header == "origin";
}

ShapeComparisonsTable shape_comparisons_table(const ShapeComparisons& compared) {
  ShapeComparisonsTable table;
  const ShapeHeadings headings = shape_headings(shapes_of(compared));
  table.a = common_name(compared, &Comparison::a, &Comparison::b);
  table.b = common_name(compared, &Comparison::b, &Comparison::a);
  table.common = headings.common;
  if (!compared.comparisons.empty()) {
    table.common += (table.common.empty() ? "on " : " on ") + compared.comparisons.front().b.device.name;
  }
  table.header = {"shape", "verdict", "A [µs]", "B [µs]", "p50(A) / p50(B)", "interval", "origin"};
  table.rows.reserve(compared.shapes());
  for (std::size_t i = 0; i < compared.comparisons.size(); ++i)
    table.rows.push_back(row_of(compared.comparisons[i], headings.each[i]));
  for (std::size_t i = compared.comparisons.size(); i < compared.shapes(); ++i)
    table.rows.push_back({headings.each[i], "no point", "-", "-", "-", "-", "-"});
  table.summary = summary_of(compared);
  table.remarks = remarks_of(compared);
  return table;
}

std::optional<ShapeLines> lines_of_largest_difference(const ShapeComparisons& compared,
                                                      std::span<const SideSources> sources) {
  std::optional<ShapeLines> largest;
  std::pair<bool, double> most;
  for (std::size_t i = 0; i < compared.comparisons.size(); ++i) {
    const Comparison& comparison = compared.comparisons[i];
    LineChanges changes = line_changes(comparison, sources_at(sources, i));
    if (changes.lines.empty() && changes.why_none.empty()) continue;
    const std::pair own(!changes.lines.empty(), std::abs(comparison.difference->microseconds()));
    if (largest && own <= most) continue;
    most = own;
    largest = ShapeLines{i, "Lines whose predicted time changes at " + to_string(comparison.b.shape),
                         std::move(changes)};
  }
  if (largest && compared.shapes() > 1) largest->heading += ", where the difference is largest";
  return largest;
}

std::string shape_comparisons_markdown(const ShapeComparisons& compared,
                                       std::span<const SideSources> sources) {
  const ShapeComparisonsTable table = shape_comparisons_table(compared);
  std::string text = "- **A**: " + markdown_code(table.a) + "\n- **B**: " + markdown_code(table.b) + "\n";
  if (!table.common.empty()) text += "- " + markdown_escaped(table.common) + "\n";
  text += "\n" + markdown_table(table.header, table.rows) + "\n" + markdown_escaped(table.summary) + "\n";
  for (const std::string& remark : table.remarks) text += "\n> " + markdown_escaped(remark) + "\n";
  return text + lines_markdown(compared, sources);
}

Json shape_comparisons_to_json(const ShapeComparisons& compared, std::span<const SideSources> sources) {
  Json comparisons = Json::array(), missing = Json::array();
  for (std::size_t i = 0; i < compared.comparisons.size(); ++i)
    comparisons.push_back(comparison_to_json(compared.comparisons[i], sources_at(sources, i)));
  for (const ShapeNotCompared& entry : compared.not_compared)
    missing.push_back({{"shape", entry.shape}, {"reason", entry.reason}});
  const std::optional<MeanRatio> mean = mean_ratio(compared);
  std::string basis = to_string(Basis::none);
  if (mean) basis = mean->basis ? to_string(*mean->basis) : "mixed";
  return {{"comparisons", std::move(comparisons)},
          {"geometric_mean_of_ratios", mean ? Json(mean->value) : Json()},
          {"ratios", mean ? mean->ratios : 0},
          {"basis", basis},
          {"not_compared", std::move(missing)},
          {"remarks", remarks_of(compared)}};
}

}  // namespace tilescope
