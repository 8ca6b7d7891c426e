#include "app/widgets/step_button.hpp"

#include <imgui.h>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

void triangle(ImDrawList& draw, ImVec2 middle, float radius, bool to_right, ImU32 color) {
  const float tip = to_right ? radius : -radius;
  draw.AddTriangleFilled({middle.x - tip, middle.y - radius}, {middle.x + tip, middle.y},
                         {middle.x - tip, middle.y + radius}, color);
}

/// A step has no filled triangle: that plays.
void chevron(ImDrawList& draw, ImVec2 middle, float radius, bool to_right, ImU32 color) {
  const float tip = to_right ? radius * 0.5F : -radius * 0.5F;
  const ImVec2 points[] = {
      {middle.x - tip, middle.y - radius}, {middle.x + tip, middle.y}, {middle.x - tip, middle.y + radius}};
  draw.AddPolyline(points, 3, color, 2 * ui_scale());
}

void bar(ImDrawList& draw, ImVec2 middle, float radius, ImU32 color) {
  const float half = radius * 0.22F;
  draw.AddRectFilled({middle.x - half, middle.y - radius}, {middle.x + half, middle.y + radius}, color);
}

void draw_icon(StepIcon icon, ImVec2 middle, ImU32 color) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float radius = em() * 0.28F, side = em() * 0.3F;
  const bool to_right = icon == StepIcon::play || icon == StepIcon::next || icon == StepIcon::last;
  switch (icon) {
    case StepIcon::first:
    case StepIcon::last:
      triangle(draw, middle, radius, to_right, color);
      bar(draw, {middle.x + (to_right ? side : -side), middle.y}, radius, color);
      return;
    case StepIcon::pause:
      bar(draw, {middle.x - side * 0.6F, middle.y}, radius, color);
      bar(draw, {middle.x + side * 0.6F, middle.y}, radius, color);
      return;
    case StepIcon::play:
      triangle(draw, middle, radius * 1.25F, true, color);
      return;
    case StepIcon::previous:
    case StepIcon::next:
      chevron(draw, middle, radius, to_right, color);
  }
}

}  // namespace

bool step_button(const std::string& id, StepIcon icon, const std::string& help, bool enabled) {
  const float side = ImGui::GetFrameHeight();
  ImGui::BeginDisabled(!enabled);
  const bool pressed = ImGui::Button(("##" + id).c_str(), {side, side});
  ImGui::EndDisabled();
  landmark(id);
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  draw_icon(icon, {(min.x + max.x) / 2, (min.y + max.y) / 2},
            to_u32(enabled ? palette().text : wash(palette().muted, 0.5F)));
  help_tooltip_above(help);
  return pressed;
}

}  // namespace tilescope
