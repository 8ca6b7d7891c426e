#include "sessions/views/points/metric_text.hpp"

#include <cmath>

#include "base/text/format.hpp"

namespace tilescope {

namespace {

std::string symbol_of(Unit unit) {
  switch (unit) {
    case Unit::percent:
      return "%";
    case Unit::microseconds:
      return "µs";
    case Unit::bytes:
      return "B";
    case Unit::tflops:
      return "TFLOP/s";
    case Unit::megahertz:
      return "MHz";
    case Unit::count:
    case Unit::ratio:
    case Unit::magnitude:
      break;
  }
  return {};
}

std::string with_symbol(const std::string& name, Unit unit) {
  const std::string symbol = symbol_of(unit);
  return symbol.empty() ? name : name + " [" + symbol + "]";
}

std::string format_whole(double value) {
  return std::isfinite(value) ? format_count(std::llround(value)) : "-";
}

}  // namespace

std::string format_value(double value, Unit unit) {
  switch (unit) {
    case Unit::count:
    case Unit::bytes:
    case Unit::megahertz:
      return format_whole(value);
    case Unit::ratio:
    case Unit::tflops:
      return format_number(value, 2);
    case Unit::percent:
      return format_number(value, 1);
    case Unit::microseconds:
      return format_us(value);
    case Unit::magnitude:
      break;
  }
  return format_error(value);
}

std::string format_with_unit(double value, Unit unit) {
  if (!std::isfinite(value)) return format_value(value, unit);
  if (unit == Unit::microseconds) return format_latency(value);
  if (unit == Unit::bytes) return format_bytes(std::llround(value));
  const std::string symbol = symbol_of(unit);
  return format_value(value, unit) + (symbol.empty() ? "" : " " + symbol);
}

std::string column_header(const Metric& metric) {
  return metric.header.empty() ? symbol_of(metric.unit) : with_symbol(metric.header, metric.unit);
}

std::string quantity_words(const Metric& metric) {
  return with_symbol(metric.name + (metric.per.empty() ? "" : " per " + metric.per), metric.unit);
}

std::string cell_text(const Metric& metric, const Measurement& point) {
  if (metric.text != nullptr) return metric.text(point);
  const std::optional<double> value = metric.value(point);
  return value ? format_value(*value, metric.unit) : "";
}

std::string value_words(const Metric& metric, const Measurement& point) {
  if (metric.text != nullptr) return metric.text(point);
  const std::optional<double> value = metric.value(point);
  if (!value) return "";
  return format_with_unit(*value, metric.unit) + (metric.per.empty() ? "" : " per " + metric.per);
}

}  // namespace tilescope
