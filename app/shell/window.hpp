#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/installation.hpp"

namespace tilescope {

struct WindowOptions {
  std::filesystem::path session;            ///< Opened at the start; empty for a new one.
  std::vector<std::string> worker_command;  ///< Command of the measuring process.
  bool watches_kernels = true;  ///< False with a worker on another machine, which has its own files.
  int width = 0;                ///< 0 for a size that suits the display.
  int height = 0;
  float scale = 0;    ///< 0 for the scale of the settings, else of the display.
  std::string theme;  ///< "dark", "light", or "" for the theme of the settings.

  // For tests and benchmarks.
  std::filesystem::path landmarks;  ///< File for the state and the widgets' places, written after each frame.
  bool exit_after_first_frame = false;  ///< Print {"first_frame": ...} and exit.
};

/// Opens the window and returns when it is closed. Throws GraphicsError if there is no display.
int run_window(const Installation& installation, const WindowOptions& options);

}  // namespace tilescope
