#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "sessions/views/points/point_text.hpp"

namespace tilescope {

/// Text until the end of the scope is monospaced, so that digits align.
class MonoText {
 public:
  MonoText();
  ~MonoText();
  MonoText(const MonoText&) = delete;
  MonoText& operator=(const MonoText&) = delete;
};

/// The height of a line of body text, the unit of every length here: all sizes scale with the display.
float em();

void text_colored(ImVec4 color, const std::string& text);
void text_muted(const std::string& text);
/// Wraps at the right edge of the panel.
void text_wrapped(ImVec4 color, const std::string& text);

/// As much of it as fits into the width that is left, ending in an ellipsis where it is cut. Returns whether it fits.
bool text_in_one_line(ImVec4 color, const std::string& text);

/// As much of its beginning and of its end as fits, with an ellipsis between them where it is cut: names differ at their
/// end. Returns whether it fits.
bool text_cut_in_the_middle(ImVec4 color, const std::string& text);

/// The button that follows goes beside the last item where there is room for it.
void same_line_if_fits(const std::string& button);
/// Stays on the line if an item of this width fits. [px]
void same_line_if_fits(float width);

/// A heading with the origin of its figures on the right.
void section_heading(const std::string& title, const std::string& origin);

/// A tooltip for the last item while the mouse rests on it; nothing for an empty text.
void help_tooltip(const std::string& text);
/// Shows the tooltip above the item, for one whose effect is seen below it.
void help_tooltip_above(const std::string& text);

/// A table of labels and values with a heading, for tooltips over plots. Call between BeginTooltip and
/// EndTooltip.
void tooltip_body(const std::string& heading, const std::vector<TextPair>& lines, const std::string& hint);

/// Shown instead of an empty plot: what is missing, why, and what to do. Returns true when its button (none for an
/// empty label) is pressed.
bool empty_state(const std::string& title, const std::string& text, const std::string& button = {});

}  // namespace tilescope
