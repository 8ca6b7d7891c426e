#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

struct GLFWwindow;

namespace tilescope {

/// No window or no OpenGL: the message says what was tried and what to do.
class GraphicsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A window with an OpenGL 3.3 core context, made current. GLFW is initialised during its lifetime. One per process.
class Graphics {
 public:
  /// Opens a window on the display. Throws GraphicsError if there is none.
  static Graphics on_display(int width, int height, const char* title);
  /// For pictures: uses EGL without a display, else a hidden window. Throws GraphicsError with the reasons of both.
  static Graphics offscreen(int width, int height);

  ~Graphics();
  Graphics(Graphics&& other) noexcept;
  Graphics& operator=(Graphics&&) = delete;
  Graphics(const Graphics&) = delete;
  Graphics& operator=(const Graphics&) = delete;

  GLFWwindow* window() const { return window_; }
  /// The display's scale relative to 96 dots per inch; 1 if unknown.
  float content_scale() const;
  /// "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string renderer() const;

 private:
  explicit Graphics(GLFWwindow* window) : window_(window) {}

  GLFWwindow* window_;
};

/// A framebuffer of any size to draw into, because the contents of a hidden window depend on its driver.
class Canvas {
 public:
  Canvas(int width, int height);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  void bind() const;
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  int width_;
  int height_;
  unsigned framebuffer_ = 0;
  unsigned color_ = 0;
};

/// Writes the bound framebuffer as a PNG. Throws std::runtime_error with the file and the reason.
void write_png(const std::filesystem::path& file, int width, int height);

}  // namespace tilescope
