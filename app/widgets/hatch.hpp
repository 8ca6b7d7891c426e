#pragma once

#include <imgui.h>

namespace tilescope {

/// Slanted lines over a rectangle: a fill that differs from others without color. `step` [px] lies between two lines.
void hatch(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color, float step);

}  // namespace tilescope
