#include "app/widgets/plot_marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

void dashed_line(ImDrawList& draw, ImVec2 from, ImVec2 to, ImU32 color, float weight) {
  const float dash = em() * 0.45F;
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (!(length > 0)) return;
  const ImVec2 unit{(to.x - from.x) / length, (to.y - from.y) / length};
  for (float at = 0; at < length; at += 2 * dash) {
    const float end = std::min(length, at + dash);
    draw.AddLine({from.x + unit.x * at, from.y + unit.y * at}, {from.x + unit.x * end, from.y + unit.y * end},
                 color, weight);
  }
}

void draw_mark(ImDrawList& draw, const MarkStyle& style, ImVec2 centre, float radius) {
  const ImU32 color = to_u32(style.color);
  const float weight = std::max(1.0F, em() * 0.1F);
  const auto [x, y] = centre;
  std::array<ImVec2, 4> corners{};
  std::size_t count = 4;
  switch (style.marker) {
    case ImPlotMarker_Cross:
      draw.AddLine({x - radius, y - radius}, {x + radius, y + radius}, color, weight);
      draw.AddLine({x - radius, y + radius}, {x + radius, y - radius}, color, weight);
      return;
    case ImPlotMarker_Square:
      corners = {ImVec2{x - radius, y - radius},
                 {x + radius, y - radius},
                 {x + radius, y + radius},
                 {x - radius, y + radius}};
      break;
    case ImPlotMarker_Diamond:
      corners = {ImVec2{x, y - radius}, {x + radius, y}, {x, y + radius}, {x - radius, y}};
      break;
    case ImPlotMarker_Up:
      corners = {ImVec2{x, y - radius}, {x + radius, y + radius}, {x - radius, y + radius}, {}};
      count = 3;
      break;
    case ImPlotMarker_Down:
      corners = {ImVec2{x, y + radius}, {x + radius, y - radius}, {x - radius, y - radius}, {}};
      count = 3;
      break;
    case ImPlotMarker_Left:
      corners = {ImVec2{x - radius, y}, {x + radius, y - radius}, {x + radius, y + radius}, {}};
      count = 3;
      break;
    case ImPlotMarker_Right:
      corners = {ImVec2{x + radius, y}, {x - radius, y + radius}, {x - radius, y - radius}, {}};
      count = 3;
      break;
    default:
      if (style.filled) draw.AddCircleFilled(centre, radius, color);
      if (!style.filled) draw.AddCircle(centre, radius, color, 0, weight);
      return;
  }
  if (style.filled) {
    draw.AddConvexPolyFilled(corners.data(), static_cast<int>(count), color);
  } else {
    draw.AddPolyline(corners.data(), static_cast<int>(count), color, weight, ImDrawFlags_Closed);
  }
}

void draw_legend(std::span<const LegendEntry> entries) {
  const float mark = em() * 1.1F;
  const float line = ImGui::GetTextLineHeight();
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LegendEntry& entry = entries[i];
    const float text = ImGui::CalcTextSize(entry.text.c_str()).x;
    const float width = mark + std::max(text, ImGui::CalcTextSize(entry.keeps_room_for.c_str()).x);
    if (i > 0) ImGui::SameLine(0, em());
    if (i > 0 && ImGui::GetCursorScreenPos().x + width > right) ImGui::NewLine();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::Dummy({width, line});
    if (entry.text.empty()) continue;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw_mark(draw, entry.style, {corner.x + em() * 0.4F, corner.y + line / 2}, em() * 0.28F);
    draw.AddText({corner.x + mark, corner.y}, to_u32(palette().muted), entry.text.c_str());
  }
}

