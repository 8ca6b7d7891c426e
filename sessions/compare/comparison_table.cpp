#include "sessions/compare/comparison_table.hpp"

#include <algorithm>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "sessions/compare/compared_figures.hpp"
#include "sessions/compare/comparison_text.hpp"

namespace tilescope {
namespace {

using Cells = std::vector<std::string>;

std::string letter(std::size_t side) {
  return std::string(1, static_cast<char>('A' + static_cast<int>(side)));
}

std::string ratio_words(const Comparison& comparison) {
  if (!comparison.ratio) return "-";
  const Ratio& ratio = *comparison.ratio;
  std::string text = format_number(ratio.value, 3);
  if (comparison.has_interval)
    text += " (" + format_number(ratio.low, 3) + " to " + format_number(ratio.high, 3) + ")";
  return text;
}

// A figure of A and one of each other; "-" where a comparison does not have it.
class FigureRows {
 public:
  explicit FigureRows(std::size_t columns) : columns_(columns) {}

  void add(std::size_t column, const ComparedFigure& figure) {
    const auto same = [&](const Cells& row) { return row[0] == figure.label; };
    auto row = std::ranges::find_if(rows_, same);
    if (row == rows_.end()) {
      rows_.emplace_back(columns_ + 1, "-")[0] = figure.label;
      row = std::prev(rows_.end());
    }
    (*row)[1] = figure.a;
    (*row)[column + 1] = figure.b;
  }
  std::vector<Cells> take() { return std::move(rows_); }

 private:
  std::size_t columns_;
  std::vector<Cells> rows_;
};

template <class Words>
Cells row_of(const std::string& label, const std::string& of_a, std::span<const Comparison> comparisons,
             const Words& words) {
  Cells row{label, of_a};
  for (const Comparison& comparison : comparisons) row.push_back(words(comparison));
  return row;
}

Cells part_names(std::span<const Comparison> comparisons) {
  Cells names;
  for (const Comparison& comparison : comparisons) {
    if (!comparison.difference) continue;
    for (const DifferencePart& part : comparison.difference->parts) {
      if (std::ranges::find(names, part.name) == names.end()) names.push_back(part.name);
    }
  }
  return names;
}

std::optional<double> time_of(const Comparison& comparison, const std::string& part) {
  if (!comparison.difference) return std::nullopt;
  const auto found = std::ranges::find(comparison.difference->parts, part, &DifferencePart::name);
  if (found == comparison.difference->parts.end()) return std::nullopt;
  return found->microseconds;
}

Cells csv_fields(const Comparison& comparison, const Cells& parts) {
  const auto of_difference = [&](double us) {
    return comparison.difference ? csv_number(us) : std::string();
  };
  const TimeDifference difference = comparison.difference.value_or(TimeDifference{});
  const auto of_ratio = [&](double value, bool known) { return known ? csv_number(value) : std::string(); };
  const Ratio ratio = comparison.ratio.value_or(Ratio{});
  const Measurement &a = comparison.a, &b = comparison.b;
  Cells fields{side_name(a, b),
               side_name(b, a),
               problem_words(b),
               b.device.name,
               to_string(comparison.basis),
               of_difference(difference.a_us),
               of_difference(difference.b_us),
               of_ratio(ratio.value, comparison.ratio.has_value()),
               of_ratio(ratio.low, comparison.has_interval),
               of_ratio(ratio.high, comparison.has_interval),
               csv_number(comparison.noise_floor),
               to_string(comparison.verdict),
               of_difference(difference.residual_us)};
  for (const std::string& part : parts) fields.push_back(csv_number(time_of(comparison, part)));
  return fields;
}

}  // namespace

ComparisonTable comparison_table(std::span<const Comparison> comparisons) {
  ComparisonTable table;
  table.header = {"", letter(0)};
  FigureRows figures(comparisons.size() + 1);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    table.header.push_back(letter(i + 1));
    for (const ComparedFigure& figure : compared_figures(comparisons[i].a, comparisons[i].b))
      figures.add(i + 1, figure);
  }
  const auto latency = [](const Comparison& comparison) {
    return comparison.difference ? format_latency(comparison.difference->b_us) : std::string("-");
  };
  const auto& first = comparisons.front().difference;
  table.rows = {row_of("verdict", "-", comparisons, [](const Comparison& c) { return to_string(c.verdict); }),
                row_of("latency", first ? format_latency(first->a_us) : "-", comparisons, latency),
                row_of("origin", "-", comparisons, [](const Comparison& c) { return to_string(c.basis); }),
                row_of("p50(A) / p50", "1", comparisons, ratio_words)};
  std::ranges::move(figures.take(), std::back_inserter(table.rows));
  return table;
}

std::string comparison_csv(std::span<const Comparison> comparisons) {
  const Cells parts = part_names(comparisons);
  Cells header{"a",     "b",         "shape",      "device",      "basis",   "a_us",       "b_us",
               "ratio", "ratio_low", "ratio_high", "noise_floor", "verdict", "residual_us"};
  for (const std::string& part : parts) header.push_back(part + " [us]");
  CsvText text;
  text.add(header);
  for (const Comparison& comparison : comparisons) text.add(csv_fields(comparison, parts));
  return text.text();
}

}  // namespace tilescope
