#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilescope {

/// What the window stores between starts, apart from any session.
struct Settings {
  bool light = false;
  /// 0 for the display's scale.
  float scale = 0;
  /// Newest first.
  std::vector<std::filesystem::path> recent;
  /// Ids.
  std::vector<std::string> closed_panels;
  /// ImGui's settings of docks and windows.
  std::string layout;

  bool operator==(const Settings&) const = default;

  void add_recent(const std::filesystem::path& file);
};

/// Reads folder/window.json. Missing or invalid values get their defaults, and invalid ones are reported in `problem`.
Settings load_settings(const std::filesystem::path& folder, std::string& problem);
/// Returns "" or why they could not be stored: a read-only folder is no reason to stop.
std::string save_settings(const std::filesystem::path& folder, const Settings& settings);

}  // namespace tilescope
