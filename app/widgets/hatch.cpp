#include "app/widgets/hatch.hpp"

#include <algorithm>

#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

void hatch(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color) {
  draw.PushClipRect(min, max, true);
  const float step = em() * 0.55F;
  const float height = max.y - min.y;
  for (float x = min.x - height; x < max.x; x += step) {
    draw.AddLine({x, max.y}, {x + height, min.y}, to_u32(color), std::max(1.0F, ui_scale()));
  }
  draw.PopClipRect();
}

}  // namespace tilescope
