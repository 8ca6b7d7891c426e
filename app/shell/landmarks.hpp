#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

namespace tilescope {

/// Where a named widget lies, for tests that move a real mouse and for nobody else: a no-op until the window
/// is started with --landmarks. Call it right after the widget: the rectangle is that of ImGui's last item,
/// cut by its window. Names: "slider.BLOCK_M", "picker.kernel", "button.sweep", "row.3", "tab.heat_map".
void landmark(std::string_view name);
/// For what is no single item: a plot's area, a table's row. In ImGui's screen coordinates.
void landmark(std::string_view name, ImVec2 min, ImVec2 max);

/// The rectangles of the frame as a JSON object {name: [x0, y0, x1, y1]}, in pixels from the window's upper
/// left.
void enable_landmarks();
bool landmarks_enabled();
/// Forgets the last frame's: what is not drawn any more cannot be clicked.
void begin_landmarks();
std::string landmarks_json();

}  // namespace tilescope
