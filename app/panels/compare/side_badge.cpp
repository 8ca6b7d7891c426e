#include "app/panels/compare/side_badge.hpp"

#include <algorithm>
#include <cmath>

#include "app/widgets/colors.hpp"
#include "app/widgets/contrast.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

ImVec4 color_of(Side side) {
  return side == Side::a ? palette().text : palette().accent;
}

namespace {

ImVec2 badge_size() {
  const float line = ImGui::GetTextLineHeight();
  return {std::round(line * 1.1F), line};
}

}  // namespace

void draw_side_badge_at_right(Side side) {
  const float slack = ImGui::GetContentRegionAvail().x - badge_size().x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, slack));
  draw_side_badge(side);
}

void draw_side_badge(Side side) {
  const std::string letter = to_string(side);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 size = badge_size();
  ImGui::PushFont(fonts().bold, 0);
  const ImVec2 text = ImGui::CalcTextSize(letter.c_str());
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(corner, {corner.x + size.x, corner.y + size.y}, to_u32(color_of(side)), em() * 0.2F);
  draw.AddText({std::round(corner.x + (size.x - text.x) / 2), corner.y},
               to_u32(black_or_white_on(color_of(side))), letter.c_str());
  ImGui::PopFont();
  ImGui::Dummy(size);
}

}  // namespace tilescope
