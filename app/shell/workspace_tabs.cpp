#include "app/shell/workspace_tabs.hpp"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "app/shell/dock_layout.hpp"
#include "app/shell/landmarks.hpp"
#include "app/shell/theme.hpp"

namespace tilescope {

namespace {

constexpr std::size_t max_shortcuts = 9;

std::string shortcut_name(std::size_t index) {
  return index < max_shortcuts ? fmt::format("Ctrl+{}", index + 1) : "";
}

/// A tab on the menu bar; returns whether it was clicked.
bool draw_tab(const WorkspaceLayout& layout, const std::string& shortcut, bool is_active) {
  const ImVec4 none(0, 0, 0, 0);
  ImGui::PushStyleColor(ImGuiCol_Button, none);
  ImGui::PushStyleColor(ImGuiCol_Border, none);
  ImGui::PushStyleColor(ImGuiCol_Text, is_active ? palette().text : palette().muted);
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, 0.0F);
  ImGui::SetCursorPosY(0);
  const bool clicked = ImGui::Button(
      fmt::format("{}###workspace.{}", layout.title, layout.id).c_str(),
      {ImGui::CalcTextSize(layout.title.c_str()).x + 24 * ui_scale(), ImGui::GetWindowHeight()});
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(3);
  landmark("workspace." + layout.id);
  const std::string tooltip = layout.help + (layout.help.empty() || shortcut.empty() ? "" : "\n") + shortcut;
  if (!tooltip.empty()) ImGui::SetItemTooltip("%s", tooltip.c_str());
  if (is_active) {
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    ImGui::GetWindowDrawList()->AddRectFilled({min.x, max.y - 2 * ui_scale()}, max,
                                              ImGui::GetColorU32(palette().accent));
  }
  return clicked;
}

}  // namespace

WorkspaceTabs::WorkspaceTabs(std::vector<WorkspaceLayout> layouts, const Panels& panels, Settings& settings)
    : layouts_(std::move(layouts)), panels_(panels), settings_(settings) {
  const auto chosen = std::find_if(layouts_.begin(), layouts_.end(), [&](const WorkspaceLayout& layout) {
    return layout.id == settings_.workspace;
  });
  if (chosen != layouts_.end()) active_ = static_cast<std::size_t>(chosen - layouts_.begin());
  open_panels();
}

void WorkspaceTabs::activate(std::size_t index) {
  if (index == active_) return;
  remember();
  active_ = index;
  layout_reset_ = false;
  is_appearing_ = true;
  open_panels();
}

void WorkspaceTabs::reset_layout() {
  settings_.panels[active().id].clear();
  open_panels();
  layout_reset_ = true;
}

/// Only what differs from the layout as shipped, so that a panel which a later version adds to it is shown.
void WorkspaceTabs::remember() {
  settings_.workspace = active().id;
  std::map<std::string, bool>& changed = settings_.panels[active().id];
  changed.clear();
  const std::vector<std::string> shipped = panels_of(active().area);
  for (const auto& panel : panels_) {
    const bool is_shipped = std::find(shipped.begin(), shipped.end(), panel->id()) != shipped.end();
    if (panel->open != is_shipped) changed[panel->id()] = panel->open;
  }
}

void WorkspaceTabs::open_panels() {
  for (const auto& panel : panels_) panel->open = false;
  for (const std::string& id : panels_of(active().area)) {
    if (Panel* panel = find_panel(id)) panel->open = true;
  }
  for (const auto& [id, open] : settings_.panels[active().id]) {
    if (Panel* panel = find_panel(id)) panel->open = open;
  }
}

Panel* WorkspaceTabs::find_panel(const std::string& id) const {
  const auto found =
      std::find_if(panels_.begin(), panels_.end(), [&](const auto& panel) { return panel->id() == id; });
  return found == panels_.end() ? nullptr : found->get();
}

void WorkspaceTabs::take_shortcuts() {
  for (std::size_t i = 0; i < std::min(layouts_.size(), max_shortcuts); ++i) {
    const auto key = static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i));
    if (ImGui::Shortcut(ImGuiMod_Ctrl | key, ImGuiInputFlags_RouteGlobal)) activate(i);
  }
}

void WorkspaceTabs::draw_tabs() {
  if (layouts_.size() < 2) return;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + 20 * ui_scale());
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {2 * ui_scale(), ImGui::GetStyle().ItemSpacing.y});
  std::size_t chosen = active_;
  for (std::size_t i = 0; i < layouts_.size(); ++i) {
    if (draw_tab(layouts_[i], shortcut_name(i), i == active_)) chosen = i;
  }
  ImGui::PopStyleVar();
  activate(chosen);
}

void WorkspaceTabs::draw_menu_items() {
  if (layouts_.size() > 1) {
    std::size_t chosen = active_;
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
      if (ImGui::MenuItem(layouts_[i].title.c_str(), shortcut_name(i).c_str(), i == active_)) chosen = i;
    }
    activate(chosen);
    ImGui::Separator();
  }
  if (ImGui::MenuItem("Reset layout")) reset_layout();
  landmark("menu.view.reset_layout");
}

void WorkspaceTabs::draw_panels(Explorer& explorer) {
  const ImGuiID dockspace = ImHashStr(("workspace." + active().id).c_str());
  has_new_docks_ = std::exchange(layout_reset_, false) || ImGui::DockBuilderGetNode(dockspace) == nullptr;
  if (has_new_docks_) build_layout(dockspace);
  // ImGui draws what separates docks in the color of frames, which is made for controls.
  ImGui::PushStyleColor(ImGuiCol_Border, palette().border);
  ImGui::DockSpaceOverViewport(dockspace, ImGui::GetMainViewport());
  ImGui::PopStyleColor();
  PanelPlace place;
  place.workspace = active().id;
  place.takes_focus = !std::exchange(is_appearing_, false);
  place.has_content = !has_new_docks_;
  // A panel of the workspace before cannot keep the keyboard, and ImGui would hand it to the last panel that appears.
  if (!place.takes_focus) ImGui::SetWindowFocus(nullptr);
  if (const ImGuiDockNode* centre = ImGui::DockBuilderGetCentralNode(dockspace)) place.dock = centre->ID;
  for (const auto& panel : panels_) panel->show(explorer, place);
}

void WorkspaceTabs::build_layout(ImGuiID dockspace) const {
  // What menu bar and status line leave of this frame; WorkSize is what those of the frame before left.
  const ImVec2 size = static_cast<ImGuiViewportP*>(ImGui::GetMainViewport())->GetBuildWorkRect().GetSize();
  const ImVec2 padding = ImGui::GetStyle().WindowPadding;
  const double scale = ui_scale();
  const double separator = ImGui::GetStyle().DockingSeparatorSize;
  const PanelSize frame = {(2 * padding.x + separator) / scale,
                           (2 * padding.y + ImGui::GetFrameHeight() + separator) / scale};
  LeastSizes least;
  for (const auto& panel : panels_) {
    const PanelSize& content = panel->least_size();
    least[panel->id()] = {content.width + frame.width, content.height + frame.height};
  }
  const DockArea layout = fitted(active().area, {size.x / scale, size.y / scale}, least);
  build_dock_layout(dockspace, layout, size, [this](const std::string& id) {
    return find_panel(id)->window_name(active().id);  // Panels that there are not were left out.
  });
}

}  // namespace tilescope
