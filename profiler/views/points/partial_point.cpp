#include "profiler/views/points/partial_point.hpp"

#include <algorithm>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/metrics/registry.hpp"
#include "sessions/views/points/metric_text.hpp"

namespace tilescope {
namespace {

const char* const clock_sentence = "The SM clock is still rising: the latency will fall.";

std::string stage_words(const PartialPoint& point) {
  const Measurement& so_far = point.so_far;
  if (point.is_latency_provisional) return "provisional latency";
  if (so_far.latency && so_far.latency->l2_cold) return "timed, being counted";
  if (so_far.latency) return "timed, series with a cold L2 follows";
  if (so_far.error && so_far.device.present) return "checked, being timed";
  if (so_far.error) return so_far.resources ? "checked and counted" : "checked, being compiled";
  return so_far.resources ? "compiled, being checked" : "valid, being compiled";
}

// Every figure that a point of this kind ends with, so that point_details has a row for each. No value is shown.
Measurement with_every_figure(const PartialPoint& point, bool is_launched_by_library) {
  Measurement every = point.so_far;
  if (every.device.present && !every.latency) every.latency.emplace().tflops = 1;
  if (every.latency) {
    for (auto* series : {&every.latency->l2_warm, &every.latency->l2_cold}) {
      if (!*series) series->emplace();
      (*series)->sm_clock_mhz = 1;
    }
  }
  if (!every.error) every.error.emplace().checked_by = every.device.present ? "gpu" : "interpreter";
  every.error->rows_checked = every.error->rows_total = 1;
  if (is_launched_by_library) return every;
  if (!every.prediction) every.prediction = Prediction{1, 1, 1, 1, "", "", {{"tensor", 1}}};
  if (!every.memory) every.memory.emplace();
  if (every.memory->global_sectors == 0) every.memory->global_sectors = 1;
  every.memory->sites.clear();
  if (!every.occupancy) every.occupancy.emplace();
  every.occupancy->tail_fraction = 1;
  every.occupancy->grid_blocks = 1;
  if (!every.resources) every.resources.emplace();
  every.resources->sass_sha256 = "1";
  return every;
}

DetailRow pending(const DetailRow& row) {
  DetailRow empty{row.label, "...", row.help};
  empty.unit = row.unit;
  empty.is_pending = true;
  return empty;
}

// Registers may lower what the tiles and the threads alone allow; the grid is what it is.
void make_bounds(DetailSection& section) {
  section.origin = "registers are not known yet";
  for (DetailRow& row : section.rows) {
    if (row.label == metric_of("occupancy").label || row.label.ends_with(" per SM")) {
      row.value = "at most " + row.value;
    } else if (row.label == "Waves") {
      row.value = "at least " + row.value;
    } else if (row.label != "Grid") {
      row = pending(row);
    }
  }
}

std::string latency_sentence(const PartialPoint& point) {
  // The final point has no sentence there: its room would stay empty.
  if (!point.so_far.device.present && !point.so_far.latency) return "";
  if (point.is_clock_rising) return clock_sentence;
  if (point.is_latency_provisional) return "Of a few launches. The final latency follows.";
  if (point.so_far.latency) return "The series with a warm L2 is final.";
  return point.so_far.error ? "The first launches are being timed." : "Timed once the result is checked.";
}

const DetailSection* find_section(const std::vector<DetailSection>& sections, const std::string& title) {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const DetailSection& section) { return section.title == title; });
  return found == sections.end() ? nullptr : &*found;
}

DetailRow known_or_pending(const DetailRow& row, const DetailSection* known) {
  if (known == nullptr) return pending(row);
  const auto found = std::find_if(known->rows.begin(), known->rows.end(),
                                  [&](const DetailRow& each) { return each.label == row.label; });
  return found == known->rows.end() ? pending(row) : *found;
}

/// Where a point of the slice's shape stands on the axis.
std::optional<double> place_on(const ValueAxis& axis, const PartialPoint& point, const Slice& slice) {
  if (point.so_far.shape != slice.shape) return std::nullopt;
  const auto value = point.so_far.parameters.find(axis.name);
  const auto place = value == point.so_far.parameters.end() ? std::nullopt : axis.find(value->second);
  return place ? std::optional(axis.positions[*place]) : std::nullopt;
}

std::string cell_words(const PartialPoint& point, const Metric& metric) {
  if (metric.value == nullptr) return "";
  const std::optional<double> value = metric.value(point.so_far);
  if (!value) return "";
  std::string text = format_value(*value, metric.unit);
  if (metric.source != MetricSource::calculated || !point.is_occupancy_estimated) return text;
  return metric.tag == "occupancy" ? "≤ " + text : "";
}

}  // namespace

