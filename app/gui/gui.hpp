#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/gui/theme.hpp"

struct GLFWwindow;
struct ImDrawData;

namespace tilescope {

/// The ImGui and ImPlot contexts for the current OpenGL context, or for none. One at a time per process.
class Gui {
 public:
  /// With a `window`, input comes from it and its framebuffer is the target. Without one the caller sets the size.
  explicit Gui(GLFWwindow* window);
  /// Draws nothing and needs no OpenGL: frames end with their draw lists.
  struct WithoutGraphics {};
  explicit Gui(WithoutGraphics);
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
  void set_up();

  GLFWwindow* window_ = nullptr;
  bool has_graphics_ = true;
  std::vector<std::string> problems_;
};

/// Says to ImGui that its textures are on the screen, where no backend does it.
void accept_textures();

/// Draws lists of the current frame into a PNG of DisplaySize pixels, with the current OpenGL context. Throws
/// std::runtime_error with the file and the reason.
void write_png(const std::filesystem::path& file, ImDrawData& data);

}  // namespace tilescope
