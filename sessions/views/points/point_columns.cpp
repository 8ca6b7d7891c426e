#include "sessions/views/points/point_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sessions/metrics/registry.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/trust.hpp"
#include "sessions/views/points/metric_text.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

namespace {

/// "conflicts [%]" to "Conflicts [%]"; a symbol such as p50 stays as it is.
std::string sentence_case(std::string text) {
  const auto is_letter = [](char letter) { return letter >= 'a' && letter <= 'z'; };
  if (text.size() > 1 && is_letter(text[0]) && is_letter(text[1]))
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

PointColumn column_of(const Metric& metric) {
  return {.tag = metric.tag,
          .header = sentence_case(column_header(metric)),
          .help = metric.description,
          .shown = metric.shown,
          .is_number = metric.value != nullptr,
          .widest = metric.widest,
          .metric = &metric};
}

PointColumn column_of(const ParameterChoices& parameter) {
  const ValueAxis axis = make_axis(parameter);
  const auto longer = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
  const auto widest = std::max_element(axis.labels.begin(), axis.labels.end(), longer);
  return {.tag = "parameter " + parameter.name,
          .header = parameter.name,
          .help = "Parameter of the kernel",
          .is_number = axis.scale != ValueAxis::Scale::category,
          .widest = widest == axis.labels.end() ? "" : *widest,
          .parameter = parameter.name};
}

PointColumn rank_column() {
  return {
      .tag = "rank",
      .header = "#",
      .help =
          "Rank by p50 within one shape: every shape has its own 1. Correct results are ranked, by device "
          "and "
          "origin, among those that count the same operations; points of an older source among themselves. "
          "Points that were not timed are ranked by their predicted p50, after those that were. A ~ marks "
          "points that cannot be told from the first of their ranking. A ? marks "
          "points whose latency or configuration is not to be trusted: their diagnoses say why",
      .is_number = true,
      .widest = "0000~",
      .identifies = true,
      .text =
          [](const PointRow& row) {
            if (row.rank == 0) return std::string();
            return std::to_string(row.rank) + (row.ties_with_first ? "~" : "") +
                   (distrust_word(*row.point).empty() ? "" : "?");
          },
      .number = [](const PointRow& row) -> std::optional<double> {
        if (row.rank == 0) return std::nullopt;
        return row.rank;
      }};
}

PointColumn shape_column() {
  return {.tag = "shape",
          .header = "Shape",
          .help = "Batch B, heads H (query/key), sequence S (query x key), head dimension D, element type",
          .widest = "B1 H16 S2048 D128 fp16 causal",
          .identifies = true,
          .text = [](const PointRow& row) { return problem_words(*row.point); }};
}

PointColumn kernel_column() {
  return {.tag = "kernel",
          .header = "Kernel",
          .help = "Name in the catalogue",
          .widest = "cublas_unfused",
          .identifies = true,
          .text = [](const PointRow& row) { return row.point->kernel; }};
}

PointColumn device_column() {
  return {.tag = "device",
          .header = "Device",
          .help = "The device that the point belongs to",
          .widest = "RTX 4090",
          .identifies = true,
          .text = [](const PointRow& row) { return row.point->device.name; }};
}

PointColumn status_column() {
  return {.tag = "status",
          .header = "Status",
          .help = "How the point ended",
          .widest = "Incorrect result",
          .text = [](const PointRow& row) { return status_label(*row.point); }};
}

PointColumn source_column() {
  return {.tag = "source",
          .header = "Source",
          .help = "Whether the kernel's file has changed since the point was compiled",
          .widest = "older",
          .text = [](const PointRow& row) { return std::string(row.older_source ? "older" : ""); }};
}

PointColumn compiler_column() {
  return {.tag = "compiler",
          .header = "Compiler",
          .help = "The compiler of a point that NVRTC did not compile",
          .widest = "nvcc",
          .text = [](const PointRow& row) {
            const KernelCompiler compiler = row.point->provenance.compiler;
            return compiler == KernelCompiler::nvrtc ? std::string() : proper_name(compiler);
          }};
}

PointColumn kind_column() {
  return {.tag = "kind",
          .header = "Origin",
          .help = "Where the latency comes from: measured here, recorded before, or predicted and not timed",
          .widest = "predicted",
          .text = [](const PointRow& row) {
            if (!row.point->latency) return std::string(has_prediction(*row.point) ? "predicted" : "");
            return to_string(row.recorded ? LatencyKind::recorded : row.point->latency->kind);
          }};
}

PointColumn time_column() {
  return {.tag = "time",
          .header = "Time (UTC)",
          .help = "When the point was measured",
          .shown = false,
          .widest = "2026-01-01T00:00:00Z",
          .text = [](const PointRow& row) { return row.point->provenance.time_utc; }};
}

PointColumn sass_column() {
  return {.tag = "sass",
          .header = "SASS",
          .help = "Start of the machine code's hash: equal hashes are the same program",
          .shown = false,
          .widest = "0123456789",
          .text = [](const PointRow& row) {
            return row.point->resources ? row.point->resources->sass_sha256.substr(0, 10) : std::string();
          }};
}

}  // namespace

std::vector<PointColumn> point_columns(const std::vector<ParameterChoices>& parameters) {
  std::vector<PointColumn> columns{rank_column(),   shape_column(),  kernel_column(),  device_column(),
                                   status_column(), source_column(), compiler_column()};
  for (const Metric& metric : all_metrics()) {
    columns.push_back(column_of(metric));
    if (metric.tag == "p50") columns.push_back(kind_column());
  }
  for (const ParameterChoices& parameter : parameters) columns.push_back(column_of(parameter));
  columns.push_back(time_column());
  columns.push_back(sass_column());
  return columns;
}

std::vector<ParameterChoices> all_parameters(const std::vector<ParameterChoices>& declared,
                                             const Configuration& of_points) {
  std::vector<ParameterChoices> all;
  const auto entry = [&all](const std::string& name) -> ParameterChoices& {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ParameterChoices& choices) { return choices.name == name; });
    if (found != all.end()) return *found;
    return all.emplace_back(ParameterChoices{name, {}, std::nullopt});
  };
  const auto add = [](std::vector<ParameterValue>& values, const ParameterValue& value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  };
  for (const ParameterChoices& parameter : declared) {
    ParameterChoices& choices = entry(parameter.name);
    for (const ParameterValue& value : parameter.values) add(choices.values, value);
  }
  for (const auto& [name, value] : of_points) {
    ParameterChoices& choices = entry(name);
    if (choices.values.empty()) choices.values.push_back(value);
  }
  return all;
}

std::string cell_text(const PointRow& row, const PointColumn& column) {
  if (column.metric != nullptr) return cell_text(*column.metric, *row.point);
  if (column.text != nullptr) return column.text(row);
  const auto value = row.point->parameters.find(column.parameter);
  return value == row.point->parameters.end() ? "" : to_string(value->second);
}

bool sorts_by_number(const PointColumn& column) {
  return column.number != nullptr || (column.metric != nullptr && column.metric->value != nullptr);
}

std::optional<double> sort_number(const PointRow& row, const PointColumn& column) {
  if (column.number != nullptr) return column.number(row);
  const Measurement& point = *row.point;
  const MetricSource source = column.metric->source;
  const bool is_of_time = source == MetricSource::timed || source == MetricSource::predicted;
  if (is_of_time && point.status != Status::ok) return std::nullopt;
  const std::optional<double> value = column.metric->value(point);
  if (value && !std::isfinite(*value)) return std::numeric_limits<double>::max();
  return value;
}

}  // namespace tilescope