PartialPoint nothing_known(const Experiment& experiment, const DeviceIdentity& device) {
  PartialPoint point;
  point.so_far = failed_measurement(experiment, Status::ok, "");
  point.so_far.device = device;
  return point;
}

std::string measuring_heading(const PartialPoint* point) {
  return "Measuring: " + (point == nullptr ? "waiting for the worker" : stage_words(*point));
}

std::vector<DetailSection> partial_details(const PartialPoint& point, bool is_launched_by_library) {
  const std::vector<DetailSection> known = point_details(point.so_far, false);
  std::vector<DetailSection> sections =
      point_details(with_every_figure(point, is_launched_by_library), false);
  std::erase_if(sections, [](const DetailSection& section) { return section.title == "Provenance"; });
  for (DetailSection& section : sections) {
    const DetailSection* found = find_section(known, section.title);
    for (DetailRow& row : section.rows) row = known_or_pending(row, found);
    section.text.clear();
    if (section.title == "Occupancy" && point.is_occupancy_estimated) make_bounds(section);
    if (section.title != "Latency") continue;
    const bool is_timed = point.so_far.latency || point.so_far.device.present;
    section.origin = (is_timed ? "provisional, on " : "predicted for ") + point.so_far.device.name;
    section.text = latency_sentence(point);
  }
  if (const DetailSection* lines = find_section(known, excess_by_line)) sections.push_back(*lines);
  return sections;
}

std::vector<DetailSection> compared_partial_details(std::vector<DetailSection> partial,
                                                    const Measurement& other, bool recorded) {
  // In place of the point's provenance: what only the other one has comes before it.
  partial.push_back({"Provenance", "", {}, ""});
  std::vector<DetailSection> sections = compared_details(std::move(partial), point_details(other, recorded));
  std::erase_if(sections, [](const DetailSection& section) { return section.title == "Provenance"; });
  return sections;
}

std::optional<PartialMark> partial_latency(const PartialPoint& point, const Slice& slice,
                                           const ValueAxis& axis) {
  const auto x = place_on(axis, point, slice);
  if (!x || !point.so_far.latency) return std::nullopt;
  const Latency& latency = *point.so_far.latency;
  return PartialMark{*x, latency.p50_us, latency.p10_us, latency.p90_us};
}

std::optional<PartialMark> partial_occupancy(const PartialPoint& point, const Slice& slice,
                                             const ValueAxis& axis) {
  const auto x = place_on(axis, point, slice);
  if (!x || !point.so_far.occupancy) return std::nullopt;
  const double percent = point.so_far.occupancy->fraction * 100;
  return PartialMark{*x, percent, point.is_occupancy_estimated ? 0 : percent, percent};
}

std::optional<PartialCell> partial_cell(const PartialPoint& point, const Slice& slice,
                                        const HeatMapView& view, const Metric& metric) {
  if (view.source != HeatSource{LatencyKind::measured, point.so_far.device.name, false}) return std::nullopt;
  const Configuration& parameters = point.so_far.parameters;
  const auto x = parameters.find(view.x.name);
  const auto y = parameters.find(view.y.name);
  if (point.so_far.shape != slice.shape || x == parameters.end() || y == parameters.end())
    return std::nullopt;
  const auto column = view.x.find(x->second);
  const auto row = view.y.find(y->second);
  if (!column || !row) return std::nullopt;
  return PartialCell{*row * view.x.values.size() + *column, cell_words(point, metric)};
}

std::vector<TextPair> partial_tooltip(const PartialPoint& point) {
  const Measurement& so_far = point.so_far;
  std::vector<TextPair> lines{{"provisional", stage_words(point)}};
  if (so_far.latency) {
    lines.emplace_back("p50", format_latency(so_far.latency->p50_us));
    lines.emplace_back(
        "p10-p90", format_latency(so_far.latency->p10_us) + " to " + format_latency(so_far.latency->p90_us));
  }
  if (point.is_clock_rising) lines.emplace_back("SM clock", clock_sentence);
  if (so_far.occupancy) {
    const std::string percent = format_percent(so_far.occupancy->fraction);
    lines.emplace_back("occupancy", point.is_occupancy_estimated
                                        ? "at most " + percent + ": registers are not known yet"
                                        : percent + ", " + limiter_words(*so_far.occupancy));
  }
  if (so_far.resources) lines.emplace_back("registers", value_words(metric_of("registers"), so_far));
  if (so_far.error) lines.emplace_back("error", format_error(so_far.error->max_abs));
  return lines;
}

}  // namespace tilescope
