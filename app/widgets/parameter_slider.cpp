#include "app/widgets/parameter_slider.hpp"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/shell/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

/// The places of a slider's parts on the screen.
struct Geometry {
  ImVec2 corner;
  float width = 0;
  float track_y = 0;
  float label_y = 0;
  float height = 0;
  /// x of the first value
  float first = 0;
  /// between two values
  float step = 0;

  float x(std::size_t value) const { return first + step * static_cast<float>(value); }
};

Geometry layout(const SliderView& slider) {
  Geometry at;
  at.corner = ImGui::GetCursorScreenPos();
  at.width = std::max(ImGui::GetContentRegionAvail().x, em() * 6);
  const float radius = em() * 0.45F;
  at.track_y = at.corner.y + radius + em() * 0.2F;
  at.label_y = at.track_y + radius + em() * 0.15F;
  at.height = at.label_y + em() * 1.05F - at.corner.y;
  // The outermost labels are centred under their ticks and must not be clipped at the panel's edge.
  float left = radius * 1.4F;
  float right = radius * 1.4F;
  if (!slider.values.empty()) {
    const MonoText mono;
    left = std::max(left, ImGui::CalcTextSize(slider.values.front().label.c_str()).x / 2);
    right = std::max(right, ImGui::CalcTextSize(slider.values.back().label.c_str()).x / 2);
  }
  const auto gaps = static_cast<float>(std::max<std::size_t>(slider.values.size(), 2) - 1);
  at.first = at.corner.x + left;
  at.step = std::max(0.0F, at.width - left - right) / gaps;
  return at;
}

bool is_open(const SliderView& slider, std::size_t value) {
  return slider.all_allowed || slider.values[value].why_invalid.empty();
}

std::size_t nearest_value(const SliderView& slider, const Geometry& at, float x) {
  const float place = at.step > 0 ? std::round((x - at.first) / at.step) : 0;
  const auto last = static_cast<float>(slider.values.size() - 1);
  return static_cast<std::size_t>(std::clamp(place, 0.0F, last));
}

/// The next valid value in a direction, or the current one.
std::size_t next_open(const SliderView& slider, int direction) {
  const auto count = static_cast<int>(slider.values.size());
  for (int value = static_cast<int>(slider.current) + direction; value >= 0 && value < count;
       value += direction) {
    if (is_open(slider, static_cast<std::size_t>(value))) return static_cast<std::size_t>(value);
  }
  return slider.current;
}

void read_keys(const SliderView& slider, SliderAction& action) {
  if (!ImGui::IsItemFocused()) return;
  // Without key ownership the arrows would also move the focus to the neighbouring item.
  const ImGuiID id = ImGui::GetItemID();
  for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow}) {
    ImGui::SetKeyOwner(key, id);
    if (!ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, id)) continue;
    const std::size_t value = next_open(slider, key == ImGuiKey_LeftArrow ? -1 : 1);
    if (value == slider.current) continue;
    action.moved_to = value;
    action.released = true;
  }
}

void draw_track(const SliderView& slider, const Geometry& at) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Palette& colors = palette();
  const float thickness = std::max(2.0F, em() * 0.17F);
  const float last = at.x(slider.values.size() - 1);
  draw.AddLine({at.first, at.track_y}, {last, at.track_y}, to_u32(faint_color()), thickness);
  if (slider.current < slider.values.size()) {
    draw.AddLine({at.first, at.track_y}, {at.x(slider.current), at.track_y},
                 to_u32(wash(colors.accent, 0.55F)), thickness);
  }
}

void draw_tick(const SliderView& slider, const Geometry& at, std::size_t value) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Palette& colors = palette();
  const ImVec2 centre{at.x(value), at.track_y};
  const float radius = em() * 0.2F;
  draw.AddCircleFilled(centre, radius * 1.6F, to_u32(colors.surface));
  if (!slider.values[value].why_invalid.empty()) {
    const float arm = radius * 0.85F;
    const ImU32 color = to_u32(wash(colors.muted, 0.75F));
    const float weight = std::max(1.0F, em() * 0.09F);
    draw.AddLine({centre.x - arm, centre.y - arm}, {centre.x + arm, centre.y + arm}, color, weight);
    draw.AddLine({centre.x - arm, centre.y + arm}, {centre.x + arm, centre.y - arm}, color, weight);
    return;
  }
  draw.AddCircleFilled(centre, radius, to_u32(value < slider.current ? colors.accent : colors.muted));
}

void draw_knob(const SliderView& slider, const Geometry& at, bool lit) {
  if (slider.current >= slider.values.size()) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Palette& colors = palette();
  const bool legal = slider.values[slider.current].why_invalid.empty();
  const ImVec4 color = legal ? colors.accent : colors.error;
  const ImVec2 centre{at.x(slider.current), at.track_y};
  const float radius = em() * 0.45F;
  if (lit) draw.AddCircleFilled(centre, radius * 1.5F, to_u32(wash(color, 0.22F)));
  draw.AddCircleFilled(centre, radius, to_u32(color));
  draw.AddCircleFilled(centre, radius * 0.42F, to_u32(colors.surface));
}

