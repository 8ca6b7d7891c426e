#include "base/text/csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/text/visible_text.hpp"

namespace tilescope {

namespace {

/// Texts that a spreadsheet takes for the beginning of a formula, in full width too. Some skip a tab or a
/// line break before one.
constexpr std::array<std::string_view, 10> formula_beginnings{"=",  "+",      "-",      "@",      "\t",
                                                              "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"};

/// "-5", "-1.5e-07", "-inf", and figures with a unit: "+20.0 %", "-3.25 µs".
bool is_number(std::string_view text) {
  const std::string_view figure = text.substr(0, text.find(' '));
  const std::string_view unit = text.substr(figure.size());
  const bool has_plus = figure.starts_with('+') && !unit.empty();
  const std::string_view digits = figure.substr(has_plus ? 1 : 0);
  if (has_plus && digits.starts_with('-')) return false;
  double value = 0;
  const auto [stopped, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::invalid_argument || stopped != digits.data() + digits.size()) return false;
  return unit.empty() || unit == " %" || unit == " µs" || unit == " B";
}

/// Semicolons and tabs separate cells in the spreadsheets of some languages.
std::string csv_field(const std::string& field) {
  std::string shown = spreadsheet_cell(field);
  if (shown.find_first_of(",;\t\"\r\n") == std::string::npos) return shown;
  std::string text = "\"";
  for (const char letter : shown) text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return text + "\"";
}

}  // namespace

std::string spreadsheet_cell(const std::string& text) {
  const std::string shown = visible_text(text);
  const bool begins_formula =
      std::ranges::any_of(formula_beginnings, [&](std::string_view sign) { return shown.starts_with(sign); });
  const bool is_missing = shown == "-";  // A figure that there is not.
  return begins_formula && !is_missing && !is_number(shown) ? "'" + shown : shown;
}

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
