#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilescope {

/// What the window stores between starts, apart from any session.
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

  bool operator==(const Settings&) const = default;

  void add_recent(const std::filesystem::path& file);
};

/// Reads folder/window.json. Missing or invalid values get their defaults, and invalid ones are reported in `problem`.
Settings load_settings(const std::filesystem::path& folder, std::string& problem);
/// Returns "" or why they could not be stored: a read-only folder is no reason to stop.
std::string save_settings(const std::filesystem::path& folder, const Settings& settings);

}  // namespace tilescope
