#pragma once

#include <imgui.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/actions.hpp"
#include "app/gui/panel.hpp"
#include "app/window/dock_fit.hpp"
#include "app/window/settings.hpp"
#include "app/window/workspace_layout.hpp"

namespace tilescope {

/// The installed workspaces, of which one is shown: where its panels are docked and which of them are open. Each keeps
/// its own layout, which ImGui holds and the settings carry from one start to the next.
class WorkspaceTabs {
 public:
  using Panels = std::vector<std::unique_ptr<Panel>>;

  /// Begins with the workspace of the settings, else with the first. `layouts` has at least one.
  WorkspaceTabs(std::vector<WorkspaceLayout> layouts, const Panels& panels, Settings& settings);

  const std::vector<WorkspaceLayout>& layouts() const { return layouts_; }
  const WorkspaceLayout& active() const { return layouts_[active_]; }

  void activate(std::size_t index);
  /// Docks the panels of the active workspace as it was shipped, in the next frame.
  void reset_layout();
  /// Shows the tab of a panel where it is open in the active workspace, without moving the keyboard there.
  void bring_to_front(const std::string& panel);
  void bring_to_front(PanelRole role);
  /// Puts the active workspace and its open panels into the settings.
  void remember();

  /// Opens a panel and brings it to the front of its tabs.
  void show_panel(const std::string& id);

  /// Activates the first workspace that is laid out for a role; without one the active workspace stays.
  void activate_for(PanelRole role);
  /// Whether the active workspace shows the panel that has the role.
  bool is_open(PanelRole role) const;
  /// Opens the panel that has the role and brings it to the front of its tabs.
  void show(PanelRole role);

  /// Actions of the menu View: the panels, the workspaces (Ctrl+1 to Ctrl+9) and "Reset layout".
  std::vector<Action> actions();
  /// The tab strip, inside a menu bar; nothing where there is one workspace.
  void draw_tabs();
  void draw_panels(Explorer& explorer);
  /// [px] min and max of the dock of the panel at which the active workspace has its notices, as drawn in this frame;
  /// nullopt where the panel is closed or floats.
  std::optional<ImVec4> notice_area() const;
  /// After a frame that built docks: ImGui puts the panels into them in the next one, so this one is not painted.
  bool has_new_docks() const { return has_new_docks_; }

 private:
  void open_panels();
  /// Items of the menu that open and close panels.
  std::vector<Action> panel_toggles() const;
  Panel* find_panel(const std::string& id) const;
  Panel* find_panel(PanelRole role) const;
  void raise_wanted();
  void build_layout(ImGuiID dockspace, ImVec2 size);
  /// Lets the docks follow the window: lengths, and tabs instead of parts where there is not enough room for them.
  void fit_layout(ImGuiID dockspace, ImVec2 size);
  /// Whether the shipped layout has other tabs at this size than the docks have now, and the user has not
  /// docked the panels otherwise.
  bool needs_other_tabs(ImGuiID dockspace, ImVec2 size) const;
  DockArea shipped_layout(ImVec2 size) const;
  /// [px] Least size of each open panel's window.
  LeastSizes sizes_needed() const;
  /// Inputs of the docks' layout.
  struct Room {
    ImVec2 size;
    float scale = 0;
    std::vector<bool> open;

    bool operator==(const Room& other) const {
      return size.x == other.size.x && size.y == other.size.y && scale == other.scale && open == other.open;
    }
  };
  Room room(ImVec2 size) const;

  std::vector<WorkspaceLayout> layouts_;
  const Panels& panels_;
  Settings& settings_;
  std::size_t active_ = 0;
  bool layout_reset_ = false;
  /// Panels to be brought to the front once they are docked.
  std::vector<std::string> wanted_in_front_;
  bool is_appearing_ = true;
  bool has_new_docks_ = false;
  DockFit fit_;
  /// Room in the previous frame.
  Room room_;
  /// Frames until ImGui has taken over a change: until then a dock's size does not count as the user's
  /// choice.
  int unsettled_frames_ = 0;
};

}  // namespace tilescope
