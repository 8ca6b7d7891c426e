#include "sessions/views/points/points_csv.hpp"

#include "base/text/csv.hpp"

namespace tilescope {

namespace {

std::string raw_text(const PointRow& row, const PointColumn& column) {
  if (column.tag == "rank") return csv_number(column.number(row));
  if (column.metric == nullptr || column.metric->value == nullptr) return cell_text(row, column);
  return csv_number(column.metric->value(*row.point));
}

/// A tab or a line break would end the cell.
std::string one_cell(std::string text) {
  for (char& letter : text) {
    if (letter == '\t' || letter == '\n' || letter == '\r') letter = ' ';
  }
  return spreadsheet_cell(text);
}

}  // namespace

std::string points_csv(const std::vector<PointRow>& rows, const std::vector<PointColumn>& columns,
                       const std::vector<std::uint32_t>& order) {
  CsvText csv;
  std::vector<std::string> fields;
  fields.reserve(columns.size());
  for (const PointColumn& column : columns) fields.push_back(column.header);
  csv.add(fields);
  for (const std::uint32_t index : order) {
    fields.clear();
    for (const PointColumn& column : columns) fields.push_back(raw_text(rows[index], column));
    csv.add(fields);
  }
  return csv.text();
}

std::string points_text(const std::vector<PointRow>& rows, const std::vector<PointColumn>& columns,
                        const std::vector<std::uint32_t>& order) {
  std::string text;
  const auto end_cell = [&](std::size_t i) { text += i + 1 < columns.size() ? '\t' : '\n'; };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += one_cell(columns[i].header);
    end_cell(i);
  }
  for (const std::uint32_t index : order) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += one_cell(cell_text(rows[index], columns[i]));
      end_cell(i);
    }
  }
  return text;
}

}  // namespace tilescope
