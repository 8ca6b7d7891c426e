#include "profiler/views/model/roofline.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/panels/model/roofline_plot.hpp"
#include "app/panels/points/kernel_points.hpp"
#include "app/panels/points/point_scope.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

struct RooflineOptions {
  MemoryLevel level = MemoryLevel::dram;
  PointScope scope{.all_shapes = false};
  /// Nothing: first_roofline_device.
  std::optional<std::string> device;

  bool operator==(const RooflineOptions&) const = default;
};

struct LevelChoice {
  MemoryLevel level;
  const char* label;
  const char* name;
};
constexpr std::array level_choices{LevelChoice{MemoryLevel::dram, "DRAM", "dram"},
                                   LevelChoice{MemoryLevel::l2, "L2", "l2"},
                                   LevelChoice{MemoryLevel::shared, "Shared memory", "shared"}};

/// The points of the session under the ceilings of a device.
class RooflinePanel : public Panel {
 public:
  RooflinePanel() : Panel("roofline", "Roofline", {400, 240}) {}

  bool has_table() const override { return true; }
  std::string csv() const override { return roofline_csv(view_); }
  std::vector<std::string> options() const override;
  void take_option(const std::string& line) override;

 protected:
  void draw(Explorer& explorer) override;

 private:
  /// Inputs of the view, besides the device.
  struct Key {
    RooflineChoice choice;
    std::string device;
    std::uint64_t points_revision = 0;
    std::uint64_t kernels_revision = 0;
    bool device_present = false;

    bool operator==(const Key&) const = default;
  };

  void draw_level();
  void draw_device(const Explorer& explorer);
  bool derive(const Explorer& explorer);
  RooflineChoice choice(const Explorer& explorer) const;
  bool draw_empty(Explorer& explorer);
  void draw_lowest_roof(const Measurement& point) const;
  void react(Explorer& explorer, const RooflineHit& hit) const;
  void ceiling_tooltip(const Ceiling& ceiling) const;

  RooflineOptions options_;
  std::optional<Key> key_;
  bool refit_ = false;
  std::vector<RooflineDevice> devices_;
  std::uint64_t devices_revision_ = ~std::uint64_t{0};
  std::string device_;
  RooflineView view_;
};

std::vector<std::string> RooflinePanel::options() const {
  std::vector<std::string> lines = scope_options(options_.scope);
  lines.insert(lines.begin(),
               std::string("level ") + level_choices[static_cast<std::size_t>(options_.level)].name);
  return lines;
}

void RooflinePanel::take_option(const std::string& line) {
  for (const LevelChoice& each : level_choices) {
    if (line == std::string("level ") + each.name) options_.level = each.level;
  }
  take_scope_option(options_.scope, line);
}

void RooflinePanel::draw_level() {
  SegmentedChoice levels;
  levels.id = "level";
  for (const LevelChoice& each : level_choices)
    levels.segments.push_back({each.label, std::string("roofline.level.") + each.name, ""});
  levels.current = static_cast<std::size_t>(options_.level);
  levels.fills_width = false;
  const SegmentedAction action = segmented_choice(levels);
  if (action.chosen) options_.level = level_choices[*action.chosen].level;
  if (action.hovered) help_tooltip(bytes_help(level_choices[*action.hovered].level));
}

void RooflinePanel::draw_device(const Explorer& explorer) {
  if (devices_revision_ != explorer.points().revision()) {
    devices_revision_ = explorer.points().revision();
    devices_ = roofline_devices(explorer.points().list(), explorer.points().recorded());
  }
  const std::string& picked = explorer.selection().device().name;
  device_ = options_.device && explorer.selection().find_device(*options_.device) != nullptr
                ? *options_.device
                : first_roofline_device(devices_, picked);
  const bool is_other = devices_.size() > 1 || (devices_.size() == 1 && devices_.front().name != picked);
  if (!is_other) return;
  same_line_if_fits(em() * 12);
  ImGui::SetNextItemWidth(em() * 12);
  const auto words = [](const RooflineDevice& device) {
    return device.name + ", " + format_points(device.points);
  };
  std::string shown = device_;
  for (const RooflineDevice& device : devices_) {
    if (device.name == device_) shown = words(device);
  }
  if (ImGui::BeginCombo("##device", shown.c_str())) {
    for (const RooflineDevice& device : devices_) {
      if (ImGui::Selectable(words(device).c_str(), device.name == device_)) options_.device = device.name;
      landmark("roofline.device." + device.name);
    }
    ImGui::EndCombo();
  }
  landmark("roofline.device");
}

RooflineChoice RooflinePanel::choice(const Explorer& explorer) const {
  RooflineChoice choice;
  choice.level = options_.level;
  const Experiment& experiment = explorer.selection().experiment();
  if (!options_.scope.all_kernels) choice.kernel = explorer.selection().kernel().name;
  if (!options_.scope.all_shapes) choice.shape = experiment.shape;
  for (const KernelDeclaration& kernel : explorer.kernels().all()) {
    if (kernel.result == KernelResult::scores) choice.scores_kernels.insert(kernel.name);
  }
  return choice;
}

