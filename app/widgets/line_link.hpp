#pragma once

#include <imgui.h>

#include <string>

namespace tilescope {

/// Tooltip of a link to a line of the kernel's file.
inline constexpr const char* line_link_hint = "Show in Microscope and Source";

/// A text that names a line of the kernel's file: underlined, with a hand, while the mouse or the keyboard is on it. It
/// wraps at `wrap_width` [px], 0 for the right edge of the panel. Returns whether it was clicked.
bool line_link(const std::string& id, const std::string& text, const ImVec4& color, float wrap_width = 0);

/// A link in one line of what is left of the line or column, ending in an ellipsis where it is cut: a tooltip then has
/// all of it.
bool line_link_in_one_line(const std::string& id, const std::string& text, const ImVec4& color);

}  // namespace tilescope
