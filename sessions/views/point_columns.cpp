#include "sessions/views/point_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sessions/metrics/registry.hpp"
#include "sessions/views/metric_text.hpp"

namespace tilescope {

namespace {

PointColumn column_of(const Metric& metric) {
  return {.tag = metric.tag,
          .header = column_header(metric),
          .help = metric.description,
          .shown = metric.shown,
          .is_number = metric.value != nullptr,
          .widest = metric.widest,
          .of_timing = metric.source == MetricSource::timed,
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
          "Rank by p50 among right results of one shape, device and kind, of the same operations, and of the "
          "kernel's file as it is now; those of an older source are ranked among themselves",
      .is_number = true,
      .widest = "00000",
      .of_timing = true,
      .text = [](const PointRow& row) { return row.rank == 0 ? std::string() : std::to_string(row.rank); },
      .number = [](const PointRow& row) -> std::optional<double> {
        if (row.rank == 0) return std::nullopt;
        return row.rank;
      }};
}

PointColumn status_column() {
  return {.tag = "status",
          .header = "status",
          .help = "How the point ended",
          .widest = "compile_failed",
          .text = [](const PointRow& row) { return to_string(row.point->status); }};
}

PointColumn source_column() {
  return {.tag = "source",
          .header = "source",
          .help = "Whether the kernel's file has changed since the point was compiled",
          .shown = false,
          .widest = "older",
          .text = [](const PointRow& row) { return std::string(row.older_source ? "older" : ""); }};
}

PointColumn kind_column() {
  return {.tag = "kind",
          .header = "latency is",
          .help = "Measured or recorded",
          .widest = "measured",
          .of_timing = true,
          .text = [](const PointRow& row) {
            if (!row.point->latency) return std::string();
            return to_string(row.recorded ? LatencyKind::recorded : row.point->latency->kind);
          }};
}

PointColumn kernel_column() {
  return {.tag = "kernel",
          .header = "kernel",
          .help = "Name in the catalogue",
          .widest = "flash_scalar_00",
          .text = [](const PointRow& row) { return row.point->kernel; }};
}

/// What tells points of one configuration apart.
std::vector<PointColumn> identity_columns() {
  return {{.tag = "shape",
           .header = "shape",
           .help = "B, H, S, D, type",
           .widest = "B1 H16 S16384 D128 fp16 causal",
           .text = [](const PointRow& row) { return to_string(row.point->shape); }},
          {.tag = "device",
           .header = "device",
           .help = "The device that the point belongs to",
           .widest = "RTX 4090",
           .text = [](const PointRow& row) { return row.point->device.name; }},
          {.tag = "time",
           .header = "time (UTC)",
           .help = "When the point was made",
           .shown = false,
           .widest = "2026-01-01T00:00:00Z",
           .text = [](const PointRow& row) { return row.point->provenance.time_utc; }},
          {.tag = "sass",
           .header = "SASS",
           .help = "Start of the machine code's hash: equal ones are the same program",
           .shown = false,
           .widest = "0123456789",
           .text = [](const PointRow& row) {
             return row.point->resources ? row.point->resources->sass_sha256.substr(0, 10) : std::string();
           }}};
}

}  // namespace

std::vector<PointColumn> point_columns(const std::vector<ParameterChoices>& parameters,
                                       bool several_kernels) {
  std::vector<PointColumn> columns{rank_column()};
  if (several_kernels) columns.push_back(kernel_column());
  columns.push_back(status_column());
  columns.push_back(source_column());
  for (const Metric& metric : all_metrics()) {
    if (metric.source != MetricSource::timed) continue;
    columns.push_back(column_of(metric));
    if (metric.tag == "p50") columns.push_back(kind_column());
  }
  for (const ParameterChoices& parameter : parameters) columns.push_back(column_of(parameter));
  for (const Metric& metric : all_metrics()) {
    if (metric.source != MetricSource::timed) columns.push_back(column_of(metric));
  }
  if (!several_kernels) columns.push_back(kernel_column());
  for (PointColumn& column : identity_columns()) columns.push_back(std::move(column));
  return columns;
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
  if (column.metric->source == MetricSource::timed && point.status != Status::ok) return std::nullopt;
  const std::optional<double> value = column.metric->value(point);
  if (value && !std::isfinite(*value)) return std::numeric_limits<double>::max();
  return value;
}

}  // namespace tilescope
