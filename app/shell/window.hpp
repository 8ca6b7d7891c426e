#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/installation.hpp"

namespace tilescope {

struct WindowOptions {
  std::filesystem::path session;            ///< Opened at the start; empty for a new one.
  std::vector<std::string> worker_command;  ///< Of the measuring process.
  int width = 0;                            ///< 0 for what suits the display.
  int height = 0;
  float scale = 0;    ///< 0 for the settings', else the display's.
  std::string theme;  ///< "dark", "light", or "" for the settings'.

  // For tests and benchmarks.
  std::filesystem::path landmarks;  ///< Where the state and the widgets' places are written after each frame.
  bool exit_after_first_frame = false;  ///< Prints {"first_frame": ...} and leaves.
};

/// Opens the window and returns when it is closed. Throws GraphicsError where there is no display.
int run_window(const Installation& installation, const WindowOptions& options);

}  // namespace tilescope
