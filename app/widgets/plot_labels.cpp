#include "app/widgets/plot_labels.hpp"

#include <algorithm>

#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

/// Cuts a segment to where one of its coordinates lies within [low, high]; an empty one has first > last. `start` and
/// `change` are of that coordinate.
void cut(float start, float change, float low, float high, float& first, float& last) {
  if (change == 0) {
    if (start <= low || start >= high) first = 2;
    return;
  }
  const float a = (low - start) / change;
  const float b = (high - start) / change;
  first = std::max(first, std::min(a, b));
  last = std::min(last, std::max(a, b));
}

}  // namespace

bool PlotLabels::add(std::span<const ImVec2> places, const std::string& text, const ImVec4& color) {
  return add(places, text, color, false);
}

bool PlotLabels::add_clear(std::span<const ImVec2> places, const std::string& text, const ImVec4& color) {
  return add(places, text, color, true);
}

bool PlotLabels::add(std::span<const ImVec2> places, const std::string& text, const ImVec4& color,
                     bool clear) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const float margin = em() * 0.25F;
  for (const ImVec2& at : places) {
    const Rectangle place{{at.x - margin, at.y}, {at.x + size.x + margin, at.y + size.y}};
    if (overlaps(place) || (clear && is_crossed(place))) continue;
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

bool PlotLabels::is_crossed(const Rectangle& place) const {
  return std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) {
    float first = 0;
    float last = 1;
    cut(line.from.x, line.to.x - line.from.x, place.min.x, place.max.x, first, last);
    cut(line.from.y, line.to.y - line.from.y, place.min.y, place.max.y, first, last);
    return first < last;
  });
}

}  // namespace tilescope
