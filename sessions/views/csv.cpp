#include "sessions/views/csv.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace tilescope {

namespace {

std::string csv_field(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char letter : field) text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return text + "\"";
}

}  // namespace

std::string csv_number(double value) {
  if (std::isnan(value)) return "NaN";
  constexpr double largest_whole = 9007199254740992.0;  // 2^53
  char text[64];
  const bool is_whole = std::abs(value) < largest_whole && value == std::floor(value);
  const auto end = is_whole ? std::to_chars(text, text + sizeof(text), static_cast<std::int64_t>(value)).ptr
                            : std::to_chars(text, text + sizeof(text), value).ptr;
  return {text, end};
}

std::string csv_number(std::optional<double> value) {
  return value ? csv_number(*value) : "";
}

void CsvText::add(const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) text_ += (i == 0 ? "" : ",") + csv_field(fields[i]);
  text_ += "\r\n";
}

}  // namespace tilescope
