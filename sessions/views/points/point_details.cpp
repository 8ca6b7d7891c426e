#include "sessions/views/points/point_details.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/metrics/registry.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/views/memory/memory_text.hpp"
#include "sessions/views/model/prediction_text.hpp"
#include "sessions/views/points/metric_text.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

namespace {

/// The rows of one section: metrics by their tags, between others that no record describes.
class Rows {
 public:
  Rows(DetailSection& section, const Measurement& point) : section_(section), point_(point) {}

  void add(std::string label, std::string value, std::string help = "", Tone tone = Tone::plain) {
    section_.rows.push_back({std::move(label), std::move(value), std::move(help), tone});
  }

  /// With a number, which a compared point's is held against.
  void add_number(std::string label, double amount, Unit unit, std::string help = "") {
    DetailRow row{std::move(label), format_with_unit(amount, unit), std::move(help)};
    row.amount = amount;
    row.unit = unit;
    section_.rows.push_back(std::move(row));
  }
  void add_count(std::string label, std::int64_t count, std::string help = "") {
    add_number(std::move(label), static_cast<double>(count), Unit::count, std::move(help));
  }

  void add_metric(std::string_view tag) {
    placed_.insert(tag);
    add_row(metric_of(tag));
  }

  /// The metrics of a source that have no row yet.
  void add_others(MetricSource source) {
    for (const Metric& metric : all_metrics()) {
      if (metric.source == source && !placed_.contains(metric.tag)) add_row(metric);
    }
  }

 private:
  void add_row(const Metric& metric) {
    std::string value = metric.label.empty() ? "" : value_words(metric, point_);
    if (value.empty()) return;
    add(metric.label, std::move(value), metric.description,
        metric.tone == nullptr ? Tone::plain : metric.tone(point_));
    DetailRow& row = section_.rows.back();
    if (metric.value != nullptr) row.amount = metric.value(point_);
    row.unit = metric.unit;
    row.smaller_is_better = metric.smaller_is_better;
  }

