#pragma once

#include <imgui.h>

#include <functional>
#include <string>

#include "app/window/workspace_layout.hpp"

struct ImGuiDockNode;

namespace tilescope {

/// Divides a dock space anew, which has `size`, and docks each panel's window (ImGui's name of it) where the layout has
/// it. To be called before the dock space is submitted.
void build_dock_layout(ImGuiID dockspace, const DockArea& layout, ImVec2 size,
                       const std::function<std::string(const std::string& panel)>& window_name);

/// The dock of a window, open or closed; nullptr where it is in none of this dock space.
const ImGuiDockNode* find_dock(ImGuiID dockspace, const std::string& window_name);

}  // namespace tilescope
