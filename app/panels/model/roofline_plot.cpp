#include "app/panels/model/roofline_plot.hpp"

#include <implot.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/panels/model/roofline_ceilings.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/plot_labels.hpp"
#include "app/widgets/plot_zoom.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

/// With more dots the tests' places are not needed, and cost time.
constexpr std::size_t max_marked_dots = 64;
/// Limit of dots that labels keep away from.
constexpr std::size_t max_clear_dots = 256;

ImVec4 color_of(RooflineOrigin origin) {
  switch (origin) {
    case RooflineOrigin::measured:
      return palette().measured;
    case RooflineOrigin::predicted:
      return palette().predicted;
    case RooflineOrigin::recorded:
      return palette().recorded;
  }
  return palette().muted;
}

MarkStyle mark_of(RooflineOrigin origin, const ImVec4& color) {
  switch (origin) {
    case RooflineOrigin::measured:
      return {ImPlotMarker_Circle, color, true, false};
    case RooflineOrigin::predicted:
      return {ImPlotMarker_Square, color, false, true};
    case RooflineOrigin::recorded:
      return {ImPlotMarker_Diamond, color, false, true};
  }
  return {};
}

ImVec4 color_of_kernel(const RooflineView& view, const std::string& kernel) {
  const auto found = std::find(view.all_kernels.begin(), view.all_kernels.end(), kernel);
  const auto index = static_cast<std::size_t>(found - view.all_kernels.begin());
  return palette().series[index % palette().series.size()];
}

/// Draws between BeginPlot and EndPlot.
class RooflinePlot {
 public:
  RooflinePlot(const RooflineView& view, const Measurement* current)
      : view_(view),
        current_(view.entry_of(current)),
        draw_(*ImPlot::GetPlotDrawList()),
        labels_(draw_),
        ceilings_(view, draw_, labels_) {}

  RooflineHit draw() {
    ImPlot::PushPlotClipRect();
    ceilings_.draw_lines();
    keep_marks_clear();
    ceilings_.draw_labels();
    draw_ticks();
    ImPlot::PopPlotClipRect();
    for (const RooflineSeries& series : view_.series) draw_series(series);
    ImPlot::PushPlotClipRect();
    draw_current();
    draw_kernel_names();
    ImPlot::PopPlotClipRect();
    mark_places();
    return ImPlot::IsPlotHovered() ? under_mouse() : RooflineHit{};
  }

 private:
  void keep_clear(ImVec2 at, float radius) {
    labels_.keep_clear({at.x, at.y - radius}, {at.x, at.y + radius});
    labels_.keep_clear({at.x - radius, at.y}, {at.x + radius, at.y});
  }

  /// With very many dots only the current one: the others are a cloud, and would cost time.
  void keep_marks_clear() {
    std::size_t dots = 0;
    for (const RooflineSeries& series : view_.series) dots += series.dots.size();
    for (const RooflineTick& tick : view_.ticks) keep_clear(pixel(tick), em() * 0.7F);
    for (const RooflineSeries& series : view_.series) {
      for (const RooflineDot& dot : series.dots) {
        const bool is_current = dot.entry == current_;
        if (is_current || dots <= max_clear_dots) keep_clear(pixel(dot), em() * (is_current ? 0.7F : 0.4F));
      }
    }
  }

  static ImVec2 pixel(const RooflineDot& dot) { return ImPlot::PlotToPixels(dot.intensity, dot.tflops); }
  static ImVec2 pixel(const RooflineTick& tick) {
    return ImPlot::PlotToPixels(tick.intensity, tick.roof.tflops);
  }

  void draw_ticks() {
    const float length = em() * 0.7F;
    for (const RooflineTick& tick : view_.ticks) {
      if (!(tick.roof.tflops > 0)) continue;
      const ImVec2 at = pixel(tick);
      const MarkStyle style = style_of(tick, view_);
      draw_.AddLine({at.x, at.y - length}, {at.x, at.y + length}, to_u32(style.color),
                    std::max(1.5F, em() * 0.12F));
      draw_mark(draw_, style, {at.x, at.y + length}, em() * 0.28F);
    }
  }

  void draw_series(const RooflineSeries& series) const {
    const auto count = static_cast<int>(series.dots.size());
    const bool crowded = count > 400;
    ImPlotSpec marks = mark_spec(style_of(series, view_), crowded ? em() * 0.16F : em() * 0.34F);
    if (crowded) marks.LineWeight = 0.5F * ui_scale();
    marks.Stride = sizeof(RooflineDot);
    const RooflineDot& first = series.dots.front();
    const std::string id =
        "##" + series.kernel + to_string(series.origin) + (series.older_source ? "older" : "");
    ImPlot::PlotScatter(id.c_str(), &first.intensity, &first.tflops, count, marks);
  }

