#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/installation.hpp"

namespace tilescope {

/// A picture of a panel or of the whole window with a session, or a panel's table.
struct PictureOptions {
  /// A panel's id, or "window".
  std::string panel = "window";
  /// Id of the workspace to show; empty for the first.
  std::string workspace;
  /// Empty for an empty session.
  std::filesystem::path session;
  /// Opened in its panel; empty for none.
  std::filesystem::path kernel_file;
  /// Drawn behind; empty for none.
  std::filesystem::path recorded;
  /// The command of the worker that traces the last point, for panels that need a trace; empty for none.
  std::vector<std::string> worker;
  /// Choices in the panels, each as "NAME=VALUE" of Panel::options.
  std::vector<std::string> choices;
  /// A line of the kernel's file that these panels look at; 0 for the worst access.
  std::uint32_t line = 0;
  /// Where panels that step through a block stop, as step_target_from reads it; empty for its start.
  std::string step;
  /// Contents of Q, K and V there: "random" or "large_logits"; empty for random.
  std::string inputs;
  /// Its extension decides what is made: .png, .svg or .csv.
  std::filesystem::path to;
  /// [px] 0 for the default: 1280 x 720 for the window, 960 x 600 for a panel, times the scale.
  int width = 0;
  int height = 0;
  float scale = 1;
  bool light = false;
};

/// Draws without a display, .svg and .csv without OpenGL too. Returns {file, panel, width, height, theme, renderer}.
/// Throws ExportError for another extension and for the table of a panel that has none, UnknownName for a panel, a
/// workspace or a choice, SessionError for the session, GraphicsError where nothing can be drawn, std::runtime_error where nothing
/// can be written or the trace takes too long.
Json make_picture(const Installation& installation, const PictureOptions& options);

}  // namespace tilescope