  DetailSection& section_;
  const Measurement& point_;
  std::set<std::string_view> placed_;
};

DetailSection resources_section(const Measurement& point, bool recorded) {
  const Resources& resources = *point.resources;
  DetailSection section{"Resources", recorded ? "recorded, from the compiler" : "from the compiler", {}, ""};
  Rows rows(section, point);
  rows.add_metric("registers");
  rows.add_number("Static shared", static_cast<double>(resources.static_shared_bytes), Unit::bytes,
                  "Per block, at most 48 KiB on any device");
  rows.add_number("Dynamic shared", static_cast<double>(resources.dynamic_shared_bytes), Unit::bytes,
                  "Per block, up to the device's opt-in limit");
  rows.add_metric("spills");
  rows.add_number("Stack", static_cast<double>(resources.stack_bytes), Unit::bytes, "Per thread");
  rows.add_others(MetricSource::compiled);
  if (!resources.sass_sha256.empty()) {
    rows.add("SASS", resources.sass_sha256.substr(0, 16),
             "Start of the SHA-256 of the machine code. Settings with the same hash are the same program.");
  }
  return section;
}

DetailSection occupancy_section(const Measurement& point, bool recorded) {
  const Occupancy& occupancy = *point.occupancy;
  DetailSection section{"Occupancy",
                        (recorded ? "recorded, " : "") + std::string("calculated for ") + point.device.name,
                        {},
                        limiter_sentence(point)};
  Rows rows(section, point);
  rows.add_metric("occupancy");
  rows.add_count("Blocks per SM", occupancy.blocks_per_sm, "Resident at a time");
  rows.add_count("Warps per SM", occupancy.warps_per_sm, "Resident at a time");
  rows.add_metric("limiter");
  if (occupancy.grid_blocks) rows.add("Grid", format_count(*occupancy.grid_blocks) + " blocks");
  rows.add_number("Waves", occupancy.waves, Unit::ratio, "Rounds of blocks over all SMs");
  if (occupancy.tail_fraction) {
    rows.add("Last wave", format_percent(*occupancy.tail_fraction) + " full",
             "Share of the GPU that the last wave uses");
  }
  rows.add_others(MetricSource::calculated);
  return section;
}

DetailSection error_section(const Measurement& point, bool recorded) {
  const Error& error = *point.error;
  DetailSection section{"Error against float64",
                        (recorded ? "recorded, checked by the " : "checked by the ") +
                            std::string(error.checked_by == "gpu" ? "GPU" : error.checked_by),
                        {},
                        ""};
  Rows rows(section, point);
  rows.add_metric("max_error");
  rows.add("Allowed", format_error(error.tolerance),
           "Derived from a plain implementation of the same precision");
  rows.add_number("Relative", error.max_rel, Unit::magnitude,
                  "Divided by the largest magnitude of the reference");
  if (error.rows_checked && error.rows_total) {
    rows.add("Rows checked", format_count(*error.rows_checked) + " of " + format_count(*error.rows_total));
  }
  rows.add_others(MetricSource::checked);
  return section;
}

constexpr std::size_t max_worst_lines = 5;
// The share of the wavefronts from which conflicts are shown as a fault: with fewer, something else bounds the kernel.
constexpr double notable_conflicts = 0.05;

Tone conflicts_tone(std::int64_t conflicts, const MemoryCounts& memory) {
  if (conflicts == 0) return Tone::good;
  const double share = static_cast<double>(conflicts) / static_cast<double>(memory.shared_wavefronts);
  return share < notable_conflicts ? Tone::plain : Tone::bad;
}

// Where an inlined access is written; the instruction for a site without a line of source.
std::string site_help(const MemorySite& site) {
  if (!site.inlined.empty()) return "Inlined from " + site.inlined.front();
  return site.line == 0 ? site.instruction : "";
}

// The sites that cost more than they must.
DetailSection lines_section(const MemoryCounts& memory) {
  DetailSection section{excess_by_line, "worst first", {}, ""};
  std::size_t shown = 0;
  for (const MemorySite& site : memory.sites) {
    if (site.conflicts == 0 || shown == max_worst_lines) continue;
    const std::string& kernel_file = memory.sites.front().file;
    DetailRow row{place_words(site, kernel_file), site_words(site), site_help(site),
                  is_shared_site(site) ? conflicts_tone(site.conflicts, memory) : Tone::plain};
    row.amount = static_cast<double>(site.conflicts);
    row.smaller_is_better = true;
    row.line = site.line;
    row.file = site.file;
    row.inlined_place = accessing_place(site.inlined);
    row.access = site.operation + (site.tile.empty() ? "" : " of " + site.tile);
    section.rows.push_back(std::move(row));
    ++shown;
  }
  return section;
}

DetailSection memory_section(const Measurement& point, bool recorded) {
  const MemoryCounts& memory = *point.memory;
  DetailSection section{"Memory", counts_origin(memory, recorded), {}, sample_sentence(memory)};
  const std::string share = value_words(metric_of("bank_conflicts"), point);
  Rows rows(section, point);
  rows.add_count(
      "Wavefronts", memory.shared_wavefronts,
      "Passes of shared memory, of " + format_count(memory.shared_instructions) + " warp instructions");
  rows.add_count("Minimum wavefronts", memory.shared_wavefronts_minimum,
                 "For the same lanes and widths: at best 128 B per wavefront");
  rows.add("Conflicts",
           format_count(memory.shared_conflicts) +
               (memory.shared_conflicts > 0 ? ", " + share + " of the wavefronts" : ""),
           "Extra wavefronts from bank conflicts", conflicts_tone(memory.shared_conflicts, memory));
  section.rows.back().amount = static_cast<double>(memory.shared_conflicts);
  section.rows.back().smaller_is_better = true;
  rows.add_count("Sectors", memory.global_sectors,
                 "32-byte sectors of global memory, of " + format_count(memory.global_requests) +
                     " requests; minimum " + format_count(memory.global_sectors_minimum));
  rows.add_count("Instructions", memory.warp_instructions,
                 "Warp instructions of " + counted_code(memory) + ": " + mix_words(memory));
  rows.add_count("Barriers", memory.barriers, "Warp arrivals at block barriers");
  rows.add_others(MetricSource::counted);
  return section;
}

void add_series(Rows& rows, const std::string& name, const std::string& help,
                const SampleStatistics& series) {
  rows.add_number(name + " p50", series.p50_us, Unit::microseconds, help);
  rows.add(name + " p10-p90", format_spread(series.p10_us, series.p90_us));
  rows.add(name + " mean", format_latency(series.mean_us) + " ± " + format_latency(series.stddev_us),
           "Mean and standard deviation");
  std::string samples = format_count(series.count);
  if (series.dropped > 0) samples += ", " + format_count(series.dropped) + " dropped";
  std::string help_samples = format_count(series.launches_per_sample) + " launches per sample";
  if (!series.stopped_by.empty()) help_samples += "; stopped by: " + series.stopped_by;
  rows.add(name + " samples", std::move(samples), std::move(help_samples));
  if (series.sm_clock_mhz > 0) {
    rows.add(name + " SM clock", format_number(series.sm_clock_mhz, 0) + " MHz", "Sampled during the series");
  }
}

void add_timed_series(Rows& rows, const Latency& latency) {
  if (latency.l2_warm) {
    add_series(rows, "Warm", "L2 warm: launches of a CUDA graph, back to back over the same buffers",
               *latency.l2_warm);
  }
  if (latency.l2_cold) add_series(rows, "Cold", "L2 cleared before every launch", *latency.l2_cold);
}

void add_predicted(Rows& rows, DetailSection& section, const Prediction& prediction) {
  rows.add_metric("predicted_p50");
  rows.add_others(MetricSource::predicted);
  rows.add("Predicted range", band_words(prediction),
           prediction.band.empty() ? band_help() : band_help() + " Here: " + prediction.band + ".");
  if (prediction.clock_mhz)
    rows.add_number(
        "Predicted clock", *prediction.clock_mhz, Unit::megahertz,
        "The SM clock at which the launch, repeated back to back, takes no more than the power cap");
  const std::string limit = limit_words(prediction);
  if (!limit.empty()) {
    rows.add(
        "Predicted limit", limit,
        "The largest part of the work, and its share of the predicted time. Before it the tail (SMs without "
        "a block) or the overheads (launch, block start, instruction fetch) where they take longer.");
    section.rows.back().panel = "model";
  }
  if (!prediction.roofline_us) return;
  const std::string of = prediction.roofline_of.empty() ? "" : ": " + prediction.roofline_of;
  rows.add_number("Roofline", *prediction.roofline_us, Unit::microseconds,
                  "The shortest time that the device's peak rates allow" + of);
  section.rows.back().smaller_is_better = true;
}

DetailSection latency_section(const Measurement& point, bool recorded) {
  DetailSection section{"Latency", origin_words(point, recorded), {}, ""};
  Rows rows(section, point);
  rows.add_metric("p50");
  rows.add_metric("tflops");
  rows.add_others(MetricSource::timed);
  if (has_prediction(point)) add_predicted(rows, section, *point.prediction);
  if (point.latency) add_timed_series(rows, *point.latency);
  const std::string both = measured_and_predicted(point);
  if (!both.empty()) section.text = capitalised(both) + ".";
  if (point.latency && !point.latency->tflops_formula.empty())
    section.text += (both.empty() ? "" : " ") + ("TFLOP/s = " + point.latency->tflops_formula);
  return section;
}

DetailSection provenance_section(const Measurement& point) {
  const Provenance& provenance = point.provenance;
  DetailSection section{"Provenance", "", {}, ""};
  const auto add = [&](const char* label, const std::string& value, const char* help) {
    if (!value.empty()) section.rows.push_back({label, value, help, Tone::plain});
  };
  add("Device",
      device_words(point.device) + ", " + point.device.arch +
          (point.device.present ? ", installed" : ", not installed"),
      "");
  add("Time", provenance.time_utc, "UTC");
  add("Tilescope", provenance.tilescope_version, "");
  add("Compiler", compiler_words(provenance), "");
  add("Library", provenance.library_version, "Library version");
  add("Driver", provenance.driver_version, "");
  add("Host", provenance.host, "");
  add("Source", provenance.source_sha256.substr(0, 16), "Start of the SHA-256 of the kernel's file");
  add("Binary", provenance.binary_key.substr(0, 16),
      "Start of the cache key: the hash of everything that was compiled");
  if (provenance.sm_clock_mhz > 0) {
    add("SM clock", format_number(provenance.sm_clock_mhz, 0) + " MHz", "Sampled under load");
  }
  if (provenance.binary_from_cache) {
    add("Compile", "cached", "");
  } else if (provenance.compile_ms > 0) {
    add("Compile", format_number(provenance.compile_ms, 1) + " ms", "");
  }
  add("Seed", std::to_string(provenance.seed), "Input random seed");
  return section;
}

}  // namespace

