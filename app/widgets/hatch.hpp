#pragma once

#include <imgui.h>

namespace tilescope {

/// Diagonal lines over a rectangle: for what cannot be used.
void hatch(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color);

}  // namespace tilescope
