#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/installation.hpp"

namespace tilescope {

struct WindowOptions {
  /// A session or a kernel file, opened at the start; empty for a new session.
  std::filesystem::path file;
  /// Command line of the measuring process.
  std::vector<std::string> worker_command;
  /// 0 for what suits the display.
  int width = 0;
  int height = 0;
  /// 0 for the scale of the settings, else of the display.
  float scale = 0;
  /// "dark", "light", or "" for the theme of the settings.
  std::string theme;

  // For tests and benchmarks.
  /// File for the state and the widgets' places, written after each frame.
  std::filesystem::path landmarks;
  /// Print {"first_frame": ...} and exit.
  bool exit_after_first_frame = false;
};

/// Opens the window and returns when it is closed. Throws GraphicsError if there is no display.
int run_window(const Installation& installation, const WindowOptions& options);

}  // namespace tilescope