void add_timed(std::vector<DetailSection>& sections, const Measurement& point, const Measurement& timed,
               bool is_recorded) {
  if (sections.empty() || sections.front().title != "Latency" || !has_prediction(point)) return;
  std::vector<DetailRow>& rows = sections.front().rows;
  const auto after = std::find_if(rows.begin(), rows.end(),
                                  [](const DetailRow& row) { return row.label == "Predicted range"; });
  DetailRow row{is_recorded ? "Recorded" : "Measured", timed_words(point, timed),
                "p50 of another point of this configuration, shape and device, and how far the prediction is "
                "from it"};
  rows.insert(after == rows.end() ? after : after + 1, std::move(row));
}

std::vector<DetailSection> point_details(const Measurement& point, bool recorded) {
  std::vector<DetailSection> sections;
  if (point.latency || has_prediction(point)) sections.push_back(latency_section(point, recorded));
  if (point.memory) sections.push_back(memory_section(point, recorded));
  if (point.occupancy) sections.push_back(occupancy_section(point, recorded));
  if (point.resources) sections.push_back(resources_section(point, recorded));
  if (point.error) sections.push_back(error_section(point, recorded));
  if (point.memory) {
    if (DetailSection lines = lines_section(*point.memory); !lines.rows.empty())
      sections.push_back(std::move(lines));
  }
  sections.push_back(provenance_section(point));
  return sections;
}

}  // namespace tilescope