  bool has_current(const RooflineTick& tick) const {
    return current_ && std::binary_search(tick.entries.begin(), tick.entries.end(), *current_);
  }

  static void ring(ImVec2 at) {
    draw_ring(at, palette().selection);
    const float r = em() * 0.3F;
    landmark("roofline.ring", {at.x - r, at.y - r}, {at.x + r, at.y + r});
  }

  void draw_current() const {
    if (!current_) return;
    for (const RooflineSeries& series : view_.series) {
      for (const RooflineDot& dot : series.dots) {
        if (dot.entry == current_) ring(pixel(dot));
      }
    }
    for (const RooflineTick& tick : view_.ticks) {
      if (has_current(tick)) ring(pixel(tick));
    }
  }

  /// Beside the fastest dot of each kernel, where there is room.
  void draw_kernel_names() {
    if (view_.kernels.size() < 2) return;
    std::set<std::string> named;
    std::vector<std::pair<const RooflineDot*, const RooflineSeries*>> best;
    for (const RooflineSeries& series : view_.series) {
      const auto fastest =
          std::max_element(series.dots.begin(), series.dots.end(),
                           [](const RooflineDot& a, const RooflineDot& b) { return a.tflops < b.tflops; });
      best.emplace_back(&*fastest, &series);
    }
    std::sort(best.begin(), best.end(),
              [](const auto& a, const auto& b) { return a.first->tflops > b.first->tflops; });
    for (const auto& [dot, series] : best) {
      if (!named.insert(series->kernel).second) continue;
      name_dot(pixel(*dot), series->kernel, style_of(*series, view_).color);
    }
  }

  /// Right of a dot, else left of it, a little higher or lower: where no line and no other mark is.
  void name_dot(ImVec2 at, const std::string& name, const ImVec4& color) {
    const ImVec2 size = ImGui::CalcTextSize(name.c_str());
    const float gap = em() * 0.8F;
    const float middle = std::round(at.y - size.y / 2);
    std::vector<ImVec2> places;
    for (const float shift : {0.0F, -0.55F, 0.55F, -1.0F, 1.0F}) {
      for (const float x : {at.x + gap, at.x - gap - size.x})
        places.push_back({x, middle + std::round(shift * size.y)});
    }
    labels_.add_clear(places, name, color);
  }

  void mark_places() const {
    if (!landmarks_enabled()) return;
    const float r = em() * 0.3F;
    const auto mark = [&](const std::string& name, ImVec2 at) {
      landmark(name, {at.x - r, at.y - r}, {at.x + r, at.y + r});
    };
    for (std::size_t i = 0; i < view_.series.size(); ++i) {
      const std::size_t count = std::min(view_.series[i].dots.size(), max_marked_dots);
      for (std::size_t j = 0; j < count; ++j)
        mark("roofline.dot." + std::to_string(i) + "." + std::to_string(j), pixel(view_.series[i].dots[j]));
    }
    for (std::size_t i = 0; i < view_.ticks.size(); ++i)
      mark("roofline.tick." + std::to_string(i), pixel(view_.ticks[i]));
    ceilings_.mark_places();
  }

  RooflineHit under_mouse() const {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    float best = em() * 0.7F;
    RooflineHit hit;
    const auto is_nearer = [&](ImVec2 at) {
      const float apart = std::hypot(at.x - mouse.x, at.y - mouse.y);
      if (apart > best) return false;
      best = apart;
      return true;
    };
    for (std::size_t i = 0; i < view_.ticks.size(); ++i) {
      if (is_nearer(pixel(view_.ticks[i]))) hit.tick = i;
    }
    for (std::size_t i = 0; i < view_.series.size(); ++i) {
      for (std::size_t j = 0; j < view_.series[i].dots.size(); ++j) {
        if (!is_nearer(pixel(view_.series[i].dots[j]))) continue;
        hit.dot = {i, j};
        hit.tick.reset();
      }
    }
    if (hit.dot) {
      find_points(pixel(view_.series[hit.dot->first].dots[hit.dot->second]), hit);
    } else if (hit.tick) {
      find_points(pixel(view_.ticks[*hit.tick]), hit);
    }
    if (hit.dot || hit.tick) return hit;
    hit.ceiling = ceilings_.under_mouse();
    return hit;
  }