/// Labels that would overlap their left neighbour are left out; the chosen one is always shown.
void draw_labels(const SliderView& slider, const Geometry& at) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Palette& colors = palette();
  const MonoText mono;
  const float gap = em() * 0.35F;
  const auto half = [&](std::size_t value) {
    return ImGui::CalcTextSize(slider.values[value].label.c_str()).x / 2;
  };
  const auto clashes = [&](std::size_t a, std::size_t b) {
    return std::abs(at.x(a) - at.x(b)) < half(a) + half(b) + gap;
  };
  std::size_t previous = slider.values.size();
  for (std::size_t value = 0; value < slider.values.size(); ++value) {
    const bool chosen = value == slider.current;
    const bool hidden =
        !chosen && ((previous < slider.values.size() && clashes(previous, value)) ||
                    (slider.current < slider.values.size() && clashes(slider.current, value)));
    if (hidden) continue;
    previous = value;
    const bool legal = slider.values[value].why_invalid.empty();
    const ImVec4 color = chosen ? (legal ? colors.text : colors.error) : wash(colors.muted, legal ? 1 : 0.5F);
    const std::string& label = slider.values[value].label;
    draw.AddText({std::round(at.x(value) - half(value)), at.label_y}, to_u32(color), label.c_str());
  }
}

void value_tooltip(const SliderView& slider, std::size_t value) {
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(em() * 26);
  std::string heading = slider.name + " = " + slider.values[value].label;
  if (value == slider.default_value) heading += "  (default)";
  {
    const MonoText mono;
    ImGui::TextUnformatted(heading.c_str());
  }
  const std::string& reason = slider.values[value].why_invalid;
  if (!reason.empty()) text_colored(palette().error, "Not valid with the current settings: " + reason);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

/// A pill that adds the parameter to the sweep. Returns true when clicked.
bool vary_pill(const SliderView& slider) {
  const Palette& colors = palette();
  const char* const text = "vary";
  const ImVec2 size{ImGui::CalcTextSize(text).x + em() * 0.9F, ImGui::GetTextLineHeight()};
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton("vary", size);
  landmark("vary." + slider.name);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{corner.x + size.x, corner.y + size.y};
  const ImVec4 frame = slider.varied ? colors.accent : ImGui::IsItemHovered() ? colors.muted : faint_color();
  if (slider.varied) draw.AddRectFilled(corner, end, to_u32(colors.accent), size.y / 2);
  draw.AddRect(corner, end, to_u32(frame), size.y / 2);
  draw.AddText({corner.x + em() * 0.45F, corner.y}, to_u32(slider.varied ? colors.accent_text : colors.muted),
               text);
  help_tooltip("Vary this parameter in the sweep, over all of its values.");
  return clicked;
}

bool draw_header(const SliderView& slider) {
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  {
    const MonoText mono;
    text_colored(palette().text, slider.name);
  }
  help_tooltip(slider.help);
  const float pill = ImGui::CalcTextSize("vary").x + em() * 0.9F;
  ImGui::SameLine(right - pill);
  return vary_pill(slider);
}

void mark_values(const SliderView& slider, const Geometry& at) {
  if (!landmarks_enabled()) return;
  const float half = em() * 0.3F;
  for (std::size_t value = 0; value < slider.values.size(); ++value) {
    landmark("slider." + slider.name + "." + slider.values[value].label,
             {at.x(value) - half, at.track_y - half}, {at.x(value) + half, at.track_y + half});
  }
}

}  // namespace

SliderAction parameter_slider(const SliderView& slider) {
  SliderAction action;
  if (slider.values.empty()) return action;
  ImGui::PushID(slider.name.c_str());
  action.toggled_varied = draw_header(slider);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y * 0.7F);

  const Geometry at = layout(slider);
  ImGui::InvisibleButton("track", {at.width, at.height}, ImGuiButtonFlags_EnableNav);
  landmark("slider." + slider.name);
  const bool hovered = ImGui::IsItemHovered();
  const bool active = ImGui::IsItemActive();
  const bool focused = ImGui::IsItemFocused() && ImGui::GetIO().NavVisible;
  const std::size_t under_mouse = nearest_value(slider, at, ImGui::GetIO().MousePos.x);
  action.released = ImGui::IsItemDeactivated();
  // The last move of a quick drag and the release of the button may come in one frame.
  const bool held = active || (action.released && ImGui::IsMouseReleased(ImGuiMouseButton_Left));
  if (held && under_mouse != slider.current && is_open(slider, under_mouse)) action.moved_to = under_mouse;
  if (!active) read_keys(slider, action);
  if (hovered || active) value_tooltip(slider, under_mouse);

  draw_track(slider, at);
  for (std::size_t value = 0; value < slider.values.size(); ++value) draw_tick(slider, at, value);
  draw_knob(slider, at, hovered || active || focused);
  draw_labels(slider, at);

  mark_values(slider, at);
  ImGui::PopID();
  return action;
}

}  // namespace tilescope
