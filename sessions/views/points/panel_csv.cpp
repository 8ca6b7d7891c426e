#include "sessions/views/points/panel_csv.hpp"

#include <array>
#include <optional>
#include <vector>

#include "base/text/csv.hpp"
#include "sessions/views/points/metric_text.hpp"

namespace tilescope {

namespace {

/// The value that a point has on an axis: its configuration's, else the parameter's default, or an argument of its launch.
std::string value_of(const PointIndex& index, std::uint32_t entry, const std::string& axis) {
  const Configuration& configuration = index.entries()[entry].point->parameters;
  const auto found = configuration.find(axis);
  if (found != configuration.end()) return to_string(found->second);
  const std::size_t parameter = index.find_parameter(axis);
  if (parameter == index.parameters().size()) return "";
  const std::int16_t code = index.codes(entry)[parameter];
  return code == PointIndex::not_declared
             ? ""
             : to_string(index.parameters()[parameter].values[static_cast<std::size_t>(code)]);
}

std::string configuration_of(const PointIndex& index, std::uint32_t entry) {
  return to_string(index.entries()[entry].point->parameters);
}

/// p10, p50 and p90 as they were measured: a dot has their differences.
std::array<std::optional<double>, 3> times_of(const Measurement& point, bool predicted) {
  if (predicted && point.prediction)
    return {point.prediction->low_us, point.prediction->p50_us, point.prediction->high_us};
  if (!predicted && point.latency)
    return {point.latency->p10_us, point.latency->p50_us, point.latency->p90_us};
  return {};
}

}  // namespace

std::string heat_map_csv(const HeatMapView& view, const Metric& metric) {
  CsvText csv;
  std::vector<std::string> fields{quantity_words(metric) + "; rows: " + view.y.name +
                                  ", columns: " + view.x.name};
  fields.insert(fields.end(), view.x.labels.begin(), view.x.labels.end());
  csv.add(fields);
  for (std::size_t row = 0; row < view.y.values.size(); ++row) {
    fields = {view.y.labels[row]};
    for (std::size_t column = 0; column < view.x.values.size(); ++column) {
      const HeatCell& cell = view.at(column, row);
      fields.push_back(cell.state == HeatCell::State::value ? csv_number(cell.value) : "");
    }
    csv.add(fields);
  }
  return csv.text();
}

std::string latency_csv(const LatencyView& view, const PointIndex& index, const std::string& axis) {
  CsvText csv;
  csv.add({"series", axis, "p10 [us]", "p50 [us]", "p90 [us]", "configuration"});
  for (const LatencySeries& series : view.series) {
    for (const LatencyDot& dot : series.dots) {
      std::vector<std::string> fields{series.legend, value_of(index, dot.entry, axis)};
      for (const std::optional<double> time : times_of(*index.entries()[dot.entry].point, series.predicted)) {
        fields.push_back(csv_number(time));
      }
      fields.push_back(configuration_of(index, dot.entry));
      csv.add(fields);
    }
  }
  return csv.text();
}

std::string occupancy_csv(const OccupancyView& view, const PointIndex& index, const std::string& axis) {
  CsvText csv;
  csv.add({"series", "device", axis, "occupancy [%]", "points", "configuration of the newest"});
  for (const OccupancySeries& series : view.series) {
    for (const OccupancyDot& dot : series.dots) {
      csv.add({series.legend, series.device, value_of(index, dot.entry, axis), csv_number(dot.percent),
               std::to_string(dot.count), configuration_of(index, dot.entry)});
    }
  }
  return csv.text();
}

std::string details_csv(const std::vector<DetailSection>& sections) {
  CsvText csv;
  csv.add({"section", "origin", "figure", "value", "number", "compared"});
  for (const DetailSection& section : sections) {
    for (const DetailRow& row : section.rows) {
      csv.add({section.title, section.origin, row.label, row.value, csv_number(row.amount), row.other});
    }
  }
  return csv.text();
}

std::string ladder_csv(const std::vector<LadderGroup>& groups) {
  CsvText csv;
  csv.add({"device", "shape", "kernel", "kind", "origin", "p10 [us]", "p50 [us]", "p90 [us]", "TFLOP/s",
           "configuration"});
  for (const LadderGroup& group : groups) {
    const auto add = [&](const LadderBar& bar, const char* kind) {
      csv.add({group.device, to_string(group.shape), bar.point->kernel, kind, to_string(bar.kind),
               csv_number(bar.low_us), csv_number(bar.p50_us), csv_number(bar.high_us),
               csv_number(bar.tflops), to_string(bar.point->parameters)});
    };
    for (const LadderBar& bar : group.bars) add(bar, "kernel");
    for (const LadderBar& bar : group.baselines) add(bar, "baseline");
  }
  return csv.text();
}

}  // namespace tilescope
