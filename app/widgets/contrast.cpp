#include "app/widgets/contrast.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope {

double linear_of(double channel) {
  return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double relative_luminance(const ImVec4& color) {
  return 0.2126 * linear_of(color.x) + 0.7152 * linear_of(color.y) + 0.0722 * linear_of(color.z);
}

double contrast_ratio(const ImVec4& a, const ImVec4& b) {
  const auto [darker, lighter] = std::minmax({relative_luminance(a), relative_luminance(b)});
  return (lighter + 0.05) / (darker + 0.05);
}

ImVec4 blend(const ImVec4& over, const ImVec4& under) {
  const auto mix = [&](float above, float below) { return below + (above - below) * over.w; };
  return {mix(over.x, under.x), mix(over.y, under.y), mix(over.z, under.z), 1};
}

ImVec4 black_or_white_on(const ImVec4& background) {
  const ImVec4 black(0, 0, 0, 1);
  const ImVec4 white(1, 1, 1, 1);
  return contrast_ratio(black, background) >= contrast_ratio(white, background) ? black : white;
}

}  // namespace tilescope
