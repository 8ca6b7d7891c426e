#include "sessions/import/ncu_units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace tilescope {
namespace {

/// [ns] Older versions write the long names.
constexpr std::array<std::pair<std::string_view, double>, 12> times{{{"ns", 1},
                                                                     {"nsecond", 1},
                                                                     {"us", 1e3},
                                                                     {"usecond", 1e3},
                                                                     {"ms", 1e6},
                                                                     {"msecond", 1e6},
                                                                     {"s", 1e9},
                                                                     {"second", 1e9},
                                                                     {"minute", 60e9},
                                                                     {"hour", 3600e9},
                                                                     {"ps", 1e-3},
                                                                     {"psecond", 1e-3}}};

constexpr std::array<std::pair<char, double>, 5> prefixes{
    {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}}};

/// Units that ncu writes with a prefix.
constexpr std::array<std::string_view, 6> prefixed{"byte", "hz", "inst", "sector", "cycle", "warp"};

std::optional<double> time_scale(std::string_view unit) {
  for (const auto& [name, scale] : times) {
    if (unit == name) return scale;
  }
  return std::nullopt;
}

double scale_of(std::string_view unit) {
  if (const std::optional<double> scale = time_scale(unit)) return *scale;
  if (unit.empty()) return 1;
  const std::string_view rest = unit.substr(1);
  for (const auto& [prefix, scale] : prefixes) {
    if (unit.front() == prefix && std::find(prefixed.begin(), prefixed.end(), rest) != prefixed.end())
      return scale;
  }
  return 1;
}

/// Without the commas between groups of three digits.
std::optional<std::string> ungrouped(std::string_view text) {
  const std::size_t point = std::min(text.find_first_of(".eE"), text.size());
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',') {
      plain += text[i];
    } else if (i >= point || (point - i) % 4 != 0 || plain.empty()) {
      return std::nullopt;
    }
  }
  return plain;
}

/// Digits that blanks or apostrophes group, as some languages write thousands: "1 234", "1'234".
bool is_grouped_otherwise(std::string_view text) {
  bool has_group = false;
  while (!text.empty()) {
    const bool is_digit = text.front() >= '0' && text.front() <= '9';
    std::size_t size = is_digit || text.front() == '.' || text.front() == ',' ? 1 : 0;
    for (const std::string_view group : {" ", "'", "\u00a0", "\u202f", "\u2019"}) {
      if (!text.starts_with(group)) continue;
      size = group.size();
      has_group = true;
    }
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return has_group;
}

[[noreturn]] void refuse_number(const std::string& cell) {
  throw std::invalid_argument("'" + cell +
                              "' is not a number with commas between thousands and a decimal point: run ncu "
                              "with LC_ALL=C");
}

}  // namespace

std::optional<double> ncu_number(const std::string& cell) {
  const std::string_view text = std::string_view(cell).substr(0, cell.find(" ("));
  if (text.empty() || text.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  if (is_grouped_otherwise(text)) refuse_number(cell);
  if (text.find_first_not_of("+-.,0123456789eE") != std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<std::string> plain = ungrouped(text);
  double value = 0;
  if (plain) {
    const char* end = plain->data() + plain->size();
    const auto [stopped, error] = std::from_chars(plain->data(), end, value);
    if (error == std::errc() && stopped == end && std::isfinite(value)) return value;
  }
  refuse_number(cell);
}

double ncu_scale(const std::string& unit) {
  const std::size_t bar = unit.find('/');
  const double scale = scale_of(unit.substr(0, bar));
  if (bar == std::string::npos) return scale;
  const std::optional<double> below = time_scale(unit.substr(bar + 1));
  return below ? scale / (*below * 1e-9) : scale;
}

bool is_time(const std::string& unit) {
  return time_scale(unit).has_value();
}

}  // namespace tilescope
