#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/points/recorded_examples.hpp"
#include "app/gui/actions.hpp"
#include "app/gui/panel.hpp"
#include "app/gui/panel_options.hpp"
#include "app/window/command_palette.hpp"
#include "app/window/file_dialog.hpp"
#include "app/window/first_task.hpp"
#include "app/window/help_windows.hpp"
#include "app/window/panel_export.hpp"
#include "app/window/settings.hpp"
#include "app/window/unsaved_dialog.hpp"
#include "app/window/workspace_tabs.hpp"

namespace tilescope {

/// Everything inside the window: menu bar, docked panels, status line, dialogs, messages. Draws with the
/// current ImGui context and knows no panel by name.
class Workspace {
 public:
  Workspace(Explorer& explorer, Settings& settings);

  /// One frame, between ImGui::NewFrame and ImGui::Render.
  void draw();

  /// The user wants to leave: asks what to do with unsaved points.
  void quit() { quit_ = true; }
  /// True once the user chose to leave and every question is answered.
  bool wants_to_quit() const { return may_quit_; }
  /// The user left without saving: the next start opens what was saved.
  bool declined_to_save() const { return declined_to_save_; }
  /// The theme or the scale changed: to be applied between two frames.
  bool take_theme_change();
  /// Whether something on the screen moves by itself: the time of a running sweep.
  bool is_animated() const;
  const std::vector<std::unique_ptr<Panel>>& panels() const { return panels_; }
  /// nullptr for an id that no panel has.
  Panel* find_panel(const std::string& id) const;
  /// "flash_sweep.json - Tilescope", with a dot before it while points are not saved under a name.
  std::string window_title() const;
  WorkspaceTabs& tabs() { return tabs_; }
  const WorkspaceTabs& tabs() const { return tabs_; }
  /// Opens a kernel file in its panel, a session, or a folder's kernel files in a dialog. For files that were dropped, or
  /// named on the command line.
  void open(const std::filesystem::path& file);
  /// Opens a file that holds kernels, and brings its panel to the front.
  void open_kernel(const std::filesystem::path& file);

 private:
  void add_file_actions();
  void add_edit_actions();
  void add_view_actions();
  void add_help_actions();
  std::vector<Action> recent_files();
  std::vector<Action> autosaved_sessions();
  std::vector<Action> examples();

  void draw_menu_bar();
  void draw_session_title();
  void draw_status_line();
  void draw_progress();
  /// In the first workspace, where the active one leads newcomers by itself.
  void show_first_task();
  void draw_notices();
  void draw_banners();
  std::filesystem::path recorded_example() const;
  void choose_list_or_ladder();
  void choose_front();
  void show_several_kernels();
  void show_line();
  void show_anywhere(const std::string& panel);
  void show_comparison();
  bool shows_comparison() const;
  void draw_quit();
  void close_on_escape();

  void new_session();
  std::filesystem::path sessions_folder() const;
  void ask_for_file_to_open();
  void ask_for_file_to_save();
  void take_chosen(const std::filesystem::path& file);
  void ask_for_kernel(const std::filesystem::path& folder);
  void save();
  void set_scale(float factor);

  Explorer& explorer_;
  Settings& settings_;
  std::vector<std::unique_ptr<Panel>> panels_;
  KeepPanelOptions keep_options_{panels_};
  WorkspaceTabs tabs_;
  std::vector<std::filesystem::path> examples_;
  FileDialog dialog_;
  PanelExport export_;
  /// Purpose of the file dialog that was shown last.
  enum class Asked { session, kernel, place_to_save };
  Asked asked_ = Asked::session;
  bool theme_changed_ = false;
  /// Whether there was neither a latency nor a prediction when that was last looked at; nothing before the devices are known.
  std::optional<bool> lacked_latency_;
  /// Workspaces in which the list of points was brought to the front while a point of a file is shown.
  std::set<std::string> listed_in_;
  HelpTexts help_texts_;
  HelpWindows help_;
  FirstTask first_task_;
  CommandPalette palette_;
  ActionList actions_;
  /// In the frame before: an Escape belongs to what was there when it was pressed.
  bool popup_was_open_ = false;
  bool item_was_active_ = false;
  UnsavedDialog unsaved_;
  /// Asked for, not yet granted.
  bool quit_ = false;
  bool may_quit_ = false;
  bool declined_to_save_ = false;
  /// The save before the window closes is under way.
  bool saves_to_quit_ = false;
};

}  // namespace tilescope
