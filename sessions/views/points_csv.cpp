#include "sessions/views/points_csv.hpp"

#include <charconv>
#include <cmath>
#include <optional>

namespace tilescope {

namespace {

/// The shortest text that reads back as the same number; whole numbers without an exponent.
std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  constexpr double largest_whole = 9007199254740992.0;  // 2^53
  char text[64];
  const bool is_whole = std::abs(value) < largest_whole && value == std::floor(value);
  const auto end = is_whole ? std::to_chars(text, text + sizeof(text), static_cast<std::int64_t>(value)).ptr
                            : std::to_chars(text, text + sizeof(text), value).ptr;
  return {text, end};
}

std::string csv_field(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char letter : field) text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return text + "\"";
}

std::string raw_text(const PointRow& row, const PointColumn& column) {
  if (column.metric == nullptr || column.metric->value == nullptr) return cell_text(row, column);
  const std::optional<double> value = column.metric->value(*row.point);
  return value ? number_text(*value) : "";
}

/// A tab or a line break would end the cell.
std::string one_cell(std::string text) {
  for (char& letter : text) {
    if (letter == '\t' || letter == '\n' || letter == '\r') letter = ' ';
  }
  return text;
}

}  // namespace

std::string points_csv(const std::vector<PointRow>& rows, const std::vector<PointColumn>& columns,
                       const std::vector<std::uint32_t>& order) {
  std::string text;
  const auto end_field = [&](std::size_t i) { text += i + 1 < columns.size() ? "," : "\r\n"; };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += csv_field(columns[i].header);
    end_field(i);
  }
  for (const std::uint32_t index : order) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += csv_field(raw_text(rows[index], columns[i]));
      end_field(i);
    }
  }
  return text;
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
