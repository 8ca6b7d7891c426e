#include "sessions/compare/compared_columns.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "sessions/compare/compared_figures.hpp"

namespace tilescope {
namespace {

// In the order of the ladder.
std::vector<const LadderBar*> fastest_bars(const LadderGroup& group) {
  std::vector<std::size_t> order(group.bars.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::less{}, [&](std::size_t i) { return group.bars[i].p50_us; });
  if (order.size() > most_columns) order.resize(most_columns);
  std::ranges::sort(order);
  std::vector<const LadderBar*> bars;
  bars.reserve(order.size());
  for (const std::size_t i : order) bars.push_back(&group.bars[i]);
  return bars;
}

Measurement as_shown(const LadderBar& bar) {
  Measurement point = *bar.point;
  if (point.latency && bar.kind == LadderKind::recorded) point.latency->kind = LatencyKind::recorded;
  return point;
}

std::string ratio_words(const Comparison& comparison) {
  if (!comparison.ratio) return "-";
  return format_number(comparison.ratio->value, 2) + "x";
}

std::string interval_words(const Comparison& comparison) {
  if (!comparison.ratio || !comparison.has_interval) return "";
  return format_number(comparison.ratio->low, 2) + "x to " + format_number(comparison.ratio->high, 2) + "x";
}

std::string reason_of(const Comparison& comparison) {
  if (!comparison.ratio || !comparison.has_interval) return comparison.reason;
  const Ratio& ratio = *comparison.ratio;
  return "Ratio " + format_number(ratio.low, 3) + " to " + format_number(ratio.high, 3) + ". " +
         comparison.reason;
}

ComparedRow& row_of(std::vector<ComparedRow>& rows, const ComparedFigure& figure, std::size_t columns) {
  const auto found = std::ranges::find_if(rows, [&](const ComparedRow& row) {
    return row.label == figure.label && row.section == figure.section;
  });
  if (found != rows.end()) return *found;
  rows.push_back({figure.section, figure.label, "-", std::vector<ComparedRow::Cell>(columns, {"-", "", {}})});
  return rows.back();
}

}  // namespace

ComparedTable compared_columns(const Measurement& a, const LadderGroup& group) {
  ComparedTable table;
  const std::vector<const LadderBar*> bars = fastest_bars(group);
  table.columns.reserve(bars.size());
  for (const LadderBar* bar : bars) {
    const Measurement b = as_shown(*bar);
    const std::size_t place = table.columns.size();
    const Comparison comparison = compare(a, b);
    table.columns.push_back({bar->point, b.kernel, comparison.verdict, ratio_words(comparison),
                             interval_words(comparison), reason_of(comparison)});
    for (const ComparedFigure& figure : compared_figures(a, b)) {
      ComparedRow& row = row_of(table.rows, figure, bars.size());
      if (figure.a != "-") row.a = figure.a;
      row.cells[place] = {figure.b, figure.difference, figure.tone};
    }
  }
  return table;
}

std::string compared_columns_csv(const ComparedTable& table, const std::string& name_of_a) {
  CsvText csv;
  std::vector<std::string> header{"section", "figure", name_of_a}, ratios{"", "ratio to A", "1.00x"},
      verdicts{"", "verdict", ""};
  for (const ComparedColumn& column : table.columns) {
    header.push_back(column.name);
    ratios.push_back(column.ratio);
    verdicts.push_back(to_string(column.verdict));
  }
  csv.add(header);
  csv.add(verdicts);
  csv.add(ratios);
  for (const ComparedRow& row : table.rows) {
    std::vector<std::string> fields{row.section, row.label, row.a};
    for (const ComparedRow::Cell& cell : row.cells) fields.push_back(cell.value);
    csv.add(fields);
  }
  return csv.text();
}

}  // namespace tilescope
