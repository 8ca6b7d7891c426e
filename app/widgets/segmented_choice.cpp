#include "app/widgets/segmented_choice.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/landmarks.hpp"
#include "app/widgets/arrow_keys.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

struct Rectangle {
  ImVec2 min;
  ImVec2 max;

  bool contains(ImVec2 at) const { return at.x >= min.x && at.x < max.x && at.y >= min.y && at.y < max.y; }
};

/// The segments of one row.
struct Row {
  std::size_t first = 0;
  std::size_t end = 0;
  float width = 0;
};

float natural_width(const Segment& segment) {
  return ImGui::CalcTextSize(segment.label.c_str()).x + em() * 0.8F;
}

std::vector<Row> rows_of(const SegmentedChoice& choice, float available) {
  std::vector<Row> rows{{}};
  for (std::size_t i = 0; i < choice.segments.size(); ++i) {
    const float width = natural_width(choice.segments[i]);
    if (rows.back().end > rows.back().first && rows.back().width + width > available)
      rows.push_back({i, i, 0});
    rows.back().end = i + 1;
    rows.back().width += width;
  }
  return rows;
}

float row_height(const SegmentedChoice& choice) {
  return choice.height > 0 ? choice.height : std::round(ImGui::GetTextLineHeight() + em() * 0.45F);
}

/// The spare width of a row is shared equally among its segments.
std::vector<Rectangle> layout(const SegmentedChoice& choice, ImVec2 corner, float available) {
  std::vector<Rectangle> places;
  float y = corner.y;
  for (const Row& row : rows_of(choice, available)) {
    const float spare = choice.fills_width ? std::max(0.0F, available - row.width) : 0;
    const float share = spare / static_cast<float>(row.end - row.first);
    float x = corner.x;
    for (std::size_t i = row.first; i < row.end; ++i) {
      const float right = x + natural_width(choice.segments[i]) + share;
      places.push_back({{std::round(x), y}, {std::round(right), y + row_height(choice)}});
      x = right;
    }
    y += row_height(choice);
  }
  return places;
}

ImVec2 size_of(const std::vector<Rectangle>& places, ImVec2 corner) {
  ImVec2 end = corner;
  for (const Rectangle& place : places) end = {std::max(end.x, place.max.x), std::max(end.y, place.max.y)};
  return {end.x - corner.x, end.y - corner.y};
}

void draw_segment(const SegmentedChoice& choice, std::size_t index, const Rectangle& at, bool hovered) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Palette& colors = palette();
  const Segment& segment = choice.segments[index];
  const bool valid = segment.why_disabled.empty();
  const bool chosen = index == choice.current;
  const float rounding = ImGui::GetStyle().FrameRounding;
  ImVec4 text = valid ? colors.text : choice.strikes_disabled ? colors.muted : wash(colors.muted, 0.7F);
  if (chosen) {
    draw.AddRectFilled(at.min, at.max, to_u32(valid ? colors.accent : colors.error), rounding);
    text = valid ? colors.accent_text : colors.surface;
  } else if (hovered && (valid || choice.all_allowed)) {
    draw.AddRectFilled(at.min, at.max, to_u32(colors.hovered), rounding);
  }
  const ImVec2 size = ImGui::CalcTextSize(segment.label.c_str());
  const ImVec2 corner{std::round((at.min.x + at.max.x - size.x) / 2),
                      std::round((at.min.y + at.max.y - size.y) / 2)};
  draw.AddText(corner, to_u32(text), segment.label.c_str());
  if (valid || !choice.strikes_disabled) return;
  const float middle = std::round(corner.y + size.y * 0.55F);
  draw.AddLine({corner.x, middle}, {corner.x + size.x, middle}, to_u32(text), std::max(1.0F, ui_scale()));
}

/// The area of each row.
std::vector<Rectangle> areas_of(const std::vector<Rectangle>& places) {
  std::vector<Rectangle> areas;
  for (const Rectangle& place : places) {
    if (areas.empty() || place.min.y > areas.back().min.y) areas.push_back(place);
    areas.back().max = place.max;
  }
  return areas;
}

void draw_backgrounds(const std::vector<Rectangle>& places) {
  for (const Rectangle& area : areas_of(places)) {
    ImGui::GetWindowDrawList()->AddRectFilled(area.min, area.max, to_u32(palette().raised),
                                              ImGui::GetStyle().FrameRounding);
  }
}

/// Around each row, and lines between neighbours of which none is chosen.
void draw_frames(const SegmentedChoice& choice, const std::vector<Rectangle>& places, bool focused) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float weight = std::max(1.0F, ui_scale());
  for (std::size_t i = 1; i < places.size(); ++i) {
    const bool starts_row = places[i].min.y > places[i - 1].min.y;
    if (starts_row || i == choice.current || i - 1 == choice.current) continue;
    draw.AddLine({places[i].min.x, places[i].min.y + em() * 0.3F},
                 {places[i].min.x, places[i].max.y - em() * 0.3F}, to_u32(palette().outline), weight);
  }
  const ImVec4& color = focused ? palette().accent : palette().outline;
  for (const Rectangle& area : areas_of(places)) {
    draw.AddRect(area.min, area.max, to_u32(color), ImGui::GetStyle().FrameRounding,
                 focused ? 2 * weight : weight);
  }
}

}  // namespace

SegmentedAction segmented_choice(const SegmentedChoice& choice) {
  SegmentedAction action;
  if (choice.segments.empty()) return action;
  const MonoText mono;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float available = std::max(ImGui::GetContentRegionAvail().x, em() * 4);
  const std::vector<Rectangle> places = layout(choice, corner, available);
  const auto is_open = [&](std::size_t i) {
    return choice.all_allowed || choice.segments[i].why_disabled.empty();
  };

  const bool pressed =
      ImGui::InvisibleButton(choice.id.c_str(), size_of(places, corner), ImGuiButtonFlags_EnableNav);
  const bool by_mouse = ImGui::IsMouseReleased(ImGuiMouseButton_Left);
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].contains(ImGui::GetIO().MousePos)) action.hovered = i;
    }
  }
  const bool clicked = pressed && by_mouse && action.hovered;
  if (clicked && *action.hovered != choice.current && is_open(*action.hovered))
    action.chosen = action.hovered;
  if (const auto step = step_with_arrows({choice.segments.size(), choice.current, is_open}))
    action.chosen = step;

  draw_backgrounds(places);
  for (std::size_t i = 0; i < places.size(); ++i) draw_segment(choice, i, places[i], action.hovered == i);
  draw_frames(choice, places, ImGui::IsItemFocused() && ImGui::GetIO().NavVisible);
  for (std::size_t i = 0; i < places.size(); ++i)
    landmark(choice.segments[i].landmark, places[i].min, places[i].max);
  return action;
}

}  // namespace tilescope
