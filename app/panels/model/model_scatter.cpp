#include "app/panels/model/model_scatter.hpp"

#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/plot_zoom.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

/// With more dots the tests' places are not needed, and cost time.
constexpr std::size_t max_marked_dots = 64;
constexpr double near_miss = 0.1;
/// How far beyond the points the axes can be moved and zoomed.
constexpr double margin_factor = 10;

ImVec2 pixel(const ErrorDot& dot) {
  return ImPlot::PlotToPixels(dot.measured_us, dot.predicted_us);
}

/// The line of the predictions that are `factor` times what was measured.
void draw_line(const ErrorsView& view, double factor, bool dashed) {
  const ImVec2 from = ImPlot::PlotToPixels(view.low_us / 100, view.low_us / 100 * factor);
  const ImVec2 to = ImPlot::PlotToPixels(view.high_us * 100, view.high_us * 100 * factor);
  ImDrawList& draw = *ImPlot::GetPlotDrawList();
  const float weight = std::max(1.0F, em() * 0.08F);
  if (!dashed) return draw.AddLine(from, to, to_u32(palette().muted), weight);
  // Dashes only where they are seen: the line reaches far beyond the plot.
  const ImPlotRect limits = ImPlot::GetPlotLimits();
  const double low = std::max(limits.X.Min, limits.Y.Min / factor);
  const double high = std::min(limits.X.Max, limits.Y.Max / factor);
  if (low >= high) return;
  dashed_line(draw, ImPlot::PlotToPixels(low, low * factor), ImPlot::PlotToPixels(high, high * factor),
              to_u32(wash(palette().muted, faint_opacity)), weight);
}

void draw_lines(const ErrorsView& view) {
  ImPlot::PushPlotClipRect();
  draw_line(view, 1, false);
  draw_line(view, 1 + near_miss, true);
  draw_line(view, 1 - near_miss, true);
  ImPlot::PopPlotClipRect();
}

void draw_dots(const ErrorsView& view, const ErrorSeries& series) {
  const auto count = static_cast<int>(series.dots.size());
  const bool crowded = view.points.size() > 400;
  ImPlotSpec marks = mark_spec(style_of_kernel(view, series.kernel), crowded ? em() * 0.16F : em() * 0.3F);
  marks.Stride = sizeof(ErrorDot);
  const ErrorDot& first = series.dots.front();
  ImPlot::PlotScatter(("##" + series.kernel).c_str(), &first.measured_us, &first.predicted_us, count, marks);
}

void mark_places(const ErrorsView& view) {
  if (!landmarks_enabled()) return;
  const float r = em() * 0.3F;
  for (std::size_t i = 0; i < view.series.size(); ++i) {
    const std::size_t count = std::min(view.series[i].dots.size(), max_marked_dots);
    for (std::size_t j = 0; j < count; ++j) {
      const ImVec2 at = pixel(view.series[i].dots[j]);
      landmark("model.dot." + std::to_string(i) + "." + std::to_string(j), {at.x - r, at.y - r},
               {at.x + r, at.y + r});
    }
  }
}

void draw_current(const ErrorsView& view, const Measurement* current) {
  ImPlot::PushPlotClipRect();
  for (const ErrorSeries& series : view.series) {
    for (const ErrorDot& dot : series.dots) {
      if (view.points[dot.entry].get() != current) continue;
      const ImVec2 at = pixel(dot);
      draw_ring(at, palette().selection);
      landmark("model.ring", {at.x - em() * 0.3F, at.y - em() * 0.3F},
               {at.x + em() * 0.3F, at.y + em() * 0.3F});
    }
  }
  ImPlot::PopPlotClipRect();
}

std::optional<std::uint32_t> under_mouse(const ErrorsView& view) {
  if (!ImPlot::IsPlotHovered()) return std::nullopt;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  float best = em() * 0.7F;
  std::optional<std::uint32_t> found;
  for (const ErrorSeries& series : view.series) {
    for (const ErrorDot& dot : series.dots) {
      const ImVec2 at = pixel(dot);
      const float apart = std::hypot(at.x - mouse.x, at.y - mouse.y);
      if (apart > best) continue;
      best = apart;
      found = dot.entry;
    }
  }
  return found;
}

