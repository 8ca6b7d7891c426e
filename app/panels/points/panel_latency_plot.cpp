#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/gui/panel.hpp"
#include "app/panels/points/failed_marks.hpp"
#include "app/panels/points/kernel_points.hpp"
#include "app/panels/points/no_latency.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/followed_axis.hpp"
#include "app/widgets/plot_marks.hpp"
#include "app/widgets/plot_zoom.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/views/points/partial_point.hpp"
#include "sessions/views/points/latency_series.hpp"
#include "sessions/views/points/panel_csv.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

namespace {

/// The view options.
struct LatencyOptions {
  std::string axis;
  bool all_configurations = false;
  bool log_latency = false;

  bool operator==(const LatencyOptions&) const = default;
};

/// Everything besides the points on which the cached series depend.
struct LatencyKey {
  Slice slice;
  ValueAxis axis;
  std::string device;
};

class LatencyPlotPanel : public Panel {
 public:
  LatencyPlotPanel() : Panel("latency", "Latency", {400, 190}, PanelRole::latencies) {}

  bool has_table() const override { return true; }
  std::string csv() const override { return latency_csv(view_, points_.index(), options_.axis); }

 protected:
  void draw(Explorer& explorer) override;

 private:
  void draw_nothing_to_plot(Explorer& explorer) const;
  void draw_options();
  void draw_no_latency(Explorer& explorer);
  void derive(const Explorer& explorer, bool points_changed);
  void draw_plot(Explorer& explorer);
  std::vector<LegendEntry> legend(const Explorer& explorer) const;
  FollowedAxis::Limits limits_of(double low_us, double high_us) const;
  void setup_axes();
  void draw_series(const LatencySeries& series) const;
  void draw_columns() const;
  void draw_column(double value, const ImVec4& color) const;
  void draw_current_value() const;
  void draw_current_rings() const;
  bool draw_partial(const Explorer& explorer) const;
  std::optional<std::uint32_t> find_under_mouse() const;
  void react_to_mouse(Explorer& explorer) const;

