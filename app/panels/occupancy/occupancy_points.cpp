#include "app/panels/occupancy/occupancy_points.hpp"

#include <imgui.h>
#include <implot.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/plot_labels.hpp"
#include "app/widgets/plot_marks.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "sessions/views/points/panel_csv.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

namespace {

/// The end of the axis: room for the marks at 100 %.
constexpr double most_percent = 108;

/// In the color of the limiter once that is known.
MarkStyle style_of(const PartialPoint& point) {
  return provisional_style(point.is_occupancy_estimated ? palette().muted
                                                        : style_of(point.so_far.occupancy->limiter).color);
}

}  // namespace

std::string OccupancyPoints::csv() const {
  return occupancy_csv(view_, points_.index(), options_.axis);
}

void OccupancyPoints::draw(Explorer& explorer) {
  const bool changed = points_.update(explorer);
  if (points_.parameters().empty()) {
    empty_state(
        explorer.selection().kernel().name + " has no parameters",
        "Occupancy is plotted against a parameter. The panel Point shows the occupancy of this kernel.");
    return;
  }
  followed_sweep_.follow(explorer, options_.axis);
  axis_ = axis_picker("Against", "occupancy.axis", options_.axis, "", points_.parameters());
  ImGui::SameLine();
  ImGui::Checkbox("All settings", &options_.all_configurations);
  landmark("occupancy.all");
  help_tooltip("Off: other parameters at slider values. On: every point of this kernel and shape.");
  derive(explorer, changed);
  const std::shared_ptr<const PartialPoint>& partial = explorer.jobs().partial_point();
  provisional_ = partial ? partial_occupancy(*partial, slice_, axis_) : std::nullopt;
  if (view_.empty() && !provisional_) {
    empty_state("No occupancy yet",
                "Occupancy is calculated for every point that compiles, on any machine. Move a slider, or "
                "sweep parameters.");
  } else {
    draw_plot(explorer);
  }
}

void OccupancyPoints::derive(const Explorer& explorer, bool points_changed) {
  Slice slice = slice_under_sliders(explorer, {options_.axis}, options_.all_configurations);
  const std::string& device = explorer.selection().device().name;
  if (!points_changed && slice == slice_ && device == device_) return;
  slice_ = std::move(slice);
  device_ = device;
  view_ = occupancy_against(points_.index(), slice_, axis_, device);
  const Slice all = slice_under_sliders(explorer, {options_.axis}, true);
  of_other_settings_ = occupancy_against(points_.index(), all, axis_, device).points - view_.points;
}

void OccupancyPoints::draw_above_plot(const Explorer& explorer) const {
  std::vector<LegendEntry> legend;
  legend.reserve(view_.series.size());
  for (const OccupancySeries& series : view_.series) legend.push_back({style_of(series), series.legend});
  if (explorer.jobs().has_worker()) {
    LegendEntry entry{provisional_style(palette().muted), "", "provisional"};
    if (provisional_) {
      const PartialPoint& partial = *explorer.jobs().partial_point();
      entry.style = style_of(partial);
      entry.text = partial.is_occupancy_estimated ? "at most" : "provisional";
    }
    legend.push_back(std::move(entry));
  }
  draw_legend(legend);
  if (of_other_settings_ == 0) return;
  text_wrapped(palette().muted, format_points(of_other_settings_) +
                                    (of_other_settings_ == 1 ? " has" : " have") +
                                    " other settings: tick All settings to see " +
                                    (of_other_settings_ == 1 ? "it." : "them."));
  landmark("occupancy.other_settings");
}

void OccupancyPoints::setup_axes() {
  const bool refits =
      std::exchange(wants_all_, false) || fitted_options_ != options_ || fitted_positions_ != axis_.positions;
  const ImPlotCond cond = refits ? ImPlotCond_Always : ImPlotCond_Once;
  fitted_options_ = options_;
  fitted_positions_ = axis_.positions;
  // On a low plot the long label would run into the legend.
  const bool low = ImGui::GetWindowHeight() < 22 * em();
  ImPlot::SetupAxes(options_.axis.c_str(), low ? "Occupancy [%]" : "Occupancy [%], calculated",
                    ImPlotAxisFlags_NoMenus, ImPlotAxisFlags_NoMenus);
  setup_value_axis(axis_, cond);
  ImPlot::SetupAxisLimits(ImAxis_Y1, 0, most_percent, cond);
  ImPlot::SetupAxisLimitsConstraints(ImAxis_X1, axis_.low(), axis_.high());
  ImPlot::SetupAxisLimitsConstraints(ImAxis_Y1, 0, most_percent);
  ImPlot::SetupFinish();
}