std::string tick_words(double us) {
  return format_number(us, us < 1 ? 1 : 0);
}

int write_tick(double us, char* text, int size, void*) {
  return std::snprintf(text, static_cast<std::size_t>(size), "%s", tick_words(us).c_str());
}

void setup_axis(ImAxis axis, const ErrorsView& view, ImPlotCond cond) {
  ImPlot::SetupAxisScale(axis, ImPlotScale_Log10);
  ImPlot::SetupAxisFormat(axis, write_tick);
  ImPlot::SetupAxisLimits(axis, view.low_us, view.high_us, cond);
  // Further out or in there is nothing to see.
  ImPlot::SetupAxisLimitsConstraints(axis, view.low_us / margin_factor, view.high_us * margin_factor);
  ImPlot::SetupAxisZoomConstraints(axis, view.low_us / 2, std::numeric_limits<double>::infinity());
  if (view.ticks.empty()) return;
  std::vector<std::string> texts;
  texts.reserve(view.ticks.size());
  for (const double tick : view.ticks) texts.push_back(tick_words(tick));
  std::vector<const char*> labels;
  labels.reserve(texts.size());
  for (const std::string& text : texts) labels.push_back(text.c_str());
  ImPlot::SetupAxisTicks(axis, view.ticks.data(), static_cast<int>(labels.size()), labels.data(), false);
}

}  // namespace

MarkStyle style_of_kernel(const ErrorsView& view, const std::string& kernel) {
  static constexpr std::array markers{ImPlotMarker_Circle, ImPlotMarker_Square, ImPlotMarker_Up,
                                      ImPlotMarker_Diamond, ImPlotMarker_Down};
  const auto found = std::find(view.all_kernels.begin(), view.all_kernels.end(), kernel);
  const auto index = static_cast<std::size_t>(found - view.all_kernels.begin());
  return {markers[index % markers.size()], palette().series[index % palette().series.size()], true, false};
}

void draw_scatter_legend(const ErrorsView& view) {
  std::vector<LegendEntry> legend;
  legend.reserve(view.series.size());
  for (const ErrorSeries& series : view.series)
    legend.push_back({style_of_kernel(view, series.kernel), series.kernel});
  draw_legend(legend);
  text_muted("Line: predicted = measured; dashed: 10 % above and below");
  landmark("model.scatter_legend");
  help_tooltip("Ctrl and the wheel zoom the plot, a drag moves it, a double-click fits all points.");
}

ScatterAction draw_scatter(const ErrorsView& view, const Measurement* current, float height, bool refit) {
  const ZoomWithCtrl zoom;
  if (!ImPlot::BeginPlot("##model", {-1, height}, ImPlotFlags_CanvasOnly | ImPlotFlags_NoFrame)) return {};
  ImPlot::SetupAxes("measured p50 [µs]", "predicted p50 [µs]", ImPlotAxisFlags_NoMenus,
                    ImPlotAxisFlags_NoMenus);
  const ImPlotCond cond = refit ? ImPlotCond_Always : ImPlotCond_Once;
  setup_axis(ImAxis_X1, view, cond);
  setup_axis(ImAxis_Y1, view, cond);
  ImPlot::SetupFinish();
  const ImVec2 corner = ImPlot::GetPlotPos();
  const ImVec2 size = ImPlot::GetPlotSize();
  landmark("plot.model", corner, {corner.x + size.x, corner.y + size.y});
  draw_lines(view);
  for (const ErrorSeries& series : view.series) draw_dots(view, series);
  draw_current(view, current);
  mark_places(view);
  const ScatterAction action{under_mouse(view), wants_all_points()};
  ImPlot::EndPlot();
  return action;
}

}  // namespace tilescope
