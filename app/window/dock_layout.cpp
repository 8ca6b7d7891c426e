#include "app/window/dock_layout.hpp"

#include <imgui_internal.h>

#include <algorithm>

namespace tilescope {

namespace {

using WindowName = std::function<std::string(const std::string& panel)>;

void build(ImGuiID node, const DockArea& area, const WindowName& window_name);

void dock_tabs(ImGuiID node, const std::vector<std::string>& panels, const WindowName& window_name) {
  short order = 0;
  for (const std::string& panel : panels) {
    const std::string name = window_name(panel);
    const ImGuiID id = ImHashStr(name.c_str());
    ImGui::DockBuilderDockWindow(name.c_str(), node);
    if (ImGuiWindow* window = ImGui::FindWindowByID(id)) {
      window->DockOrder = order;
    } else if (ImGuiWindowSettings* settings = ImGui::FindWindowSettingsByID(id)) {
      settings->DockOrder = order;
    }
    // ImGui would show the window that came last.
    if (order++ == 0) ImGui::DockBuilderGetNode(node)->SelectedTabId = ImHashStr("#TAB", 0, id);
  }
}

/// Splits the parts off from both ends, so that what is left, which ImGui lets grow, is the largest.
void build_parts(ImGuiID node, const DockArea& area, const WindowName& window_name) {
  const bool columns = area.split == DockArea::Split::columns;
  const auto largest =
      std::max_element(area.parts.begin(), area.parts.end(),
                       [](const DockArea& a, const DockArea& b) { return a.share < b.share; });
  double rest = 0;
  for (const DockArea& part : area.parts) rest += part.share;
  const auto split_off = [&](const DockArea& part, ImGuiDir side) {
    const ImGuiID split =
        ImGui::DockBuilderSplitNode(node, side, static_cast<float>(part.share / rest), nullptr, &node);
    rest -= part.share;
    build(split, part, window_name);
  };
  for (auto part = area.parts.begin(); part != largest; ++part)
    split_off(*part, columns ? ImGuiDir_Left : ImGuiDir_Up);
  for (auto part = area.parts.end() - 1; part != largest; --part)
    split_off(*part, columns ? ImGuiDir_Right : ImGuiDir_Down);
  build(node, *largest, window_name);
}

void build(ImGuiID node, const DockArea& area, const WindowName& window_name) {
  if (area.split == DockArea::Split::none) {
    dock_tabs(node, area.panels, window_name);
  } else {
    build_parts(node, area, window_name);
  }
}

}  // namespace

void build_dock_layout(ImGuiID dockspace, const DockArea& layout, ImVec2 size,
                       const WindowName& window_name) {
  ImGui::DockBuilderRemoveNode(dockspace);
  ImGui::DockBuilderAddNode(dockspace, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodeSize(dockspace, size);
  build(dockspace, layout, window_name);
  ImGui::DockBuilderFinish(dockspace);
}

const ImGuiDockNode* find_dock(ImGuiID dockspace, const std::string& window_name) {
  const ImGuiID id = ImHashStr(window_name.c_str());
  ImGuiID dock = 0;
  if (const ImGuiWindow* window = ImGui::FindWindowByID(id)) {
    dock = window->DockId;
  } else if (const ImGuiWindowSettings* settings = ImGui::FindWindowSettingsByID(id)) {
    dock = settings->DockId;
  }
  ImGuiDockNode* node = dock != 0 ? ImGui::DockBuilderGetNode(dock) : nullptr;
  if (node == nullptr) return nullptr;
  return ImGui::DockNodeGetRootNode(node)->ID == dockspace ? node : nullptr;
}

}  // namespace tilescope
