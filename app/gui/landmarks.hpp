#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

namespace tilescope {

/// Records the place of a named widget, only for tests that move a real mouse: a no-op unless the window is
/// started with --landmarks. Call it right after the widget: the rectangle is ImGui's last item, clipped by
/// its window. Names: "slider.BLOCK_M", "picker.kernel", "button.sweep", "row.3", "tab.heat_map".
void landmark(std::string_view name);
/// For places that are not a single item: a plot's area, a table's row. In ImGui's screen coordinates.
void landmark(std::string_view name, ImVec2 min, ImVec2 max);

/// The rectangles of the frame as a JSON object {name: [x0, y0, x1, y1]}, in pixels from the window's upper
/// left.
void enable_landmarks();
bool landmarks_enabled();
/// Removes the places of the last frame.
void begin_landmarks();
std::string landmarks_json();

}  // namespace tilescope
