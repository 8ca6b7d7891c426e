#include <cmath>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "profiler/views/model/roofline.hpp"
#include "sessions/views/model/prediction_text.hpp"

namespace tilescope {

namespace {

std::string three_digits(double value) {
  if (value < 0.995) return format_number(value, 3);
  return format_number(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

/// "537 MFLOP", "2.10 MB", "32,000 B"
std::string amount_words(double amount, const char* unit) {
  const std::int64_t whole = std::llround(amount);
  return format_short(whole) + (whole < 1000000 ? " " : "") + unit;
}

std::string roof_words(const Roof& roof) {
  return three_digits(roof.tflops) + " TFLOP/s, " + to_words(roof.limited_by) +
         (is_bandwidth(roof.limited_by) ? " bandwidth" : " peak");
}

std::string bytes_formula(MemoryLevel level, bool scores_alone) {
  switch (level) {
    case MemoryLevel::dram:
      return scores_alone ? "Q, K and scores once" : "Q, K, V and O once";
    case MemoryLevel::l2:
      return "global sectors * 32 B";
    case MemoryLevel::shared:
      return "shared-memory wavefronts * 128 B";
  }
  return "";
}

bool computes_scores_alone(const RooflineView& view, const Measurement& point) {
  return view.scores_kernels.contains(point.kernel) || times_part_of_attention(point);
}

void add_intensity(std::vector<TextPair>& lines, const RooflineView& view, const Measurement& point,
                   double intensity) {
  const bool scores_alone = computes_scores_alone(view, point);
  const Work work = work_of(point.shape, scores_alone);
  lines.emplace_back("intensity", three_digits(intensity) + " FLOP/B");
  lines.emplace_back("operations",
                     amount_words(work.flops, "FLOP") + ", " + flops_formula(point.shape, scores_alone));
  lines.emplace_back(
      "bytes", amount_words(work.flops / intensity, "B") + ", " + bytes_formula(view.level, scores_alone));
}

std::string points_without(std::size_t count) {
  return format_points(count) + (count == 1 ? " has no " : " have no ");
}

/// The points that have no place at the level, without a full stop.
std::string uncounted_words(const RooflineView& view) {
  const bool shared = view.level == MemoryLevel::shared;
  return format_points(view.without_bytes) +
         " cannot be placed: " + (shared ? "shared-memory wavefronts" : "global sectors") +
         " were not counted, or there are none";
}

/// The points that the switches leave out, a sentence for each switch.
void add_not_chosen(std::vector<std::string>& notes, const RooflineView& view) {
  const auto add = [&](std::size_t count, const char* what, const char* name) {
    if (count == 0) return;
    notes.push_back(format_points(count) + (count == 1 ? " has another " : " have another ") + what +
                    (count == 1 ? " and is" : " and are") + " left out: " + name + " is off.");
  };
  add(view.of_other_kernels, "kernel", "All kernels");
  add(view.of_other_shapes, "shape", "All shapes");
  if (view.of_files > 0)
    notes.push_back(format_points(view.of_files) + (view.of_files == 1 ? " is" : " are") +
                    " of an opened file and left out: the operations that its problem needs are not known.");
}

const Ceiling* capped_tensor(const RooflineView& view) {
  const Ceiling* tensor = view.ceilings.find(CeilingId::tensor);
  return tensor != nullptr && !tensor->others.empty() && tensor->others.back().remark.starts_with("at ")
             ? tensor
             : nullptr;
}

void add_ceilings(CsvText& csv, const RooflineView& view) {
  for (const Ceiling& ceiling : view.ceilings.known) {
    const auto add = [&](const CeilingFigure& figure) {
      const bool bandwidth = is_bandwidth(ceiling.id);
      const std::string remark = figure.remark.empty() ? "" : ", " + figure.remark;
      csv.add({"ceiling", to_words(ceiling.id) + remark, view.device, "", "", "", "", "",
               bandwidth ? "" : csv_number(figure.value), "", "", "",
               bandwidth ? csv_number(figure.value) : "", figure.source});
    };
    add(ceiling.peak);
    for (const CeilingFigure& figure : ceiling.others) add(figure);
  }
}

std::vector<std::string> point_fields(const RooflineView& view, const std::string& origin, double intensity,
                                      const Measurement& point) {
  const Work work = work_of(point.shape, computes_scores_alone(view, point));
  return {origin,
          point.kernel,
          view.device,
          problem_words(point),
          to_string(point.parameters),
          csv_number(work.flops),
          csv_number(work.flops / intensity),
          csv_number(intensity)};
}

}  // namespace

std::string flops_formula(const Shape& shape, bool scores_alone) {
  if (scores_alone) return "2*B*Hq*Sq*Sk*D";
  return shape.causal ? "4*B*Hq*Sq*Sk*D / 2, causal" : "4*B*Hq*Sq*Sk*D";
}

std::string bytes_help(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::dram:
      return "FLOP per compulsory DRAM byte: Q, K and V are read once, O is written once. Kernels are timed "
             "with a warm L2: tensors that fit into it need not cross again, and their points may lie above "
             "the roof.";
    case MemoryLevel::l2:
      return "FLOP per byte between L1 and L2: the global sectors that the kernel requests, 32 B each. Those "
             "that hit in L1 count too.";
    case MemoryLevel::shared:
      return "FLOP per byte of shared-memory passes: wavefronts, 128 B each. Bank conflicts are extra "
             "wavefronts and move a point to the left.";
  }
  return "";
}

std::string roofline_time_words(const Work& work, const DeviceModel& device) {
  if (!(device.fp16_tflops > 0) || !(device.dram_gb_per_s > 0)) return "";
  const double compute_us = work.flops / device.fp16_tflops * 1e-6;
  const double dram_us = work.compulsory_bytes / device.dram_gb_per_s * 1e-3;
  const std::string start = "The shortest time that the peak rates of " + device.name + " allow, bound by ";
  if (compute_us >= dram_us)
    return start + "compute: " + three_digits(work.flops * 1e-9) + " GFLOP at " +
           three_digits(device.fp16_tflops) + " TFLOP/s of the tensor cores.";
  return start + "DRAM: " + three_digits(work.compulsory_bytes * 1e-6) + " MB at " +
         three_digits(device.dram_gb_per_s) + " GB/s.";
}

std::string lowest_roof_words(const RooflineView& view, const Measurement& point) {
  const std::optional<LowestRoof> lowest = lowest_roof(view, point);
  if (!lowest) return "";
  std::string text = "Lowest roof of the shown point: " + to_words(lowest->roof.limited_by) +
                     (lowest->intensity ? ", " : " peak, ") + three_digits(lowest->roof.tflops) + " TFLOP/s";
  if (lowest->intensity) text += " at " + three_digits(*lowest->intensity) + " FLOP/B";
  text += ".";
  if (lowest->uncounted.empty()) return text;
  std::string levels;
  for (const MemoryLevel level : lowest->uncounted)
    levels += (levels.empty() ? "" : " and ") + to_words(ceiling_of(level));
  return text + " " + capitalised(levels) + (lowest->uncounted.size() == 1 ? " is" : " are") +
         " not counted for it.";
}

std::vector<std::string> roofline_notes(const RooflineView& view) {
  std::vector<std::string> notes;
  if (view.points.empty() && view.without_bytes == 0) {
    notes.push_back("No points of " + view.device +
                    " yet: move a slider, or open a recorded session (File > Examples).");
  }
  if (const std::size_t count = view.on_the_roof(); count > 0) {
    notes.push_back(points_without(count) + "latency: " +
                    (count == 1 ? "its tick on the roof shows" : "their ticks on the roof show") +
                    " the intensity and the most that can be reached there.");
  }
  if (view.without_bytes > 0) {
    notes.push_back(uncounted_words(view) + ". Choose DRAM, or measure again to count them.");
  }
  add_not_chosen(notes, view);
  if (view.failed > 0)
    notes.push_back(format_points(view.failed) + " failed or " +
                    (view.failed == 1 ? "is incorrect and is" : "are incorrect and are") + " left out.");
  if (view.unsupported > 0)
    notes.push_back(
        format_points(view.unsupported) +
        (view.unsupported == 1 ? " is unsupported here and is" : " are unsupported here and are") +
        " left out.");
  if (view.of_other_devices > 0) {
    notes.push_back(format_points(view.of_other_devices) + " of other devices " +
                    (view.of_other_devices == 1 ? "is" : "are") + " left out: choose the device above.");
  }
  if (const Ceiling* tensor = capped_tensor(view)) {
    const CeilingFigure& capped = tensor->others.back();
    notes.push_back("The power cap holds long tensor-core runs to " +
                    figure_words(CeilingId::tensor, capped) + " (" + capped.remark + ").");
  }
  notes.insert(notes.end(), view.ceilings.unknown.begin(), view.ceilings.unknown.end());
  return notes;
}

NothingShown why_nothing_is_shown(const RooflineView& view) {
  NothingShown nothing{"No points for these settings", "", ""};
  std::vector<std::string> reasons;
  if (view.without_bytes > 0) reasons.push_back(uncounted_words(view) + ".");
  add_not_chosen(reasons, view);
  for (const std::string& reason : reasons) nothing.text += (nothing.text.empty() ? "" : " ") + reason;
  if (view.placeable_elsewhere == 0 && view.level != MemoryLevel::dram) {
    if (view.not_chosen() > 0) nothing.text += " Those cannot be placed at this level either.";
    nothing.remedy = "Choose DRAM";
    nothing.chooses_dram = true;
    return nothing;
  }
  nothing.shows_all_kernels = view.of_other_kernels > 0;
  nothing.shows_all_shapes = view.of_other_shapes > 0 || nothing.shows_all_kernels;
  nothing.remedy = nothing.shows_all_kernels  ? "Show all kernels and shapes"
                   : nothing.shows_all_shapes ? "Show all shapes"
                                              : "";
  return nothing;
}

std::string point_heading(const Measurement& point, std::size_t more) {
  const std::string parameters = to_string(point.parameters);
  return point.kernel + (parameters.empty() ? "" : ": " + parameters) +
         (more > 0 ? "\nand " + format_count(static_cast<std::int64_t>(more)) + " more here" : "");
}

std::vector<TextPair> dot_tooltip(const RooflineView& view, const RooflineSeries& series,
                                  const RooflineDot& dot) {
  const Measurement& point = *view.points[dot.entry];
  const bool predicted = series.origin == RooflineOrigin::predicted;
  const std::string time =
      predicted ? predicted_words(*point.prediction) : format_latency(point.latency->p50_us);
  std::vector<TextPair> lines{{to_string(series.origin) + (predicted ? " for " + point.device.name : ""),
                               three_digits(dot.tflops) + " TFLOP/s, " + time},
                              {"shape", problem_words(point)}};
  add_intensity(lines, view, point, dot.intensity);
  if (dot.roof.tflops > 0) {
    lines.emplace_back("roof here", roof_words(dot.roof));
    lines.emplace_back("achieved", format_percent(dot.tflops / dot.roof.tflops) + " of the roof");
    if (!predicted && dot.tflops > dot.roof.tflops && dot.roof.limited_by == CeilingId::dram &&
        point.latency->series == "l2_warm")
      lines.emplace_back("above the roof", "timed with a warm L2, which may hold the tensors");
  }
  if (series.older_source) lines.push_back(older_source_line());
  return lines;
}

std::vector<TextPair> tick_tooltip(const RooflineView& view, const RooflineTick& tick, std::uint32_t entry) {
  const Measurement& point = *view.points[entry];
  std::vector<TextPair> lines{{"latency", "none: " + point.device.name + " was not timed"},
                              {"shape", problem_words(point)}};
  add_intensity(lines, view, point, tick.intensity);
  if (tick.roof.tflops > 0) lines.emplace_back("at most", roof_words(tick.roof));
  return lines;
}

std::string roofline_csv(const RooflineView& view) {
  CsvText csv;
  csv.add({"origin", "kernel", "device", "shape", "configuration", "FLOP",
           "bytes (" + to_words(ceiling_of(view.level)) + ")", "FLOP/B", "TFLOP/s", "roof [TFLOP/s]",
           "of the roof [%]", "limited by", "GB/s", "source"});
  add_ceilings(csv, view);
  for (const RooflineSeries& series : view.series) {
    for (const RooflineDot& dot : series.dots) {
      std::vector<std::string> fields =
          point_fields(view, to_string(series.origin), dot.intensity, *view.points[dot.entry]);
      const bool has_roof = dot.roof.tflops > 0;
      fields.push_back(csv_number(dot.tflops));
      fields.push_back(has_roof ? csv_number(dot.roof.tflops) : "");
      fields.push_back(has_roof ? csv_number(dot.tflops / dot.roof.tflops * 100) : "");
      fields.push_back(has_roof ? to_words(dot.roof.limited_by) : "");
      fields.resize(14);
      csv.add(fields);
    }
  }
  for (const RooflineTick& tick : view.ticks) {
    std::vector<std::string> fields =
        point_fields(view, "no latency", tick.intensity, *view.points[tick.entries.back()]);
    fields.push_back("");
    fields.push_back(tick.roof.tflops > 0 ? csv_number(tick.roof.tflops) : "");
    fields.push_back("");
    fields.push_back(tick.roof.tflops > 0 ? to_words(tick.roof.limited_by) : "");
    fields.resize(14);
    csv.add(fields);
  }
  return csv.text();
}

}  // namespace tilescope
