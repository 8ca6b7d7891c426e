#include "sessions/views/points/heat_map.hpp"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/panels/points/kernel_points.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/heat_grid.hpp"
#include "app/widgets/text.hpp"
#include "profiler/views/points/partial_point.hpp"
#include "sessions/metrics/registry.hpp"
#include "sessions/views/points/file_choices.hpp"
#include "sessions/views/points/metric_text.hpp"
#include "sessions/views/points/panel_csv.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

namespace {

struct HeatMapOptions {
  std::string x;
  std::string y;
  /// Null: the first that the chosen device has values of.
  const Metric* metric = nullptr;
  bool best_of_others = false;
  /// Nothing: the first that has values.
  std::optional<HeatSource> source;

  bool operator==(const HeatMapOptions&) const = default;
};

class HeatMapPanel : public Panel {
 public:
  HeatMapPanel() : Panel("heat_map", "Heat map", {540, 190}) {}

  bool has_table() const override { return true; }
  std::string csv() const override { return heat_map_csv(view_, metric()); }

 protected:
  void draw(Explorer& explorer) override;

 private:
  const Metric& metric() const { return options_.metric != nullptr ? *options_.metric : *first_metric_; }
  void draw_too_few_parameters(Explorer& explorer) const;
  void follow_sweep(const Explorer& explorer);
  void pick_value();
  void pick_source();
  void draw_file() const;
  void draw_ties() const;
  void derive(const Explorer& explorer, const ValueAxis& x, const ValueAxis& y, bool points_changed);
  void draw_map(Explorer& explorer);
  std::string values_on_axes(const HeatCell& cell) const;
  void cell_tooltip(const HeatCell& cell) const;
  std::string nothing_here(const Explorer& explorer) const;

