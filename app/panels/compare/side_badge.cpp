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

void draw_side_badge(Side side) {
  const std::string letter = to_string(side);
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 size{std::round(line * 1.1F), line};
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
