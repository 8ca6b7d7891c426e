#include "app/widgets/hatch.hpp"

#include <algorithm>

#include "app/widgets/colors.hpp"

namespace tilescope {

void hatch(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color, float step) {
  draw.PushClipRect(min, max, true);
  const float height = max.y - min.y;
  const ImU32 line = to_u32(color);
  for (float x = min.x - height; x < max.x; x += step)
    draw.AddLine({x, max.y}, {x + height, min.y}, line, std::max(1.0F, ui_scale()));
  draw.PopClipRect();
}

}  // namespace tilescope
