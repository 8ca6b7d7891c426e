#include "app/widgets/parameter_slider.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/landmarks.hpp"
#include "app/widgets/arrow_keys.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/segmented_choice.hpp"
#include "app/widgets/sweep_pills.hpp"
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
    left = std::max(left, ImGui::CalcTextSize(slider.values.front().shown().c_str()).x / 2);
    right = std::max(right, ImGui::CalcTextSize(slider.values.back().shown().c_str()).x / 2);
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

void draw_track(const SliderView& slider, const Geometry& at) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Palette& colors = palette();
  const float thickness = std::max(2.0F, em() * 0.17F);
  const float last = at.x(slider.values.size() - 1);
  draw.AddLine({at.first, at.track_y}, {last, at.track_y}, to_u32(faint_color()), thickness);
  if (slider.current < slider.values.size()) {
    draw.AddLine({at.first, at.track_y}, {at.x(slider.current), at.track_y},
                 to_u32(wash(colors.accent, faint_opacity)), thickness);
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
    const ImU32 color = to_u32(colors.muted);
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
  const bool valid = slider.values[slider.current].why_invalid.empty();
  const ImVec4 color = valid ? colors.accent : colors.error;
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
    return ImGui::CalcTextSize(slider.values[value].shown().c_str()).x / 2;
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
    const bool valid = slider.values[value].why_invalid.empty();
    const ImVec4 color = !chosen ? colors.muted : valid ? colors.text : colors.error;
    const std::string& label = slider.values[value].shown();
    draw.AddText({std::round(at.x(value) - half(value)), at.label_y}, to_u32(color), label.c_str());
    if (valid) continue;
    const float middle = std::round(at.label_y + ImGui::GetTextLineHeight() * 0.55F);
    draw.AddLine({at.x(value) - half(value), middle}, {at.x(value) + half(value), middle}, to_u32(color),
                 std::max(1.0F, ui_scale()));
  }
}

/// "128", "128 (default)"; of a segment, which shows its value, "" or "default", of a switch "1 (default)".
std::string value_words(const SliderView& slider, std::size_t value) {
  const bool is_shown = slider.segmented && slider.values[value].label.empty();
  std::string words = is_shown ? "" : slider.values[value].value;
  if (value != slider.default_value) return words;
  return is_shown ? "default" : words + " (default)";
}

/// The parameter's help, the value under the mouse, and why it cannot be chosen; without the help while the user drags.
void value_tooltip(const SliderView& slider, std::size_t value, bool with_help) {
  const std::string& reason = slider.values[value].why_invalid;
  if (!with_help && reason.empty()) return;
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(em() * 26);
  if (with_help && !slider.help.empty()) ImGui::TextUnformatted(slider.help.c_str());
  const std::string words = value_words(slider, value);
  if (!words.empty()) {
    const MonoText mono;
    text_muted(words);
  }
  if (!reason.empty()) text_colored(palette().error, "Incompatible with current settings: " + reason);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

SweepAction draw_header(const SliderView& slider) {
  const float top = ImGui::GetCursorPosY();
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  ImGui::SetCursorPosY(top + (sweep_pill_height() - ImGui::GetTextLineHeight()) / 2);
  {
    const MonoText mono;
    text_colored(palette().text, slider.name);
  }
  help_tooltip(slider.help);
  ImGui::SameLine(right - sweep_pills_width(slider));
  ImGui::SetCursorPosY(top);
  return sweep_pills(slider);
}

SliderAction draw_segments(const SliderView& slider) {
  SegmentedChoice choice{"segments", {}, slider.current, slider.all_allowed};
  for (const SliderValue& value : slider.values)
    choice.segments.push_back(
        {value.shown(), "slider." + slider.name + "." + value.value, value.why_invalid});
  const SegmentedAction action = segmented_choice(choice);
  landmark("slider." + slider.name);
  if (action.hovered && ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip))
    value_tooltip(slider, *action.hovered, true);
  return {action.chosen, action.chosen.has_value(), {}};
}

void mark_values(const SliderView& slider, const Geometry& at) {
  if (!landmarks_enabled()) return;
  const float half = em() * 0.3F;
  for (std::size_t value = 0; value < slider.values.size(); ++value) {
    landmark("slider." + slider.name + "." + slider.values[value].value,
             {at.x(value) - half, at.track_y - half}, {at.x(value) + half, at.track_y + half});
  }
}

SliderAction draw_slider(const SliderView& slider) {
  SliderAction action;
  const Geometry at = layout(slider);
  ImGui::InvisibleButton("track", {at.width, at.height}, ImGuiButtonFlags_EnableNav);
  landmark("slider." + slider.name);
  const bool hovered = ImGui::IsItemHovered();
  const bool rests = ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip);
  const bool active = ImGui::IsItemActive();
  const bool focused = ImGui::IsItemFocused() && ImGui::GetIO().NavVisible;
  const std::size_t under_mouse = nearest_value(slider, at, ImGui::GetIO().MousePos.x);
  action.released = ImGui::IsItemDeactivated();
  // The last move of a quick drag and the release of the button may come in one frame.
  const bool held = active || (action.released && ImGui::IsMouseReleased(ImGuiMouseButton_Left));
  if (held && under_mouse != slider.current && is_open(slider, under_mouse)) action.moved_to = under_mouse;
  const auto open = [&](std::size_t value) { return is_open(slider, value); };
  const auto step = active ? std::nullopt : step_with_arrows({slider.values.size(), slider.current, open});
  if (step) {
    action.moved_to = step;
    action.released = true;
  }
  if (active || rests) value_tooltip(slider, under_mouse, !active);

  draw_track(slider, at);
  for (std::size_t value = 0; value < slider.values.size(); ++value) draw_tick(slider, at, value);
  draw_knob(slider, at, hovered || active || focused);
  draw_labels(slider, at);
  mark_values(slider, at);
  return action;
}

}  // namespace

SliderAction value_slider(const SliderView& slider) {
  if (slider.values.empty()) return {};
  ImGui::PushID(slider.name.c_str());
  SliderAction action = draw_slider(slider);
  ImGui::PopID();
  return action;
}

SliderAction parameter_slider(const SliderView& slider) {
  if (slider.values.empty()) return {};
  ImGui::PushID(slider.name.c_str());
  const SweepAction sweep = draw_header(slider);
  const float closer = ImGui::GetStyle().ItemSpacing.y * (slider.segmented ? 0.35F : 1.0F);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - closer);
  SliderAction action = slider.segmented ? draw_segments(slider) : draw_slider(slider);
  action.sweep = sweep;
  ImGui::PopID();
  return action;
}

}  // namespace tilescope