  LatencyOptions options_;
  /// The options for kernels of files while the kernel under the sliders is shown, and the other way round.
  LatencyOptions other_options_;
  bool is_of_file_ = false;
  LatencyOptions fitted_options_;
  /// Values on the axis: another kernel may have other values for the same parameter.
  std::vector<double> fitted_positions_;
  LatencyKey key_;
  KernelPoints points_;
  FollowedSweep followed_sweep_;
  LatencyView view_;
  /// Mark of the point that is being made.
  std::optional<PartialMark> provisional_;
  FollowedAxis followed_;
  NoLatency no_latency_;
};

PixelScale pixel_scale(bool log_latency) {
  const ImPlotRect limits = ImPlot::GetPlotLimits();
  const ImVec2 size = ImPlot::GetPlotSize();
  const double height =
      log_latency ? std::log10(limits.Y.Max) - std::log10(limits.Y.Min) : limits.Y.Max - limits.Y.Min;
  return {size.x / (limits.X.Max - limits.X.Min), size.y / height, log_latency};
}

void LatencyPlotPanel::draw(Explorer& explorer) {
  const bool changed = points_.update_with_shown(explorer);
  const bool is_of_file = points_.file_point() != nullptr;
  if (std::exchange(is_of_file_, is_of_file) != is_of_file) std::swap(options_, other_options_);
  if (points_.parameters().empty()) return draw_nothing_to_plot(explorer);
  if (!is_of_file_) followed_sweep_.follow(explorer, options_.axis);
  key_.axis = axis_picker("Against", "latency.axis", options_.axis, "", points_.parameters());
  draw_options();
  derive(explorer, changed);
  const std::shared_ptr<const PartialPoint>& partial = explorer.jobs().partial_point();
  provisional_ = partial && !is_of_file_ ? partial_latency(*partial, key_.slice, key_.axis) : std::nullopt;
  if (view_.empty() && view_.failed.empty() && !provisional_) {
    draw_no_latency(explorer);
  } else {
    draw_plot(explorer);
  }
}

void LatencyPlotPanel::draw_nothing_to_plot(Explorer& explorer) const {
  if (const SharedMeasurement& point = points_.file_point())
    return empty_state_of_file(
        explorer, "One setting of " + point->kernel,
        "Latency is plotted against a value in which points differ. Try values in Kernel file goes through "
        "several, and Keep points adds them.");
  empty_state(
      explorer.selection().kernel().name + " has no parameters",
      "Latency is plotted against a parameter. The table ranks this kernel among others of its shape.");
}

void LatencyPlotPanel::draw_no_latency(Explorer& explorer) {
  const SharedMeasurement& point = points_.file_point();
  if (!point) return no_latency_.draw(explorer, view_, options_.all_configurations);
  if (view_.of_this_shape == 0 || options_.all_configurations) {
    empty_state("No latency of " + point->kernel,
                "None of its points in the session was timed or has a prediction.");
  } else if (empty_state("No latency at these settings",
                         "The shown point of " + point->kernel + " has no value of " + options_.axis + ", " +
                             format_points(view_.of_this_shape) + " of the kernel " +
                             (view_.of_this_shape == 1 ? "has" : "have") + " a latency or a prediction.",
                         "Show all settings")) {
    options_.all_configurations = true;
  }
}

void LatencyPlotPanel::draw_options() {
  ImGui::SameLine();
  ImGui::Checkbox("All settings", &options_.all_configurations);
  landmark("latency.all");
  help_tooltip(
      points_.file_point()
          ? "Off: other values as in the shown point. On: every point of this kernel, jittered "
            "horizontally."
          : "Off: other parameters at slider values. On: every point of this kernel and shape, jittered "
            "horizontally.");
  ImGui::SameLine();
  ImGui::Checkbox("Log scale", &options_.log_latency);
  help_tooltip("Latency on a logarithmic axis.");
  if (const SharedMeasurement& point = points_.file_point()) {
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    const bool fits = text_cut_in_the_middle(palette().muted, point->kernel);
    landmark("latency.file");
    if (!fits) help_tooltip(point->kernel);
  }
}

void LatencyPlotPanel::derive(const Explorer& explorer, bool points_changed) {
  Slice slice = points_.slice(explorer, {options_.axis}, options_.all_configurations);
  const std::string& device = points_.device(explorer);
  if (!points_changed && slice == key_.slice && device == key_.device) return;
  key_.slice = std::move(slice);
  key_.device = device;
  view_ = latency_against(points_.index(), key_.slice, key_.axis, device);
}

/// The limits that a range of latencies [us] takes. On a linear axis the lower one is 0, whatever the points.
FollowedAxis::Limits LatencyPlotPanel::limits_of(double low_us, double high_us) const {
  if (!options_.log_latency) return {0, high_us * 1.1};
  return {std::max(low_us * 0.7, 1e-3), high_us * 1.4};
}

/// Follows the data when its range or the axes change; otherwise keeps the user's zoom.
void LatencyPlotPanel::setup_axes() {
  const bool is_empty = view_.empty() && !provisional_;
  FollowedAxis::Limits lasting{};
  if (!view_.empty()) lasting = limits_of(view_.low_us, view_.high_us);
  FollowedAxis::Limits now = is_empty ? limits_of(0.1 / 0.7, 1) : lasting;
  if (provisional_) {
    now = limits_of(view_.empty() ? provisional_->low : std::min(view_.low_us, provisional_->low),
                    std::max(view_.high_us, provisional_->high));
  }
  if (fitted_options_ != options_ || fitted_positions_ != key_.axis.positions) followed_.start_over();
  fitted_options_ = options_;
  fitted_positions_ = key_.axis.positions;
  const ImPlotCond cond = followed_.follow(lasting, now);

  // On a low plot the long label would run into the legend.
  const bool low = ImGui::GetWindowHeight() < 22 * em();
  // Where there are failed configurations alone there is nothing to read off the axis.
  const ImPlotAxisFlags numbers = is_empty ? ImPlotAxisFlags_NoTickLabels : ImPlotAxisFlags_None;
  ImPlot::SetupAxes(options_.axis.c_str(), latency_axis_words(view_, low).c_str(), ImPlotAxisFlags_NoMenus,
                    ImPlotAxisFlags_NoMenus | numbers);
  setup_value_axis(key_.axis, cond);
  if (options_.log_latency) ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  ImPlot::SetupAxisLimits(ImAxis_Y1, now.low, now.high, cond);
  ImPlot::SetupFinish();
  followed_.look();
}

std::vector<LegendEntry> LatencyPlotPanel::legend(const Explorer& explorer) const {
  std::vector<LegendEntry> legend;
  legend.reserve(view_.series.size());
  for (const LatencySeries& series : view_.series) legend.push_back({style_of(series), series.legend});
  for (const bool older_source : {false, true}) {
    const bool any = std::any_of(view_.failed.begin(), view_.failed.end(),
                                 [&](const FailedDot& dot) { return dot.older_source == older_source; });
    const char* const words = older_source ? "failed, older source" : "failed, no latency";
    if (any) legend.push_back({failed_style(older_source), words});
  }
  const char* const provisional = "provisional";
  if (!is_of_file_ && explorer.jobs().has_worker() && explorer.selection().device().present)
    legend.push_back({provisional_style(palette().measured), provisional_ ? provisional : "", provisional});
  return legend;
}

void LatencyPlotPanel::draw_plot(Explorer& explorer) {
  draw_legend(legend(explorer));
  if (!is_of_file_) draw_timed_elsewhere(explorer, view_);
  if (!ImPlot::BeginPlot("##latency", {-1, -1}, ImPlotFlags_CanvasOnly | ImPlotFlags_NoFrame)) return;
  setup_axes();
  const ImVec2 corner = ImPlot::GetPlotPos();
  const ImVec2 size = ImPlot::GetPlotSize();
  landmark("plot.latency", corner, {corner.x + size.x, corner.y + size.y});
  if (options_.all_configurations) draw_columns();
  draw_current_value();
  // Draws the first one last: current points lie above points of an older source.
  for (auto series = view_.series.rbegin(); series != view_.series.rend(); ++series) draw_series(*series);
  draw_failed(view_.failed);
  draw_current_rings();
  if (!draw_partial(explorer)) react_to_mouse(explorer);
  // ImPlot fits the axes to the points; in the next frame they are as they were first.
  if (wants_all_points()) {
    followed_.start_over();
    explorer.notices().draw_again();
  }
  ImPlot::EndPlot();
}

void LatencyPlotPanel::draw_series(const LatencySeries& series) const {
  const MarkStyle style = style_of(series);
  const auto count = static_cast<int>(series.dots.size());
  const LatencyDot& first = series.dots.front();
  const bool crowded = count > 400;

  ImPlotSpec whiskers;
  whiskers.LineColor = wash(style.color, crowded ? 0.25F : 0.75F);
  whiskers.LineWeight = std::max(1.0F, ui_scale());
  whiskers.Size = crowded ? 0 : em() * 0.4F;
  whiskers.Stride = sizeof(LatencyDot);
  whiskers.Flags = ImPlotItemFlags_NoLegend;
  ImPlot::PlotErrorBars("##whiskers", &first.x, &first.p50_us, &first.below_us, &first.above_us, count,
                        whiskers);

  if (!options_.all_configurations && !series.wrong) {
    std::vector<ImVec2> pixels;
    pixels.reserve(series.dots.size());
    for (const LatencyDot& dot : series.dots) pixels.push_back(ImPlot::PlotToPixels(dot.x, dot.p50_us));
    ImPlot::PushPlotClipRect();
    join_places(pixels, style.color, style.dashed);
    ImPlot::PopPlotClipRect();
  }
  ImPlotSpec marks = mark_spec(style, crowded ? em() * 0.13F : em() * 0.3F);
  if (crowded) marks.LineWeight = 0.5F * ui_scale();
  marks.Stride = sizeof(LatencyDot);
  ImPlot::PlotScatter(series.legend.c_str(), &first.x, &first.p50_us, count, marks);
}

/// The places between which the dots of a value are spread.
void LatencyPlotPanel::draw_columns() const {
  for (const double value : key_.axis.positions) draw_column(value, wash(palette().muted, 0.1F));
}

void LatencyPlotPanel::draw_column(double value, const ImVec4& color) const {
  const double spread = options_.all_configurations ? key_.axis.spacing() * spread_in_column : 0;
  const float half = em() * (options_.all_configurations ? 0.4F : 0.7F);
  const float left = ImPlot::PlotToPixels(value - spread, 1).x - half;
  const float right = ImPlot::PlotToPixels(value + spread, 1).x + half;
  const ImVec2 corner = ImPlot::GetPlotPos();
  ImPlot::PushPlotClipRect();
  ImPlot::GetPlotDrawList()->AddRectFilled({left, corner.y}, {right, corner.y + ImPlot::GetPlotSize().y},
                                           to_u32(color));
  ImPlot::PopPlotClipRect();
}

void LatencyPlotPanel::draw_current_value() const {
  const auto value = key_.slice.configuration.find(options_.axis);
  const auto place = value == key_.slice.configuration.end() ? std::nullopt : key_.axis.find(value->second);
  if (!place) return;
  draw_column(key_.axis.positions[*place], wash(palette().selection, 0.1F));
}

void LatencyPlotPanel::draw_current_rings() const {
  ImPlot::PushPlotClipRect();
  for (const LatencyDot& dot : view_.current) {
    draw_ring(ImPlot::PlotToPixels(dot.x, dot.p50_us), palette().selection);
  }
  ImPlot::PopPlotClipRect();
}

/// Returns whether the mouse is over it.
bool LatencyPlotPanel::draw_partial(const Explorer& explorer) const {
  if (!provisional_) return false;
  const ImVec2 centre = ImPlot::PlotToPixels(provisional_->x, provisional_->y);
  const float low = ImPlot::PlotToPixels(provisional_->x, provisional_->low).y;
  const float high = ImPlot::PlotToPixels(provisional_->x, provisional_->high).y;
  const bool is_hovered = draw_provisional(provisional_style(palette().measured), centre, low, high);
  landmark("latency.provisional", {centre.x - em() / 2, centre.y - em() / 2},
           {centre.x + em() / 2, centre.y + em() / 2});
  if (is_hovered) draw_partial_tooltip(*explorer.jobs().partial_point());
  return is_hovered;
}

std::optional<std::uint32_t> LatencyPlotPanel::find_under_mouse() const {
  const ImPlotPoint mouse = ImPlot::GetPlotMousePos();
  const float radius = em() * 0.7F;
  if (const auto hit = nearest_dot(view_, mouse.x, mouse.y, pixel_scale(options_.log_latency), radius))
    return hit;
  return find_failed_under_mouse(view_.failed, radius);
}

void LatencyPlotPanel::react_to_mouse(Explorer& explorer) const {
  if (!ImPlot::IsPlotHovered()) return;
  const auto entry = find_under_mouse();
  if (!entry) return;
  const SharedMeasurement point = points_.point(*entry);
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::BeginTooltip()) {
    std::vector<TextPair> lines = latency_tooltip(*point, points_.is_recorded(*entry));
    if (points_.is_of_older_source(*entry)) lines.push_back(older_source_line());
    const char* hint = points_.is_recorded(*entry) ? "Click to show this recorded point."
                       : is_of_file_               ? "Click to show this point."
                                                   : "Click to go to this configuration.";
    const std::string heading =
        is_of_file_ ? point->kernel + " " + problem_words(*point) : to_string(point->parameters);
    tooltip_body(heading, lines, hint);
    ImGui::EndTooltip();
  }
  if (clicked_in_place()) explorer.shown().show(point);
}

const RegisterPanel register_latency_plot_panel{[] { return std::make_unique<LatencyPlotPanel>(); }};

}  // namespace

}  // namespace tilescope