  HeatMapOptions options_;
  /// The options for kernels of files while the kernel under the sliders is shown, and the other way round.
  HeatMapOptions other_options_;
  bool is_of_file_ = false;
  HeatMapOptions derived_options_;
  const Metric* first_metric_ = &metric_of("p50");
  /// The sweep whose parameters became the axes.
  std::uint64_t followed_sweep_ = 0;
  /// Revision of the kernels: which cells are valid depends on their constraints.
  std::uint64_t derived_revision_ = 0;
  Slice slice_;
  std::string device_;
  KernelPoints points_;
  std::vector<HeatSource> sources_;
  HeatMapView view_;
};

void HeatMapPanel::draw(Explorer& explorer) {
  const bool changed = points_.update_with_shown(explorer);
  const bool is_of_file = points_.file_point() != nullptr;
  if (std::exchange(is_of_file_, is_of_file) != is_of_file) std::swap(options_, other_options_);
  if (points_.parameters().size() < 2) return draw_too_few_parameters(explorer);
  if (!is_of_file_) follow_sweep(explorer);
  pick_value();
  same_line_if_fits(axis_picker_width("Columns"));
  const ValueAxis x = axis_picker("Columns", "heat_map.x", options_.x, "", points_.parameters());
  same_line_if_fits(axis_picker_width("Rows"));
  const ValueAxis y = axis_picker("Rows", "heat_map.y", options_.y, options_.x, points_.parameters());
  // On a separate line: beside the three pickers it is cut off in a window of 1280 pixels.
  ImGui::Checkbox("Best over other parameters", &options_.best_of_others);
  landmark("heat_map.best");
  help_tooltip(is_of_file_
                   ? "Off: the other values as in the shown point. On: each cell is the best point over all "
                     "values of the others, but for arguments of the kernel: other sizes are other work."
                   : "Off: the other parameters at slider values. On: each cell is the best point over all "
                     "values of the others.");
  derive(explorer, x, y, changed);
  if (!sources_.empty()) ImGui::SameLine(0, em());
  pick_source();
  draw_file();
  draw_ties();
  draw_map(explorer);
}

void HeatMapPanel::draw_too_few_parameters(Explorer& explorer) const {
  if (const SharedMeasurement& point = points_.file_point()) {
    const std::string differ = points_.parameters().empty()
                                   ? " have equal values."
                                   : " differ in " + points_.parameters().front().name + " alone.";
    return empty_state_of_file(
        explorer, "Needs two values that differ",
        "The points of " + point->kernel + differ +
            " Try values in Kernel file makes all combinations of two, and Keep points adds them.");
  }
  empty_state("Needs two parameters",
              "Choose a kernel that declares at least two parameters to map one against another.");
}

/// The axes become the first two parameters of a sweep when it starts; later the user may choose others.
void HeatMapPanel::follow_sweep(const Explorer& explorer) {
  if (explorer.jobs().sweeps_started() == followed_sweep_) return;
  followed_sweep_ = explorer.jobs().sweeps_started();
  const std::vector<std::string>& swept = explorer.jobs().swept_parameters();
  if (swept.size() < 2) return;
  options_.x = swept[0];
  options_.y = swept[1];
  options_.best_of_others = swept.size() > 2;
}

void HeatMapPanel::pick_value() {
  ImGui::SetNextItemWidth(em() * 13);
  if (ImGui::BeginCombo("##value", quantity_words(metric()).c_str(), ImGuiComboFlags_HeightLarge)) {
    for (const Metric* choice : heat_metrics()) {
      if (ImGui::Selectable(quantity_words(*choice).c_str(), choice == &metric())) options_.metric = choice;
      landmark("heat_map.value." + choice->tag);
    }
    ImGui::EndCombo();
  }
  landmark("heat_map.value");
}

/// Measured and recorded figures are not mixed in one map: where there are several, the user chooses.
void HeatMapPanel::pick_source() {
  if (sources_.empty()) return;
  const std::string shown = to_words(view_.source, metric());
  if (sources_.size() == 1) {
    ImGui::AlignTextToFramePadding();
    const bool is_predicted = metric().source == MetricSource::predicted;
    text_colored(is_predicted ? palette().predicted : color_of(view_.source.kind), shown);
    return;
  }
  ImGui::SetNextItemWidth(em() * 17);
  if (!ImGui::BeginCombo("##source", shown.c_str())) return;
  for (const HeatSource& source : sources_) {
    if (ImGui::Selectable(to_words(source, metric()).c_str(), source == view_.source))
      options_.source = source;
  }
  ImGui::EndCombo();
}

/// The kernel, where it is not the one under the sliders.
void HeatMapPanel::draw_file() const {
  if (!is_of_file_) return;
  const std::string& kernel = points_.file_point()->kernel;
  same_line_if_fits(ImGui::CalcTextSize(kernel.c_str()).x);
  ImGui::AlignTextToFramePadding();
  text_muted(kernel);
  landmark("heat_map.file");
}

void HeatMapPanel::draw_ties() const {
  if (view_.ties.empty()) return;
  same_line_if_fits(ImGui::CalcTextSize(view_.ties.c_str()).x);
  text_muted(view_.ties);
  landmark("heat_map.ties");
  help_tooltip("A comparison with the best cell would not decide which of the two is faster.");
}

void HeatMapPanel::derive(const Explorer& explorer, const ValueAxis& x, const ValueAxis& y,
                          bool points_changed) {
  Slice slice = points_.slice(explorer, {options_.x, options_.y}, options_.best_of_others);
  slice.fixed = points_.sizes();
  const std::string& device = points_.device(explorer);
  const bool same_kernel = explorer.kernels().revision() == derived_revision_;
  if (!points_changed && same_kernel && slice == slice_ && device == device_ && options_ == derived_options_)
    return;
  derived_revision_ = explorer.kernels().revision();
  slice_ = std::move(slice);
  device_ = device;
  derived_options_ = options_;
  first_metric_ = &first_heat_metric(points_.index(), slice_, device, explorer.selection().device().present);
  sources_ = heat_sources(points_.index(), slice_, metric(), device);
  HeatSource source = sources_.empty() ? HeatSource{LatencyKind::measured, device} : sources_.front();
  if (options_.source && std::find(sources_.begin(), sources_.end(), *options_.source) != sources_.end()) {
    source = *options_.source;
  }
  const auto why_invalid = [&](const Configuration& configuration) {
    return is_of_file_ ? "" : explorer.selection().why_invalid_with(configuration);
  };
  view_ = heat_map(points_.index(), slice_, x, y, metric(), source, why_invalid);
}

std::string HeatMapPanel::nothing_here(const Explorer& explorer) const {
  if (view_.with_value > 0) return {};
  if (is_of_file_) return "No points of the file for these values.";
  if (metric().source == MetricSource::timed && !explorer.selection().device().present) {
    return "Nothing was timed: " + device_ +
           " is not installed. Choose predicted latency p50, or another figure; recorded sessions (File > "
           "Examples) have measured latencies.";
  }
  return "No points for these settings. Sweep both parameters to fill the map, or click a cell to measure "
         "it.";
}

void HeatMapPanel::draw_map(Explorer& explorer) {
  const std::string nothing = nothing_here(explorer);
  if (!nothing.empty()) text_wrapped(palette().muted, nothing);
  HeatGrid grid{view_, {}, quantity_words(metric()), metric().smaller_is_better};
  grid.is_predicted = metric().source == MetricSource::predicted;
  const std::shared_ptr<const PartialPoint>& partial = explorer.jobs().partial_point();
  if (const auto cell =
          partial && !is_of_file_ ? partial_cell(*partial, slice_, view_, metric()) : std::nullopt) {
    grid.provisional = cell->cell;
    grid.provisional_text = cell->text;
  }
  const auto x = slice_.configuration.find(options_.x);
  const auto y = slice_.configuration.find(options_.y);
  if (x != slice_.configuration.end() && y != slice_.configuration.end()) {
    const auto column = view_.x.find(x->second);
    const auto row = view_.y.find(y->second);
    if (column && row) grid.current = *row * view_.x.values.size() + *column;
  }
  const HeatGridAction action = heat_grid(grid);
  if (!action.hovered) return;
  const HeatCell& cell = view_.cells[*action.hovered];
  if (action.hovered == grid.provisional && cell.state == HeatCell::State::empty) {
    draw_partial_tooltip(*partial);
  } else {
    cell_tooltip(cell);
  }
  if (!action.clicked || cell.state == HeatCell::State::invalid) return;
  if (is_of_file_) {
    if (cell.state != HeatCell::State::empty) explorer.shown().show(points_.point(cell.entry));
  } else {
    Experiment experiment = explorer.selection().experiment();
    experiment.parameters = cell.configuration;
    explorer.selection().set_experiment(std::move(experiment));
  }
}

/// "TILE=16 cols=300"
std::string HeatMapPanel::values_on_axes(const HeatCell& cell) const {
  const bool has_point = cell.state == HeatCell::State::value || cell.state == HeatCell::State::failed;
  const Configuration all = has_point ? file_configuration(*points_.point(cell.entry)) : cell.configuration;
  Configuration values;
  for (const std::string& name : {view_.x.name, view_.y.name})
    if (const auto value = all.find(name); value != all.end()) values.insert(*value);
  return to_string(values);
}

void HeatMapPanel::cell_tooltip(const HeatCell& cell) const {
  if (!ImGui::BeginTooltip()) return;
  std::vector<TextPair> lines;
  std::string hint = is_of_file_ ? "Click to show this point." : "Click to set this configuration.";
  switch (cell.state) {
    case HeatCell::State::invalid:
      lines.emplace_back("Invalid", cell.reason);
      hint.clear();
      break;
    case HeatCell::State::empty:
      lines.emplace_back("No point", is_of_file_ ? "none was kept" : "not measured yet");
      if (is_of_file_) hint.clear();
      break;
    case HeatCell::State::value:
    case HeatCell::State::failed: {
      const Measurement& point = *points_.point(cell.entry);
      const bool recorded = points_.is_recorded(cell.entry);
      lines = metric_tooltip(metric(), point, recorded);
      if (cell.ties_with_best && !view_.ties.empty())
        lines.emplace_back("comparison", "cannot be told from the best");
      if (points_.is_of_older_source(cell.entry)) lines.push_back(older_source_line());
      break;
    }
  }
  tooltip_body(is_of_file_ ? values_on_axes(cell) : to_string(cell.configuration), lines, hint);
  ImGui::EndTooltip();
}

const RegisterPanel register_heat_map_panel{[] { return std::make_unique<HeatMapPanel>(); }};

}  // namespace

}  // namespace tilescope