/// Returns whether other axes are wanted: what is shown was chosen anew, rather than a point more taken.
bool RooflinePanel::derive(const Explorer& explorer) {
  const DeviceModel* device = explorer.selection().find_device(device_);
  Key key{choice(explorer), device_, explorer.points().revision(), explorer.kernels().revision(),
          device != nullptr && device->present};
  if (key_ == key) return false;
  DeviceModel without_table;
  without_table.name = device_;
  const RooflineView before = std::move(view_);
  view_ = roofline(device == nullptr ? without_table : *device, key.choice, explorer.points().list(),
                   explorer.points().recorded(), explorer.kernels().sources());
  key_ = std::move(key);
  return before.level != view_.level || before.device != view_.device ||
         before.low_intensity != view_.low_intensity || before.high_intensity != view_.high_intensity ||
         before.low_tflops != view_.low_tflops || before.high_tflops != view_.high_tflops;
}

void RooflinePanel::draw(Explorer& explorer) {
  draw_level();
  same_line_if_fits("All kernels xxx");
  draw_point_scope(options_.scope, "roofline", explorer.selection().kernel().name);
  draw_device(explorer);
  refit_ = derive(explorer) || refit_;
  if (draw_empty(explorer)) return;
  const SharedMeasurement current = explorer.shown().point();
  if (current != nullptr) draw_lowest_roof(*current);
  std::string notes;
  for (const std::string& note : roofline_notes(view_)) notes += (notes.empty() ? "" : " ") + note;
  if (!notes.empty()) text_wrapped(palette().muted, notes);
  draw_roofline_legend(view_, current.get());
  const RooflineHit hit = draw_roofline(view_, current.get(), refit_);
  refit_ = hit.wants_all_points;
  if (refit_) explorer.notices().draw_again();
  react(explorer, hit);
}

/// In every view, as the plot shows the bandwidth of one level alone.
void RooflinePanel::draw_lowest_roof(const Measurement& point) const {
  const std::string text = lowest_roof_words(view_, point);
  if (text.empty()) return;
  text_wrapped(palette().text, text);
  landmark("roofline.lowest");
  help_tooltip(
      "The lowest of: DRAM, L2 and shared memory bandwidth times the point's FLOP per byte there, and the "
      "peak of the arithmetic that it uses.");
}

/// Returns whether there is nothing to plot.
bool RooflinePanel::draw_empty(Explorer& explorer) {
  if (!view_.has_roof() && view_.dots() == 0) {
    empty_state(
        "No peaks of " + device_,
        "Its device table has no peak and no bandwidth. tilescope devices --calibrate measures them on the "
        "device, or add them to its table with their source.");
    return true;
  }
  if (view_.dots() + view_.on_the_roof() > 0) return false;
  if (view_.not_chosen() + view_.without_bytes > 0) {
    const NothingShown nothing = why_nothing_is_shown(view_);
    if (empty_state(nothing.title, nothing.text, nothing.remedy)) {
      if (nothing.shows_all_kernels) options_.scope.all_kernels = true;
      if (nothing.shows_all_shapes) options_.scope.all_shapes = true;
      if (nothing.chooses_dram) options_.level = MemoryLevel::dram;
    }
    return true;
  }
  if (view_.failed > 0) {
    const SharedMeasurement current = explorer.jobs().current_point();
    empty_state("No correct point yet",
                current != nullptr && !current->reason.empty()
                    ? current->reason
                    : "The points of these settings failed or are incorrect. Choose another configuration.");
    return true;
  }
  return false;
}

void RooflinePanel::react(Explorer& explorer, const RooflineHit& hit) const {
  if (hit.ceiling) return ceiling_tooltip(view_.ceilings.known[*hit.ceiling]);
  if (!hit.dot && !hit.tick) return;
  std::vector<TextPair> lines;
  if (hit.dot) {
    const RooflineSeries& series = view_.series[hit.dot->first];
    const RooflineDot& dot = series.dots[hit.dot->second];
    lines = dot_tooltip(view_, series, dot);
  } else {
    lines = tick_tooltip(view_, view_.ticks[*hit.tick], hit.entry);
  }
  const SharedMeasurement& point = view_.points[hit.entry];
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::BeginTooltip()) {
    tooltip_body(point_heading(*point, hit.more), lines, "Click to show this point.");
    ImGui::EndTooltip();
  }
  if (clicked_in_place()) explorer.shown().show(point);
}

void RooflinePanel::ceiling_tooltip(const Ceiling& ceiling) const {
  if (!ImGui::BeginTooltip()) return;
  std::vector<TextPair> lines{{figure_words(ceiling.id, ceiling.peak), ceiling.peak.source}};
  for (const CeilingFigure& figure : ceiling.others)
    lines.emplace_back(figure.remark + ": " + figure_words(ceiling.id, figure), figure.source);
  tooltip_body(capitalised(to_words(ceiling.id)) + " of " + view_.device, lines, "");
  ImGui::EndTooltip();
  landmark("roofline.ceiling_tooltip");
}

const RegisterPanel register_roofline_panel{[] { return std::make_unique<RooflinePanel>(); }};

}  // namespace

}  // namespace tilescope
