#pragma once

#include <imgui.h>
#include <implot.h>

#include <span>
#include <string>

#include "sessions/views/occupancy/occupancy_series.hpp"
#include "sessions/views/points/latency_series.hpp"
#include "sessions/views/points/value_axis.hpp"

namespace tilescope {

/// The style of a kind of dots, so that measured, predicted and recorded ones and dots of an older source differ
/// without colour.
struct MarkStyle {
  ImPlotMarker marker = ImPlotMarker_Circle;
  ImVec4 color;
  bool filled = true;
  /// Whether the line that joins the dots is dashed.
  bool dashed = false;
};

MarkStyle style_of(const LatencySeries& series);
MarkStyle style_of(const OccupancySeries& series);
/// Filled, as of the chosen device.
MarkStyle style_of(Limiter limiter);

/// One mark of a style, where no scatter draws it. [px]
void draw_mark(ImDrawList& draw, const MarkStyle& style, ImVec2 centre, float radius);
void dashed_line(ImDrawList& draw, ImVec2 from, ImVec2 to, ImU32 color, float weight);

/// A scatter's specification for a style. `radius` in pixels.
ImPlotSpec mark_spec(const MarkStyle& style, float radius);

/// One line of marks with their texts, wrapped if it does not fit: the plots' own legends only show colours.
struct LegendEntry {
  MarkStyle style;
  /// "" draws nothing, and keeps the place.
  std::string text;
  /// The place is at least as wide as this text: what comes and goes moves nothing.
  std::string keeps_room_for = {};
};
void draw_legend(std::span<const LegendEntry> entries);

/// Sets up the horizontal axis with a tick for every value of the parameter. Call between SetupAxes and SetupFinish.
void setup_value_axis(const ValueAxis& axis, ImPlotCond cond);

/// Joins places given in pixels. Call between BeginPlot and EndPlot.
void join_places(std::span<const ImVec2> pixels, ImVec4 color, bool dashed);

/// Style of a point that is being made: hollow, and of a shape that no final point has.
MarkStyle provisional_style(ImVec4 color);
/// Its mark with its interval. In pixels; call between BeginPlot and EndPlot. Returns whether the mouse is over it.
bool draw_provisional(const MarkStyle& style, ImVec2 centre, float low, float high);

/// A ring around the dot of the chosen configuration.
void draw_ring(ImVec2 pixel, ImVec4 color);

}  // namespace tilescope
