#pragma once

#include <imgui.h>

#include "app/explorer/compare/comparison_pair.hpp"

namespace tilescope {

/// The color of a side in all panels of a comparison: A is the ground that B is held against.
ImVec4 color_of(Side side);

/// "A" or "B" in a box of its color, as high as a line of text.
void draw_side_badge(Side side);

}  // namespace tilescope
