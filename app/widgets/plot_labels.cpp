#include "app/widgets/plot_labels.hpp"

#include <algorithm>

#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

bool PlotLabels::add(std::span<const ImVec2> places, const std::string& text, const ImVec4& color) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const float margin = em() * 0.25F;
  for (const ImVec2& at : places) {
    const Rectangle place{{at.x - margin, at.y}, {at.x + size.x + margin, at.y + size.y}};
    if (overlaps(place)) continue;
    taken_.push_back(place);
    const float inset = em() * 0.15F;
    draw_.AddRectFilled({place.min.x, at.y + inset}, {place.max.x, place.max.y - inset},
                        to_u32(wash(palette().plot, 0.8F)));
    draw_.AddText(at, to_u32(color), text.c_str());
    return true;
  }
  return false;
}

bool PlotLabels::overlaps(const Rectangle& place) const {
  return std::any_of(taken_.begin(), taken_.end(), [&](const Rectangle& other) {
    return place.min.x < other.max.x && place.max.x > other.min.x && place.min.y < other.max.y &&
           place.max.y > other.min.y;
  });
}

}  // namespace tilescope
