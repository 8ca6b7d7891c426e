#include "app/panels/points/table_header.hpp"

#include <imgui_internal.h>

#include <algorithm>

#include "app/panels/points/kernel_points.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

float header_arrow_width() {
  return em() * 0.9F;
}

void draw_header_label(const HeaderLabel& label, ImVec2 corner, float room) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 size = ImGui::CalcTextSize(label.text.c_str());
  if (label.is_sorted) room -= header_arrow_width();
  const float slack = label.is_number ? std::max(0.0F, room - size.x) : 0;
  draw.PushClipRect(corner, {corner.x + room, corner.y + size.y}, true);
  draw.AddText({corner.x + slack, corner.y}, to_u32(palette().text), label.text.c_str());
  draw.PopClipRect();
  if (!label.is_sorted) return;
  const ImGuiDir direction = label.descending ? ImGuiDir_Down : ImGuiDir_Up;
  ImGui::RenderArrow(&draw, {corner.x + room + em() * 0.15F, corner.y + em() * 0.1F},
                     to_u32(palette().accent), direction, 0.7F);
}

bool header_clicked() {
  if (ImGui::IsItemHovered() && ImGui::IsItemDeactivated() && clicked_in_place()) return true;
  return ImGui::IsItemFocused() && ImGui::GetIO().NavVisible &&
         (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_Space, false));
}

void draw_row_bar(ImVec2 corner) {
  const float padding = ImGui::GetStyle().CellPadding.y;
  ImGui::GetWindowDrawList()->AddRectFilled(
      {corner.x - em() * 0.45F, corner.y - padding},
      {corner.x - em() * 0.25F, corner.y + ImGui::GetTextLineHeight() + padding}, to_u32(palette().accent));
}

}  // namespace tilescope
