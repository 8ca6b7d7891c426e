#pragma once

#include <imgui.h>

#include "app/explorer/compare/comparison_pair.hpp"

namespace tilescope {

/// The color of a side in all panels of a comparison: A is the ground that B is held against.
ImVec4 color_of(Side side);

/// "A" or "B" in a box of its color, as high as a line of text.
void draw_side_badge(Side side);
/// At the right end of a column, above its numbers.
void draw_side_badge_at_right(Side side);

}  // namespace tilescope
