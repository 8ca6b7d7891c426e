#pragma once

#include <string>
#include <vector>

#include "app/shell/theme.hpp"

struct GLFWwindow;

namespace tilescope {

/// The ImGui and ImPlot contexts for the current OpenGL context. One at a time per process.
class Gui {
 public:
  /// With a `window`, input comes from it and its framebuffer is the target. Without one the caller sets the size.
  explicit Gui(GLFWwindow* window);
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  /// Sentences about fonts that are not installed.
  const std::vector<std::string>& problems() const { return problems_; }

  void begin_frame(int width, int height);
  /// Builds the draw list.
  void end_frame();
  /// Draws it with OpenGL.
  void paint(int width, int height) const;

 private:
  GLFWwindow* window_;
  std::vector<std::string> problems_;
};

}  // namespace tilescope
