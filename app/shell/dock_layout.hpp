#pragma once

#include <imgui.h>

#include <functional>
#include <string>

#include "app/shell/workspace_layout.hpp"

namespace tilescope {

/// Divides a dock space anew, which has `size`, and docks each panel's window (ImGui's name of it) where the layout has
/// it. In a resize the part with the largest share grows. To be called before the dock space is submitted.
void build_dock_layout(ImGuiID dockspace, const DockArea& layout, ImVec2 size,
                       const std::function<std::string(const std::string& panel)>& window_name);

}  // namespace tilescope