  /// All points whose marks lie on a place, and of them the current one or that which was hit.
  void find_points(ImVec2 at, RooflineHit& hit) const {
    const auto is_there = [&](ImVec2 other) {
      return std::hypot(other.x - at.x, other.y - at.y) < em() * 0.15F;
    };
    std::set<std::uint32_t> entries;
    hit.entry = hit.dot ? view_.series[hit.dot->first].dots[hit.dot->second].entry
                        : view_.ticks[*hit.tick].entries.back();
    for (std::size_t i = 0; i < view_.ticks.size(); ++i) {
      const RooflineTick& tick = view_.ticks[i];
      if (!is_there(pixel(tick))) continue;
      entries.insert(tick.entries.begin(), tick.entries.end());
      if (has_current(tick)) hit = {std::nullopt, i, *current_, 0, std::nullopt};
    }
    for (std::size_t i = 0; i < view_.series.size(); ++i) {
      for (std::size_t j = 0; j < view_.series[i].dots.size(); ++j) {
        const RooflineDot& dot = view_.series[i].dots[j];
        if (!is_there(pixel(dot))) continue;
        entries.insert(dot.entry);
        if (dot.entry == current_) hit = {std::pair{i, j}, std::nullopt, dot.entry, 0, std::nullopt};
      }
    }
    hit.more = entries.size() - 1;
  }

  const RooflineView& view_;
  std::optional<std::uint32_t> current_;
  ImDrawList& draw_;
  PlotLabels labels_;
  RooflineCeilings ceilings_;
};

const char* level_axis(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::dram:
      return "FLOP per compulsory DRAM byte";
    case MemoryLevel::l2:
      return "FLOP per byte between L1 and L2";
    case MemoryLevel::shared:
      return "FLOP per byte of shared memory";
  }
  return "";
}

/// 0.5, 10, 1,000: ticks are powers of ten.
int tick_label(double value, char* text, int size, void*) {
  return std::snprintf(text, static_cast<std::size_t>(size), "%g", value);
}

}  // namespace

MarkStyle style_of(const RooflineSeries& series, const RooflineView& view) {
  if (series.older_source) {
    MarkStyle style = mark_of(series.origin, palette().muted);
    style.filled = false;
    return style;
  }
  const bool one_kernel = view.kernels.size() < 2;
  return mark_of(series.origin, one_kernel ? color_of(series.origin) : color_of_kernel(view, series.kernel));
}

MarkStyle style_of(const RooflineTick& tick, const RooflineView& view) {
  const bool one_kernel = view.kernels.size() < 2;
  const ImVec4 color =
      one_kernel ? palette().counted : color_of_kernel(view, view.points[tick.entries.back()]->kernel);
  return {ImPlotMarker_Up, color, false, false};
}

void draw_roofline_legend(const RooflineView& view, const Measurement* current) {
  const bool one_kernel = view.kernels.size() < 2;
  std::set<std::pair<RooflineOrigin, bool>> origins;
  for (const RooflineSeries& series : view.series) origins.emplace(series.origin, series.older_source);
  std::vector<LegendEntry> legend;
  for (const auto& [origin, older] : origins) {
    const ImVec4 color = older ? palette().muted : one_kernel ? color_of(origin) : palette().text;
    MarkStyle style = mark_of(origin, color);
    if (older) style.filled = false;
    legend.push_back({style, to_string(origin) + (older ? ", older source" : "")});
  }
  if (!view.ticks.empty()) {
    const ImVec4 color = one_kernel ? palette().counted : palette().text;
    legend.push_back({{ImPlotMarker_Up, color, false, false}, "no latency, at most"});
  }
  for (const std::string& kernel : view.kernels) {
    if (one_kernel) break;
    legend.push_back({{ImPlotMarker_Square, color_of_kernel(view, kernel), true, false}, kernel});
  }
  if (view.entry_of(current))
    legend.push_back({{ImPlotMarker_Circle, palette().selection, false, false}, "shown in Point"});
  draw_legend(legend);
}

RooflineHit draw_roofline(const RooflineView& view, const Measurement* current, bool refit) {
  if (!ImPlot::BeginPlot("##roofline", {-1, -1}, ImPlotFlags_CanvasOnly | ImPlotFlags_NoFrame)) return {};
  const ImPlotCond cond = refit ? ImPlotCond_Always : ImPlotCond_Once;
  ImPlot::SetupAxes(level_axis(view.level), "TFLOP/s", ImPlotAxisFlags_NoMenus, ImPlotAxisFlags_NoMenus);
  ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  ImPlot::SetupAxisFormat(ImAxis_X1, tick_label);
  ImPlot::SetupAxisFormat(ImAxis_Y1, tick_label);
  ImPlot::SetupAxisLimits(ImAxis_X1, view.low_intensity, view.high_intensity, cond);
  ImPlot::SetupAxisLimits(ImAxis_Y1, view.low_tflops, view.high_tflops, cond);
  ImPlot::SetupFinish();
  const ImVec2 corner = ImPlot::GetPlotPos();
  const ImVec2 size = ImPlot::GetPlotSize();
  landmark("plot.roofline", corner, {corner.x + size.x, corner.y + size.y});
  RooflineHit hit = RooflinePlot(view, current).draw();
  hit.wants_all_points = wants_all_points();
  ImPlot::EndPlot();
  return hit;
}

}  // namespace tilescope
