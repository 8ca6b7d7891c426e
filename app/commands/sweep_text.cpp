#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "app/commands/shape_matrix_output.hpp"
#include "app/commands/sweep_run.hpp"
#include "app/commands/terminal.hpp"
#include "app/commands/text_table.hpp"
#include "sessions/views/points/point_rows.hpp"
#include "sessions/views/points/point_text.hpp"
#include "sessions/views/tune/sweep_summary.hpp"

namespace tilescope {
namespace {

/// The columns that say something here: the varied parameters, and figures that some point has.
std::vector<PointColumn> columns_for(const SweepGrid& grid, const std::vector<PointRow>& rows) {
  std::vector<ParameterChoices> varied;
  for (const ParameterDeclaration& parameter : grid.kernel.parameters) {
    const bool is_varied = std::any_of(grid.swept.begin(), grid.swept.end(),
                                       [&](const auto& entry) { return entry.first == parameter.name; });
    if (is_varied) varied.push_back({parameter.name, parameter.values});
  }
  // Columns that are equal for every point: they are said once, above the table.
  std::set<std::string_view> constant{"kernel", "shape", "device", "time", "sass"};
  const auto is_predicted = [](const PointRow& row) { return row.is_predicted; };
  const auto predicted = std::count_if(rows.begin(), rows.end(), is_predicted);
  const auto ranked =
      std::count_if(rows.begin(), rows.end(), [](const PointRow& row) { return row.rank != 0; });
  if (predicted == 0 || predicted == ranked) constant.insert("kind");
  const bool all_ok = std::all_of(rows.begin(), rows.end(),
                                  [](const PointRow& row) { return row.point->status == Status::ok; });
  std::vector<PointColumn> columns;
  for (const PointColumn& column : point_columns(varied)) {
    const bool has_values = std::any_of(rows.begin(), rows.end(),
                                        [&](const PointRow& row) { return !cell_text(row, column).empty(); });
    const bool says_something = column.tag != "status" || !all_ok;
    if (!constant.contains(column.tag) && has_values && says_something) columns.push_back(column);
  }
  // The varied parameters stand beside the latency: a terminal does not scroll to the right.
  const auto place = [](const PointColumn& column) {
    if (!column.parameter.empty()) return 1;
    if (column.metric == nullptr) return 0;
    const MetricSource source = column.metric->source;
    return source == MetricSource::timed || source == MetricSource::predicted ? 0 : 2;
  };
  std::stable_sort(columns.begin(), columns.end(),
                   [&](const PointColumn& a, const PointColumn& b) { return place(a) < place(b); });
  return columns;
}

/// The fastest first, those that were not timed after them by their predictions; without either the order of the grid.
std::vector<std::size_t> order_of(const std::vector<PointRow>& rows) {
  std::vector<std::size_t> order(rows.size());
  for (std::size_t index = 0; index < order.size(); ++index) order[index] = index;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      return std::tuple(rows[i].rank == 0, rows[i].is_predicted, rows[i].rank);
    };
    return key(a) < key(b);
  });
  return order;
}

std::string heading(const SweepGrid& grid, const Measurement& first) {
  Configuration fixed = first.parameters;
  for (const auto& [name, values] : grid.swept) fixed.erase(name);
  return fmt::format("{}, {}, {}{}{}\n", grid.kernel.name, to_string(first.shape), origin_words(first, false),
                     fixed.empty() ? "" : ": ", to_string(fixed));
}

/// "Best: BLOCK_M=64, 12.30 µs", in the words of the window; "" where no point has a latency or a prediction.
std::string fastest_text(const SweepGrid& grid, const std::vector<SharedMeasurement>& points) {
  EndedSweep sweep;
  sweep.points = points;
  sweep.total = points.size();
  for (const auto& [name, values] : grid.swept) sweep.swept.push_back(name);
  return summarize_sweep(sweep).fastest;
}

/// Figures that the points lack and why, each sentence once.
std::string notes_of(const std::vector<SharedMeasurement>& points) {
  std::string text;
  std::set<std::string> seen;
  for (const auto& point : points) {
    for (const std::string& note : point->notes) {
      if (seen.insert(note).second) text += prose(note, 0) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string sweep_text(const SweepGrid& grid, const SweepPlan& plan, const SweepResult& result,
                       std::size_t most_rows) {
  const std::vector<SharedMeasurement>& points = result.campaign.points();
  std::string text = plan.left_out_text();
  if (!text.empty()) text += "\n";
  if (points.empty()) return text + "No point was measured.\n";
  if (const std::optional<ShapeMatrix> matrix = sweep_matrix(grid, result))
    return text + shape_matrix_text(*matrix, most_rows) + notes_of(points);

  PointRows rows;
  rows.update(points, {});
  const std::vector<PointColumn> columns = columns_for(grid, rows.rows());
  TextTable table;
  for (const PointColumn& column : columns) {
    table.add_column(column.header, column.is_number ? TextTable::Align::right : TextTable::Align::left);
  }
  const std::vector<std::size_t> order = order_of(rows.rows());
  const std::size_t shown = std::min(most_rows, order.size());
  for (std::size_t index = 0; index < shown; ++index) {
    std::vector<std::string> cells;
    cells.reserve(columns.size());
    const PointRow& row = rows.rows()[order[index]];
    for (const PointColumn& column : columns) {
      const TextColor color = column.tag == "status" ? text_color_of(*row.point) : TextColor::none;
      cells.push_back(colored(cell_text(row, column), color));
    }
    table.add_row(std::move(cells));
  }
  text += heading(grid, *points.front()) + table.text();
  if (shown < order.size()) {
    text += fmt::format("{} more points: --json prints all of them, --session keeps them\n",
                        order.size() - shown);
  }
  const std::string fastest = fastest_text(grid, points);
  return text + (fastest.empty() ? "" : prose(fastest, 0) + "\n") + notes_of(points);
}

}  // namespace tilescope
