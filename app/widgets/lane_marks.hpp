#pragma once

#include <imgui.h>

#include <string>

#include "profiler/views/microscope.hpp"

namespace tilescope {

/// How a lane, or a word that lanes use, is drawn: filled where lanes collide, hatched where they share, plain where a
/// word is a lane's own, dashed where a lane is idle; a letter says the same.
struct LaneMark {
  LaneRole role = LaneRole::idle;
  std::string label;
  /// Under the mouse, here or in another panel.
  bool highlighted = false;
  /// Of another pass than the one that is drawn.
  bool is_faint = false;
};
void draw_lane_mark(ImDrawList& draw, ImVec2 min, ImVec2 max, const LaneMark& mark);

/// Of lines and of marks.
ImVec4 color_of(LaneRole role);

/// Text in a rectangle, in its middle, smaller where it is low. Nothing where it does not fit: a number that is cut
/// would read as another one. Returns whether it fits.
bool fitted_text(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color, const std::string& text);

/// The roles that lanes have, with their marks and what they mean, in one line that wraps. It begins beside the last item
/// or on a line of its own.
void draw_role_legend(const MicroscopeView& view, bool beside_last);

}  // namespace tilescope