MarkStyle style_of(const LatencySeries& series) {
  if (series.wrong)
    return {ImPlotMarker_Cross, series.older_source ? palette().muted : palette().error, true, false};
  if (series.predicted) {
    // Predictions of a recorded session and for another device have shapes of their own.
    const ImPlotMarker own = series.own_device ? ImPlotMarker_Square : ImPlotMarker_Up;
    const ImPlotMarker recorded = series.own_device ? ImPlotMarker_Left : ImPlotMarker_Right;
    return {series.kind == LatencyKind::recorded ? recorded : own,
            series.older_source ? palette().muted : palette().predicted, false, true};
  }
  // Hollow and grey: what it says was true of a file that is not there any more.
  if (series.older_source && series.kind == LatencyKind::measured)
    return {ImPlotMarker_Circle, palette().muted, false, true};
  if (series.kind == LatencyKind::measured) return {ImPlotMarker_Circle, palette().measured, true, false};
  return {ImPlotMarker_Diamond, palette().recorded, false, true};
}

MarkStyle style_of(Limiter limiter) {
  static constexpr ImPlotMarker markers[] = {ImPlotMarker_Circle, ImPlotMarker_Square, ImPlotMarker_Up,
                                             ImPlotMarker_Diamond};
  return {markers[static_cast<int>(limiter)], color_of(limiter), true, false};
}

MarkStyle style_of(const OccupancySeries& series) {
  MarkStyle style = style_of(series.limiter);
  if (series.older_source) style.color = palette().muted;
  style.filled = series.own_device && !series.older_source;
  return style;
}

ImPlotSpec mark_spec(const MarkStyle& style, float radius) {
  ImPlotSpec spec;
  spec.Marker = style.marker;
  spec.MarkerSize = radius;
  spec.LineColor = style.color;
  spec.LineWeight = std::max(1.0F, em() * 0.1F);
  spec.MarkerLineColor = style.color;
  spec.MarkerFillColor = style.filled ? style.color : ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
  return spec;
}

void setup_value_axis(const ValueAxis& axis, ImPlotCond cond) {
  std::vector<const char*> labels;
  labels.reserve(axis.labels.size());
  for (const std::string& label : axis.labels) labels.push_back(label.c_str());
  ImPlot::SetupAxisLimits(ImAxis_X1, axis.low(), axis.high(), cond);
  if (!labels.empty()) {
    ImPlot::SetupAxisTicks(ImAxis_X1, axis.positions.data(), static_cast<int>(labels.size()), labels.data());
  }
}

void join_places(std::span<const ImVec2> pixels, ImVec4 color, bool dashed) {
  ImDrawList& draw = *ImPlot::GetPlotDrawList();
  const ImU32 line = to_u32(wash(color, joining_opacity));
  const float weight = std::max(1.0F, em() * 0.11F);
  for (std::size_t i = 1; i < pixels.size(); ++i) {
    if (dashed) {
      dashed_line(draw, pixels[i - 1], pixels[i], line, weight);
    } else {
      draw.AddLine(pixels[i - 1], pixels[i], line, weight);
    }
  }
}

MarkStyle provisional_style(ImVec4 color) {
  return {ImPlotMarker_Down, color, false, true};
}

bool draw_provisional(const MarkStyle& style, ImVec2 centre, float low, float high) {
  const float radius = em() * 0.42F;
  const float cap = em() * 0.3F;
  ImPlot::PushPlotClipRect();
  ImDrawList& draw = *ImPlot::GetPlotDrawList();
  const ImU32 color = to_u32(style.color);
  const float weight = std::max(1.0F, em() * 0.1F);
  for (const float end : {low, high}) {
    if (std::abs(end - centre.y) <= radius) continue;
    dashed_line(draw, {centre.x, end < centre.y ? centre.y - radius : centre.y + radius}, {centre.x, end},
                color, weight);
    draw.AddLine({centre.x - cap, end}, {centre.x + cap, end}, color, weight);
  }
  // Nothing shines through what is hollow.
  MarkStyle inside = style;
  inside.filled = true;
  inside.color = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
  draw_mark(draw, inside, centre, radius);
  draw_mark(draw, style, centre, radius);
  ImPlot::PopPlotClipRect();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return ImPlot::IsPlotHovered() && std::hypot(mouse.x - centre.x, mouse.y - centre.y) < em() * 0.7F;
}

void draw_ring(ImVec2 pixel, ImVec4 color) {
  ImPlot::GetPlotDrawList()->AddCircle(pixel, em() * 0.62F, to_u32(color), 0, std::max(1.5F, em() * 0.13F));
}

}  // namespace tilescope
