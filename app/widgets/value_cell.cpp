#include "app/widgets/value_cell.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/landmarks.hpp"
#include "app/widgets/arrow_keys.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

struct Cell {
  ImVec2 min, max;
  std::size_t count = 1;

  float x(std::size_t place) const {
    return min.x + (max.x - min.x) * static_cast<float>(place) / static_cast<float>(count);
  }
  std::size_t place_at(float at) const {
    const float share = (at - min.x) / std::max(1.0F, max.x - min.x);
    const float place = std::floor(share * static_cast<float>(count));
    return static_cast<std::size_t>(std::clamp(place, 0.0F, static_cast<float>(count - 1)));
  }
};

bool is_open(const SliderView& slider, std::size_t value) {
  return slider.all_allowed || slider.values[value].why_invalid.empty();
}

void draw_places(const SliderView& slider, const Cell& cell) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float height = std::max(2.0F, std::round(em() * 0.17F)), gap = std::max(1.0F, ui_scale());
  const float bottom = cell.max.y - gap, top = bottom - height;
  for (std::size_t i = 0; i < cell.count; ++i) {
    const bool is_current = i == slider.current;
    const ImVec4 color = is_current ? palette().accent : faint_color();
    const float left = cell.x(i) + gap, right = cell.x(i + 1) - gap;
    if (slider.values[i].why_invalid.empty() || is_current) {
      draw.AddRectFilled({left, top}, {right, bottom}, to_u32(color));
    } else {  // a gap with a cross
      const float middle = (left + right) / 2, arm = height * 0.9F, y = (top + bottom) / 2;
      draw.AddLine({middle - arm, y - arm}, {middle + arm, y + arm}, to_u32(palette().muted));
      draw.AddLine({middle - arm, y + arm}, {middle + arm, y - arm}, to_u32(palette().muted));
    }
  }
}

void draw_value(const SliderView& slider, const Cell& cell, bool is_marked) {
  if (slider.current >= slider.values.size()) return;
  const SliderValue& value = slider.values[slider.current];
  if (is_marked) ImGui::PushFont(fonts().bold, 0);
  const ImVec2 size = ImGui::CalcTextSize(value.shown().c_str());
  const float left = std::max(cell.min.x + em() * 0.2F, (cell.min.x + cell.max.x - size.x) / 2);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.PushClipRect(cell.min, cell.max, true);
  draw.AddText({std::round(left), std::round(cell.min.y + em() * 0.08F)},
               to_u32(value.why_invalid.empty() ? palette().text : palette().error), value.shown().c_str());
  draw.PopClipRect();
  if (is_marked) ImGui::PopFont();
}

void explain(const SliderView& slider, std::size_t value) {
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(em() * 26);
  if (!slider.help.empty()) ImGui::TextUnformatted(slider.help.c_str());
  text_muted(slider.name + "=" + slider.values[value].value +
             (value == slider.default_value ? " (default)" : ""));
  const std::string& reason = slider.values[value].why_invalid;
  if (!reason.empty()) text_colored(palette().error, "Incompatible with current settings: " + reason);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void mark_places(const std::string& id, const SliderView& slider, const Cell& cell) {
  landmark(id);
  if (!landmarks_enabled()) return;
  for (std::size_t i = 0; i < cell.count; ++i)
    landmark(id + "." + slider.values[i].value, {cell.x(i), cell.min.y}, {cell.x(i + 1), cell.max.y});
}

}  // namespace

SliderAction value_cell(const std::string& id, const SliderView& slider, bool is_marked) {
  SliderAction action;
  if (slider.values.empty()) return action;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 size{std::max(em() * 3, ImGui::GetContentRegionAvail().x), std::round(em() * 1.6F)};
  const Cell cell{corner, {corner.x + size.x, corner.y + size.y}, slider.values.size()};
  ImGui::InvisibleButton(id.c_str(), size, ImGuiButtonFlags_EnableNav);
  mark_places(id, slider, cell);
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  const bool rests = ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip);
  action.released = ImGui::IsItemDeactivated();
  const bool held = active || (action.released && ImGui::IsMouseReleased(ImGuiMouseButton_Left));
  const std::size_t under_mouse = cell.place_at(ImGui::GetIO().MousePos.x);
  if (held && under_mouse != slider.current && is_open(slider, under_mouse)) action.moved_to = under_mouse;
  const auto open = [&](std::size_t value) { return is_open(slider, value); };
  const auto step = active ? std::nullopt : step_with_arrows({slider.values.size(), slider.current, open});
  if (step) {
    action.moved_to = step;
    action.released = true;
  }
  const bool is_lit = hovered || active || (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible);
  ImGui::GetWindowDrawList()->AddRectFilled(
      cell.min, cell.max, to_u32(is_lit ? palette().hovered : palette().raised), em() * 0.2F);
  draw_places(slider, cell);
  draw_value(slider, cell, is_marked);
  if (rests || (active && !is_open(slider, under_mouse))) explain(slider, under_mouse);
  return action;
}

}  // namespace tilescope
