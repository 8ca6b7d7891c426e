#include "sessions/views/format.hpp"

#include <cctype>
#include <cmath>
#include <cstdio>

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

}  // namespace

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
