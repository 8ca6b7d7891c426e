#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// Place of the window on the screen, in GLFW's screen coordinates.
struct WindowPlace {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  bool maximized = false;
  /// Scale of text and controls then; 0 if unknown.
  double scale = 0;

  bool operator==(const WindowPlace&) const = default;
};

/// The points, files and choices that were open when the window was closed.
struct LastState {
  /// The session's name, and where what was not saved of it is kept; each empty for none.
  std::filesystem::path session;
  std::filesystem::path autosave;
  std::vector<std::filesystem::path> recorded;
  std::optional<Experiment> experiment;
  /// SweepChoice's own JSON.
  Json sweep;

  bool operator==(const LastState&) const = default;
};

/// State that the window stores between starts, apart from any session.
struct Settings {
  bool light = false;
  /// 0 takes the display's.
  float scale = 0;
  /// Newest first.
  std::vector<std::filesystem::path> recent;
  /// The id of the one shown last.
  std::string workspace;
  /// By workspace and panel: whether a panel is open, where that differs from the workspace's file.
  std::map<std::string, std::map<std::string, bool>> panels;
  /// ImGui's own text of docks and windows, of all workspaces.
  std::string layout;

  /// The first task was done or skipped.
  bool first_task_done = false;
  /// The line that says what is missing without a GPU was dismissed.
  bool no_gpu_dismissed = false;
  /// Whether the next start opens what was open.
  bool restores = true;
  /// Whether the configurations that the next move of a slider may go to are prepared; see NeighbourPrefetch.
  bool prepares_neighbours = true;
  LastState last;
  std::optional<WindowPlace> place;

  bool operator==(const Settings&) const = default;

  void add_recent(const std::filesystem::path& file);
};

/// Reads folder/window.json. Missing or invalid values get their defaults, and invalid ones are reported in `problem`.
Settings load_settings(const std::filesystem::path& folder, std::string& problem);
/// Returns "" or why they could not be stored: a read-only folder must not stop the program.
std::string save_settings(const std::filesystem::path& folder, const Settings& settings);

}  // namespace tilescope
