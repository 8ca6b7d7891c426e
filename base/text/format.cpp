#include "base/text/format.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace tilescope {

namespace {

std::string printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string with_groups(std::string digits) {
  const std::size_t first = !digits.empty() && digits[0] == '-' ? 1 : 0;
  std::size_t end = digits.find('.');
  if (end == std::string::npos) end = digits.size();
  for (std::size_t at = end; at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

constexpr const char* no_break_space = "\xC2\xA0";

constexpr std::array<std::string_view, 12> units{"%",   "µs",  "ms", "s",   "us",   "B",
                                                 "KiB", "MiB", "pp", "MHz", "GB/s", "TFLOP/s"};

/// Whether a unit as a whole word begins there.
bool is_unit_at(const std::string& text, std::size_t at) {
  return std::any_of(units.begin(), units.end(), [&](std::string_view unit) {
    if (text.compare(at, unit.size(), unit) != 0) return false;
    const std::size_t end = at + unit.size();
    return end == text.size() || std::string_view(" ,.;:)").find(text[end]) != std::string_view::npos;
  });
}

}  // namespace

std::string with_unbroken_units(const std::string& text) {
  std::string joined;
  joined.reserve(text.size() + 8);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_after_number = i > 0 && std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0;
    if (text[i] == ' ' && is_after_number && is_unit_at(text, i + 1)) {
      joined += no_break_space;
    } else {
      joined += text[i];
    }
  }
  return joined;
}

std::string format_count(std::int64_t count) {
  return with_groups(std::to_string(count));
}

std::string format_short(std::int64_t count) {
  const double size = std::abs(static_cast<double>(count));
  if (size < 1e6) return format_count(count);
  const bool in_millions = size < 999.5e6;
  const double value = static_cast<double>(count) / (in_millions ? 1e6 : 1e9);
  const double digits = std::abs(value);
  return format_number(value, digits < 9.995 ? 2 : digits < 99.95 ? 1 : 0) + (in_millions ? " M" : " G");
}

std::string format_points(std::size_t count) {
  if (count == 0) return "no points";
  return format_count(static_cast<std::int64_t>(count)) + (count == 1 ? " point" : " points");
}

std::string format_number(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  char text[400];  // The largest double has 309 digits before its point.
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return with_groups(text);
}

std::string format_us(double us) {
  return format_number(us, us < 10 ? 3 : 2);
}

std::string format_latency(double us) {
  if (!std::isfinite(us)) return "-";
  if (us < 1e3) return format_number(us, us < 10 ? 3 : 2) + " µs";
  if (us < 1e6) return format_number(us / 1e3, us < 1e4 ? 3 : 2) + " ms";
  return format_number(us / 1e6, 2) + " s";
}

std::string format_spread(double low_us, double high_us) {
  if (!std::isfinite(low_us) || !std::isfinite(high_us)) return "not known";
  return format_latency(low_us) + " to " + format_latency(high_us);
}

std::string format_percent(double fraction) {
  return format_number(fraction * 100, 1) + " %";
}

std::string format_bytes(std::int64_t bytes) {
  const std::string exact = format_count(bytes) + " B";
  return bytes < 1024 ? exact : format_short_bytes(bytes) + " (" + exact + ")";
}

std::string format_short_bytes(std::int64_t bytes) {
  if (bytes < 1024) return format_count(bytes) + " B";
  return format_number(static_cast<double>(bytes) / 1024, 1) + " KiB";
}

std::string format_error(double error) {
  if (std::isnan(error)) return "NaN";
  return error == 0 ? "0" : printed("%.2e", error);
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "-";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  char text[64];
  if (whole < 60) {
    std::snprintf(text, sizeof(text), "%d s", static_cast<int>(whole));
  } else if (whole < 3600) {
    std::snprintf(text, sizeof(text), "%d min %02d s", static_cast<int>(whole / 60),
                  static_cast<int>(whole % 60));
  } else {
    std::snprintf(text, sizeof(text), "%lld h %02d min", static_cast<long long>(whole / 3600),
                  static_cast<int>(whole % 3600 / 60));
  }
  return text;
}

}  // namespace tilescope
