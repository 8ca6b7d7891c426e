#include "sessions/reports/point_table.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace tilescope {
namespace {

using Order = std::vector<std::uint32_t>;

bool has_one_kernel(const std::vector<PointRow>& rows, const Order& order) {
  return std::all_of(order.begin(), order.end(),
                     [&](std::uint32_t i) { return rows[i].point->kernel == rows[order[0]].point->kernel; });
}

/// The values of each parameter in these rows; a row that lacks one counts as a value of its own.
std::map<std::string, std::set<std::string>> values_of(const std::vector<PointRow>& rows,
                                                       const Order& order) {
  std::map<std::string, std::set<std::string>> values;
  for (const std::uint32_t i : order) {
    for (const auto& [name, value] : rows[i].point->parameters) values[name];
  }
  for (auto& [name, texts] : values) {
    for (const std::uint32_t i : order) {
      const auto found = rows[i].point->parameters.find(name);
      texts.insert(found == rows[i].point->parameters.end() ? "" : to_string(found->second));
    }
  }
  return values;
}

std::vector<ParameterChoices> varied_parameters(const std::vector<PointRow>& rows, const Order& order) {
  std::vector<ParameterChoices> varied;
  for (const auto& [name, texts] : values_of(rows, order)) {
    if (texts.size() < 2) continue;
    ParameterChoices& choices = varied.emplace_back(ParameterChoices{name, {}, std::nullopt});
    for (const std::string& text : texts) {
      if (!text.empty()) choices.values.push_back(parameter_value_from(text));
    }
  }
  return varied;
}

/// A report shows what the table of the window shows at first, with the spread of the samples.
/// A point of a file has its problem in the column of shapes; attention has it in the heading.
bool is_wanted(const PointColumn& column, bool one_kernel, bool all_ok, bool is_of_file) {
  static const std::set<std::string_view> elsewhere{"device", "source", "time", "sass"};
  if (column.tag == "shape") return is_of_file;
  if (elsewhere.contains(column.tag)) return false;
  if (column.tag == "kernel") return !one_kernel;
  if (column.tag == "status") return !all_ok;
  return column.shown || column.tag == "spread" || column.tag == "prediction_error";
}

ReportTable::RowKind kind_of(const PointRow& row) {
  if (!has_run(row.point->status)) return ReportTable::RowKind::failed;
  return row.point->latency ? ReportTable::RowKind::plain : ReportTable::RowKind::predicted;
}

std::vector<PointColumn> columns_for(const std::vector<PointRow>& rows, const Order& order, bool one_kernel) {
  const bool all_ok = std::all_of(order.begin(), order.end(),
                                  [&](std::uint32_t i) { return rows[i].point->status == Status::ok; });
  const bool is_of_file = rows[order[0]].point->arguments.has_value();
  const std::vector<ParameterChoices> varied =
      one_kernel ? varied_parameters(rows, order) : std::vector<ParameterChoices>();
  std::vector<PointColumn> columns;
  for (const PointColumn& column : point_columns(varied)) {
    const bool has_values = std::any_of(order.begin(), order.end(),
                                        [&](std::uint32_t i) { return !cell_text(rows[i], column).empty(); });
    if (!has_values || !is_wanted(column, one_kernel, all_ok, is_of_file)) continue;
    columns.push_back(column);
    if (column.tag == "shape") columns.back().header = "Problem";
  }
  return columns;
}

}  // namespace

ReportTable point_table(const std::vector<PointRow>& rows, const Order& order) {
  ReportTable table;
  if (order.empty()) return table;
  const bool one_kernel = has_one_kernel(rows, order);
  const std::vector<PointColumn> columns = columns_for(rows, order, one_kernel);
  for (const PointColumn& column : columns)
    table.columns.push_back({column.header, column.help, column.is_number});
  if (!one_kernel) table.columns.push_back({.header = "Configuration", .is_long = true});
  table.rows.reserve(order.size());
  for (const std::uint32_t i : order) {
    ReportTable::Row& row = table.rows.emplace_back(ReportTable::Row{{}, kind_of(rows[i])});
    row.cells.reserve(table.columns.size());
    for (const PointColumn& column : columns) row.cells.push_back(cell_text(rows[i], column));
    if (!one_kernel) row.cells.push_back(to_string(rows[i].point->parameters));
  }
  return table;
}

std::string shared_parameters(const std::vector<PointRow>& rows, const Order& order) {
  if (order.empty() || !has_one_kernel(rows, order)) return "";
  Configuration shared = rows[order[0]].point->parameters;
  for (const auto& [name, texts] : values_of(rows, order)) {
    if (texts.size() > 1) shared.erase(name);
  }
  return to_string(shared);
}

}  // namespace tilescope
