#pragma once

#include <imgui.h>

#include <string>

#include "profiler/views/memory/microscope.hpp"

namespace tilescope {

/// How a lane, or a word that lanes use, is drawn: filled where lanes collide, hatched where they share, plain where a
/// word is a lane's own, dashed where a lane is idle; a letter says the same.
struct LaneMark {
  LaneRole role = LaneRole::idle;
  std::string label;
  /// Under the mouse, here or in another panel.
  bool highlighted = false;
  /// Belongs to another pass than the one that is drawn.
  bool is_faint = false;
};
void draw_lane_mark(ImDrawList& draw, ImVec2 min, ImVec2 max, const LaneMark& mark);

/// Color of lines and of marks.
ImVec4 color_of(LaneRole role);

/// Text in a rectangle, in its middle, smaller where it is low. Nothing where it does not fit: a number that is cut
/// would read as another one. Returns whether it fits.
bool fitted_text(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color, const std::string& text);

struct RoleLegend {
  /// Begins beside the last item, else on a line of its own.
  bool beside_last = false;
  /// One pass is drawn: the lanes of the others are faint.
  bool is_one_pass = false;
};
/// The roles that lanes have, with their marks and what they mean, in one line that wraps.
void draw_role_legend(const MicroscopeView& view, RoleLegend legend);

}  // namespace tilescope
