#include "app/widgets/sweep_pills.hpp"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

const char* const sweep_label = "Sweep";

float pill_width(const std::string& text) {
  return std::round(ImGui::CalcTextSize(text.c_str()).x + em() * 1.1F);
}

float gap() {
  return em() * 0.35F;
}

std::string values_label(const SliderView& slider) {
  const auto chosen = std::count_if(slider.values.begin(), slider.values.end(),
                                    [](const SliderValue& value) { return value.in_sweep; });
  return std::to_string(chosen) + " of " + std::to_string(slider.values.size());
}

/// Returns true when clicked, or pressed with the keyboard.
bool pill(const char* id, const std::string& text, bool filled) {
  const Palette& colors = palette();
  const ImVec2 size{pill_width(text), sweep_pill_height()};
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::InvisibleButton(id, size, ImGuiButtonFlags_EnableNav);
  const bool lit = ImGui::IsItemHovered() || (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{corner.x + size.x, corner.y + size.y};
  const ImVec4 frame = filled || lit ? colors.accent : colors.outline;
  if (filled) draw.AddRectFilled(corner, end, to_u32(colors.accent), size.y / 2);
  draw.AddRect(corner, end, to_u32(frame), size.y / 2, std::max(1.0F, ui_scale()) * (lit ? 1.5F : 1));
  const ImVec2 letters = ImGui::CalcTextSize(text.c_str());
  draw.AddText(
      {std::round(corner.x + (size.x - letters.x) / 2), std::round(corner.y + (size.y - letters.y) / 2)},
      to_u32(filled ? colors.accent_text : colors.muted), text.c_str());
  return pressed;
}

/// Below the last item, or above it where there is no room: a combo's popup, which does not cover its own box.
void choose_values(const SliderView& slider, SweepAction& action) {
  const ImRect pill(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (!ImGui::BeginComboPopup(ImGui::GetID("choose values"), pill, ImGuiComboFlags_HeightLargest)) return;
  if (ImGui::Button("All")) action.all_values = true;
  landmark("vary." + slider.name + ".all");
  ImGui::SameLine();
  if (ImGui::Button("None")) action.no_value = true;
  landmark("vary." + slider.name + ".none");
  for (std::size_t i = 0; i < slider.values.size(); ++i) {
    const SliderValue& value = slider.values[i];
    bool chosen = value.in_sweep;
    if (ImGui::Checkbox(value.shown().c_str(), &chosen)) action.toggled_value = i;
    landmark("vary." + slider.name + "." + value.value);
    if (value.why_invalid.empty()) continue;
    help_tooltip("Incompatible with current settings: " + value.why_invalid);
    ImGui::SameLine();
    text_colored(palette().warning, "incompatible");
  }
  ImGui::EndCombo();
}

}  // namespace

float sweep_pill_height() {
  return std::round(ImGui::GetTextLineHeight() + em() * 0.35F);
}

float sweep_pills_width(const SliderView& slider) {
  const float sweep = pill_width(sweep_label);
  return slider.swept ? pill_width(values_label(slider)) + gap() + sweep : sweep;
}

SweepAction sweep_pills(const SliderView& slider) {
  SweepAction action;
  const float top = ImGui::GetCursorPosY();
  if (slider.swept) {
    if (pill("values", values_label(slider), false)) ImGui::OpenPopup("choose values");
    landmark("vary." + slider.name + ".values");
    help_tooltip("Values in the sweep: click to choose them.");
    choose_values(slider, action);
    ImGui::SameLine(0, gap());
    ImGui::SetCursorPosY(top);  // The line began lower, with the name.
  }
  action.toggled = pill("sweep", sweep_label, slider.swept);
  landmark("vary." + slider.name);
  help_tooltip(slider.swept
                   ? "Takes this parameter out of the sweep."
                   : "A sweep measures every combination of the values of the parameters chosen here.");
  return action;
}

}  // namespace tilescope
