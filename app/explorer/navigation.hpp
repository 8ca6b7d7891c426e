#pragma once

#include <functional>
#include <string>

namespace tilescope {

/// Targets of clicks: requests of panels and lessons, which the window brings to the front.
struct Navigation {
  Navigation() = default;
  // A copy's panel_wanted_anywhere would call the original.
  Navigation(const Navigation&) = delete;
  Navigation& operator=(const Navigation&) = delete;
  ~Navigation() = default;

  /// A line of the kernel's file was clicked: the panels that show its site.
  std::function<void()> line_shown = [] {};
  /// A figure was clicked of which another panel shows more: that panel, by its id.
  std::function<void(const std::string& panel)> panel_wanted = [](const std::string&) {};
  /// Calls panel_wanted; a panel that the workspace does not show is shown in the first workspace that has it.
  std::function<void(const std::string& panel)> panel_wanted_anywhere = [this](const std::string& panel) {
    panel_wanted(panel);
  };
  /// A point was made a side of the comparison, and the user goes to see it.
  std::function<void()> comparison_wanted = [] {};
  /// Whether the panels of the comparison are open, so that there is no way to offer there.
  std::function<bool()> comparison_is_shown = [] { return false; };
  /// A panel has nothing to show without a kernel file: lets the user choose one.
  std::function<void()> kernel_file_wanted = [] {};
  /// A session was opened, recorded or not, that has several kernels: what compares them.
  std::function<void()> several_kernels_opened = [] {};
  /// A session was opened all of whose points are of files: the list of them.
  std::function<void()> points_of_files_opened = [] {};
};

}  // namespace tilescope
