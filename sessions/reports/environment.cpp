#include "sessions/reports/environment.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

/// "580.65 (52 points), 570.12 (5 points)", the most frequent first; the count is left out where all points agree.
std::string distinct_words(const PointList& points,
                           const std::function<std::string(const Measurement&)>& value) {
  std::map<std::string, std::size_t> counts;
  for (const auto& point : points) {
    if (std::string text = value(*point); !text.empty()) ++counts[std::move(text)];
  }
  std::vector<std::pair<std::string, std::size_t>> values(counts.begin(), counts.end());
  std::stable_sort(values.begin(), values.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string words;
  for (const auto& [text, count] : values) {
    if (!words.empty()) words += "; ";
    words += text;
    if (count != points.size()) words += " (" + format_points(count) + ")";
  }
  return words;
}

std::string device_of(const Measurement& point) {
  std::string text = device_words(point.device);
  if (!point.device.arch.empty()) text += ", " + point.device.arch;
  return text + (point.device.present ? "" : ", not installed");
}

/// "1,755 to 1,980 MHz"
std::string clock_words(const PointList& points) {
  std::optional<std::pair<double, double>> range;
  for (const auto& point : points) {
    const double clock = point->provenance.sm_clock_mhz;
    if (!(clock > 0)) continue;
    range = range ? std::pair(std::min(range->first, clock), std::max(range->second, clock))
                  : std::pair(clock, clock);
  }
  if (!range) return "";
  const std::string low = format_number(range->first, 0);
  const std::string high = format_number(range->second, 0);
  return (low == high ? high : low + " to " + high) + " MHz, sampled under load";
}

std::string time_words(const PointList& points) {
  std::string first;
  std::string last;
  for (const auto& point : points) {
    const std::string& time = point->provenance.time_utc;
    if (time.empty()) continue;
    first = first.empty() ? time : std::min(first, time);
    last = std::max(last, time);
  }
  return first == last ? first : first + " to " + last;
}

std::string model_of(const Measurement& point) {
  if (!point.prediction || point.prediction->model.empty()) return "";
  const std::string& table = point.prediction->table_sha256;
  return point.prediction->model + (table.empty() ? "" : ", device table " + table.substr(0, 12));
}

}  // namespace

ReportSection environment_section(const PointList& points, const std::map<std::string, SourceFile>& sources) {
  ReportSection section{"Environment", {}, {}, {{{"What"}, {.header = "Value", .wraps = true}}, {}}, {}};
  const auto add = [&](const std::string& label, const std::string& value) {
    if (!value.empty()) section.table.rows.push_back({{label, value}});
  };
  const auto add_field = [&](const std::string& label, std::string Provenance::*field) {
    add(label, distinct_words(points, [field](const Measurement& point) { return point.provenance.*field; }));
  };
  add("Device", distinct_words(points, device_of));
  add_field("Driver", &Provenance::driver_version);
  add("Compiler",
      distinct_words(points, [](const Measurement& point) { return compiler_words(point.provenance); }));
  add_field("Library", &Provenance::library_version);
  add("SM clock", clock_words(points));
  add_field("Host", &Provenance::host);
  add_field("Tilescope", &Provenance::tilescope_version);
  add("Model of latency", distinct_words(points, model_of));
  add("Time (UTC)", time_words(points));
  for (const auto& [hash, source] : sources) add("Source " + source.name, "SHA-256 " + hash);
  return section;
}

}  // namespace tilescope
