#include "app/window/workspace_tabs.hpp"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/window/dock_layout.hpp"

namespace tilescope {

namespace {

constexpr std::size_t max_shortcuts = 9;

ImGuiKeyChord shortcut_of(std::size_t index) {
  return index < max_shortcuts ? ImGuiMod_Ctrl | (ImGuiKey_1 + static_cast<int>(index)) : ImGuiKey_None;
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

void WorkspaceTabs::bring_to_front(const std::string& panel) {
  wanted_in_front_.push_back(panel);
}

void WorkspaceTabs::bring_to_front(PanelRole role) {
  if (const Panel* panel = find_panel(role)) bring_to_front(panel->id());
}

void WorkspaceTabs::raise_wanted() {
  std::erase_if(wanted_in_front_, [this](const std::string& id) {
    const Panel* panel = find_panel(id);
    if (panel == nullptr || !panel->open) return true;
    const ImGuiWindow* window = ImGui::FindWindowByName(panel->window_name(active().id).c_str());
    // ImGui docks a window and gives its node tabs in the frames after it has appeared.
    if (window == nullptr || (window->DockNode == nullptr && window->DockId != 0)) return false;
    if (window->DockNode == nullptr) {
      ImGui::SetWindowFocus(window->Name);  // It floats.
      return true;
    }
    if (window->DockNode->TabBar == nullptr) return window->DockNode->Windows.Size == 1;
    // ImGui keeps the tab of the focused window in front: here the panel takes the focus over.
    const ImGuiWindow* focused = ImGui::GetCurrentContext()->NavWindow;
    if (focused != nullptr && focused->RootWindow->DockNode == window->DockNode)
      ImGui::SetWindowFocus(window->Name);
    window->DockNode->TabBar->NextSelectedTabId = window->TabId;
    return true;
  });
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

void WorkspaceTabs::show_panel(const std::string& id) {
  Panel* panel = find_panel(id);
  if (panel == nullptr) return;
  panel->open = true;
  bring_to_front(id);
}

Panel* WorkspaceTabs::find_panel(PanelRole role) const {
  const auto found = std::ranges::find_if(panels_, [&](const auto& panel) { return panel->role() == role; });
  return found == panels_.end() ? nullptr : found->get();
}

void WorkspaceTabs::activate_for(PanelRole role) {
  const auto found = std::ranges::find_if(layouts_, [&](const WorkspaceLayout& layout) {
    return std::ranges::find(layout.shows, role) != layout.shows.end();
  });
  if (found != layouts_.end()) activate(static_cast<std::size_t>(found - layouts_.begin()));
}

bool WorkspaceTabs::is_open(PanelRole role) const {
  const Panel* panel = find_panel(role);
  return panel != nullptr && panel->open;
}

void WorkspaceTabs::show(PanelRole role) {
  if (const Panel* panel = find_panel(role)) show_panel(panel->id());
}

std::vector<Action> WorkspaceTabs::panel_toggles() const {
  std::vector<Action> toggles;
  toggles.reserve(panels_.size());
  for (const auto& panel : panels_) {
    Panel* shown = panel.get();
    toggles.push_back({.id = "view.panels." + panel->id(),
                       .title = panel->title(),
                       .run = [shown] { shown->open = !shown->open; },
                       .checked = [shown] { return shown->open; },
                       .is_in_palette = false});
  }
  return toggles;
}

std::vector<Action> WorkspaceTabs::actions() {
  std::vector<Action> actions;
  actions.push_back({.id = "view.panels",
                     .title = "Panels",
                     .menu = "View",
                     .children = [this] { return panel_toggles(); },
                     .is_in_palette = false});
  for (const auto& panel : panels_) {
    Panel* shown = panel.get();
    actions.push_back({.id = "panel." + panel->id(),
                       .title = "Show panel: " + panel->title(),
                       .run = [this, shown] { show_panel(shown->id()); }});
  }
  for (std::size_t i = 0; i < layouts_.size() && layouts_.size() > 1; ++i) {
    actions.push_back({.id = "view.workspace." + layouts_[i].id,
                       .title = layouts_[i].title,
                       .menu = "View",
                       .shortcut = shortcut_of(i),
                       .run = [this, i] { activate(i); },
                       .checked = [this, i] { return i == active_; },
                       .full_title = "Workspace: " + layouts_[i].title,
                       .tooltip = layouts_[i].help,
                       .starts_group = i == 0});
  }
  actions.push_back({.id = "view.reset_layout",
                     .title = "Reset layout",
                     .menu = "View",
                     .run = [this] { reset_layout(); },
                     .starts_group = true});
  return actions;
}

void WorkspaceTabs::draw_tabs() {
  if (layouts_.size() < 2) return;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + 20 * ui_scale());
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {2 * ui_scale(), ImGui::GetStyle().ItemSpacing.y});
  std::size_t chosen = active_;
  for (std::size_t i = 0; i < layouts_.size(); ++i) {
    if (draw_tab(layouts_[i], shortcut_text(shortcut_of(i)), i == active_)) chosen = i;
  }
  ImGui::PopStyleVar();
  activate(chosen);
}

void WorkspaceTabs::draw_panels(Explorer& explorer) {
  const ImGuiID dockspace = ImHashStr(("workspace." + active().id).c_str());
  // Area left by the menu bar and the status line of this frame; WorkSize is from the previous frame.
  const ImVec2 size = static_cast<ImGuiViewportP*>(ImGui::GetMainViewport())->GetBuildWorkRect().GetSize();
  has_new_docks_ = std::exchange(layout_reset_, false) || ImGui::DockBuilderGetNode(dockspace) == nullptr;
  if (has_new_docks_) {
    build_layout(dockspace, size);
  } else {
    fit_layout(dockspace, size);
  }
  // A border is not dragged over a whole dock.
  const ImVec2 least_dock(120 * ui_scale(), 90 * ui_scale());
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, least_dock);
  // ImGui draws what separates docks in the color of frames, which is made for controls.
  ImGui::PushStyleColor(ImGuiCol_Border, palette().border);
  ImGui::DockSpaceOverViewport(dockspace, ImGui::GetMainViewport());
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  PanelPlace place;
  place.workspace = active().id;
  place.takes_focus = !std::exchange(is_appearing_, false);
  place.has_content = !has_new_docks_;
  // A panel of the workspace before cannot keep the keyboard, and ImGui would hand it to the last panel that appears.
  if (!place.takes_focus) ImGui::SetWindowFocus(nullptr);
  if (const ImGuiDockNode* centre = ImGui::DockBuilderGetCentralNode(dockspace)) place.dock = centre->ID;
  for (const auto& panel : panels_) panel->show(explorer, place);
  if (!has_new_docks_) raise_wanted();
}

std::optional<ImVec4> WorkspaceTabs::notice_area() const {
  const Panel* panel = find_panel(active().notices);
  if (panel == nullptr || !panel->open) return std::nullopt;
  const ImGuiWindow* window = ImGui::FindWindowByName(panel->window_name(active().id).c_str());
  if (window == nullptr || window->DockNode == nullptr) return std::nullopt;
  const ImVec2 min = window->DockNode->Pos, size = window->DockNode->Size;
  return ImVec4(min.x, min.y, min.x + size.x, min.y + size.y);
}

LeastSizes WorkspaceTabs::sizes_needed() const {
  const ImVec2 padding = ImGui::GetStyle().WindowPadding;
  const double width = 2 * padding.x;
  const double height = 2 * padding.y + ImGui::GetFrameHeight();
  LeastSizes needed;
  for (const auto& panel : panels_) {
    if (!panel->open) continue;
    const PanelSize& content = panel->least_size();
    needed[panel->id()] = {content.width * ui_scale() + width, content.height * ui_scale() + height};
  }
  return needed;
}

DockArea WorkspaceTabs::shipped_layout(ImVec2 size) const {
  LeastSizes needed = sizes_needed();
  const double separator = ImGui::GetStyle().DockingSeparatorSize;
  for (auto& [id, panel] : needed) panel = {panel.width + separator, panel.height + separator};
  return fitted(at_scale(active().area, ui_scale()), {size.x, size.y}, needed);
}

WorkspaceTabs::Room WorkspaceTabs::room(ImVec2 size) const {
  Room room{size, ui_scale(), {}};
  for (const auto& panel : panels_) room.open.push_back(panel->open);
  return room;
}

void WorkspaceTabs::build_layout(ImGuiID dockspace, ImVec2 size) {
  build_dock_layout(dockspace, shipped_layout(size), size, [this](const std::string& id) {
    return find_panel(id)->window_name(active().id);  // Panels that there are not were left out.
  });
  fit_.forget();
  room_ = room(size);
  unsettled_frames_ = 0;
}

bool WorkspaceTabs::needs_other_tabs(ImGuiID dockspace, ImVec2 size) const {
  std::map<const ImGuiDockNode*, std::set<std::string>> docks;
  for (const auto& panel : panels_) {
    if (const ImGuiDockNode* dock = find_dock(dockspace, panel->window_name(active().id)))
      docks[dock].insert(panel->id());
  }
  DockedTogether now;
  for (const auto& [dock, panels] : docks) now.insert(panels);
  return is_arrangement_of(active().area, now) && docked_together(shipped_layout(size)) != now;
}

void WorkspaceTabs::fit_layout(ImGuiID dockspace, ImVec2 size) {
  const Room now = room(size);
  const bool has_changed = !(now == room_);
  if (!has_changed && unsettled_frames_ == 0) return;
  if (has_changed && needs_other_tabs(dockspace, size)) {
    has_new_docks_ = true;
    return build_layout(dockspace, size);
  }
  DockFit::Needed needed;
  for (const auto& [id, panel] : sizes_needed()) {
    const ImGuiID window = ImHashStr(find_panel(id)->window_name(active().id).c_str());
    needed[window] = {static_cast<float>(panel.width), static_cast<float>(panel.height)};
  }
  fit_.apply(dockspace, size, needed, unsettled_frames_ > 0);
  constexpr int frames_to_settle = 2;
  unsettled_frames_ = has_changed ? frames_to_settle : unsettled_frames_ - 1;
  room_ = now;
}

}  // namespace tilescope
