#pragma once

#include <imgui.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/shell/panel.hpp"
#include "app/shell/settings.hpp"
#include "app/shell/workspace_layout.hpp"

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
  /// Puts the active workspace and its open panels into the settings.
  void remember();

  /// Ctrl+1 to Ctrl+9.
  void take_shortcuts();
  /// The tab strip, inside a menu bar; nothing where there is one workspace.
  void draw_tabs();
  /// Entries of a menu: the workspaces and "Reset layout".
  void draw_menu_items();
  void draw_panels(Explorer& explorer);
  /// After a frame that built docks: ImGui puts the panels into them in the next one, so this one is not painted.
  bool has_new_docks() const { return has_new_docks_; }

 private:
  void open_panels();
  Panel* find_panel(const std::string& id) const;
  void raise_wanted();
  void build_layout(ImGuiID dockspace) const;

  std::vector<WorkspaceLayout> layouts_;
  const Panels& panels_;
  Settings& settings_;
  std::size_t active_ = 0;
  bool layout_reset_ = false;
  /// Panels to be brought to the front once they are docked.
  std::vector<std::string> wanted_in_front_;
  bool is_appearing_ = true;
  bool has_new_docks_ = false;
};

}  // namespace tilescope
