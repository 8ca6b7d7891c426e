#pragma once

#include <string>
#include <vector>

#include "app/shell/theme.hpp"

struct GLFWwindow;

namespace tilescope {

/// The ImGui and ImPlot contexts over an OpenGL context that is current. One at a time in a process.
class Gui {
 public:
  /// With a `window`, input comes from it and its framebuffer is drawn to. Without one the caller gives the
  /// size.
  explicit Gui(GLFWwindow* window);
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  /// Fonts that are not installed, in sentences.
  const std::vector<std::string>& problems() const { return problems_; }

  void begin_frame(int width, int height);
  /// Builds what is to be drawn.
  void end_frame();
  /// Hands it to OpenGL.
  void paint(int width, int height) const;

 private:
  GLFWwindow* window_;
  std::vector<std::string> problems_;
};

}  // namespace tilescope