void OccupancyPoints::draw_plot(Explorer& explorer) {
  draw_above_plot(explorer);
  if (!ImPlot::BeginPlot("##occupancy", {-1, -1}, ImPlotFlags_CanvasOnly | ImPlotFlags_NoFrame)) return;
  setup_axes();
  const ImVec2 corner = ImPlot::GetPlotPos();
  const ImVec2 size = ImPlot::GetPlotSize();
  landmark("plot.occupancy", corner, {corner.x + size.x, corner.y + size.y});
  draw_line();
  // Draws the first one last: current points lie above points of an older source.
  for (auto series = view_.series.rbegin(); series != view_.series.rend(); ++series) draw_series(*series);
  draw_counts();
  if (!draw_partial(explorer)) react_to_mouse(explorer);
  // ImPlot fits the axes to the points; in the next frame they are as they were first.
  wants_all_ = ImPlot::IsPlotHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  if (wants_all_) explorer.notices().draw_again();
  ImPlot::EndPlot();
}

void OccupancyPoints::draw_series(const OccupancySeries& series) const {
  const OccupancyDot& first = series.dots.front();
  ImPlotSpec marks = mark_spec(style_of(series), em() * 0.32F);
  marks.Stride = sizeof(OccupancyDot);
  ImPlot::PlotScatter(series.legend.c_str(), &first.x, &first.percent, static_cast<int>(series.dots.size()),
                      marks);
}

void OccupancyPoints::draw_line() const {
  ImPlot::PushPlotClipRect();
  std::vector<ImVec2> pixels;
  pixels.reserve(view_.line.size());
  for (const OccupancyDot& dot : view_.line) pixels.push_back(ImPlot::PlotToPixels(dot.x, dot.percent));
  join_places(pixels, palette().muted, false);
  for (const OccupancyDot& dot : view_.current) {
    draw_ring(ImPlot::PlotToPixels(dot.x, dot.percent), palette().selection);
  }
  ImPlot::PopPlotClipRect();
}

/// Beside dots that stand for several points, where there is room.
void OccupancyPoints::draw_counts() const {
  ImPlot::PushPlotClipRect();
  PlotLabels labels(*ImPlot::GetPlotDrawList());
  for (const OccupancySeries& series : view_.series) {
    for (const OccupancyDot& dot : series.dots) {
      if (dot.count < 2) continue;
      const ImVec2 at = ImPlot::PlotToPixels(dot.x, dot.percent);
      const std::string text = format_points(dot.count);
      const ImVec2 place{at.x + 0.8F * em(), std::round(at.y - ImGui::GetTextLineHeight() / 2)};
      if (labels.add({&place, 1}, text, palette().muted)) {
        landmark("occupancy.count." + std::to_string(dot.count), place, {place.x + em(), place.y + em()});
      }
    }
  }
  ImPlot::PopPlotClipRect();
}

/// Returns whether the mouse is over it.
bool OccupancyPoints::draw_partial(const Explorer& explorer) const {
  if (!provisional_) return false;
  const PartialPoint& partial = *explorer.jobs().partial_point();
  const ImVec2 centre = ImPlot::PlotToPixels(provisional_->x, provisional_->y);
  const float low = ImPlot::PlotToPixels(provisional_->x, provisional_->low).y;
  const bool is_hovered = draw_provisional(style_of(partial), centre, low, centre.y);
  landmark("occupancy.provisional", {centre.x - em() / 2, centre.y - em() / 2},
           {centre.x + em() / 2, centre.y + em() / 2});
  if (is_hovered) draw_partial_tooltip(partial);
  return is_hovered;
}

void OccupancyPoints::react_to_mouse(Explorer& explorer) const {
  if (!ImPlot::IsPlotHovered()) return;
  const ImPlotPoint mouse = ImPlot::GetPlotMousePos();
  const ImPlotRect limits = ImPlot::GetPlotLimits();
  const ImVec2 size = ImPlot::GetPlotSize();
  const auto hit = nearest_dot(view_, mouse.x, mouse.y, size.x / (limits.X.Max - limits.X.Min),
                               size.y / (limits.Y.Max - limits.Y.Min), em() * 0.7F);
  if (!hit) return;
  const SharedMeasurement point = points_.point(hit->entry);
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::BeginTooltip()) {
    std::string heading = to_string(point->parameters);
    if (hit->count > 1) heading += "\nand " + format_count(hit->count - 1) + " more here";
    std::vector<TextPair> lines = occupancy_tooltip(*point, points_.is_recorded(hit->entry));
    if (points_.is_of_older_source(hit->entry)) lines.push_back(older_source_line());
    tooltip_body(heading, lines, "Click to return to this configuration.");
    ImGui::EndTooltip();
  }
  if (clicked_in_place()) explorer.shown().show(point);
}

}  // namespace tilescope
