#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "app/gui/monitor.hpp"

struct GLFWwindow;

namespace tilescope {

/// No window or no OpenGL: the message says what was tried and what to do.
class GraphicsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Wanted place and size of a window on the display.
struct WindowWish {
  /// The exact size, also where it is larger than the display; 0 for a suitable one.
  int width = 0;
  int height = 0;
  /// Place of an earlier window, moved and shrunk to fit into the work area of the monitor that holds most of
  /// it.
  std::optional<DesktopArea> place;
  /// Scale of text and controls in that window; if they are larger now, so is the window. 0 if unknown.
  double place_scale = 0;
  bool maximized = false;
  /// Scale of text and controls; 0 for the monitor's, see guess_scale. A suitable size depends on it.
  double scale = 0;
};

/// A window with an OpenGL 3.3 core context, made current. GLFW is initialised during its lifetime. One per process.
class Graphics {
 public:
  /// Opens a window on the display. Throws GraphicsError if there is none.
  static Graphics on_display(const WindowWish& wish, const char* title);
  /// For pictures: uses EGL without a display, else a hidden window. Throws GraphicsError with the reasons of both.
  static Graphics offscreen(int width, int height);

  ~Graphics();
  Graphics(Graphics&& other) noexcept;
  Graphics& operator=(Graphics&&) = delete;
  Graphics(const Graphics&) = delete;
  Graphics& operator=(const Graphics&) = delete;

  GLFWwindow* window() const { return window_; }
  /// The one that holds most of the window; one of 1920 x 1080 if the window system names none.
  Monitor monitor() const;
  /// Place of the window's content on the desktop, without its frame: for WindowWish::place.
  DesktopArea place() const;
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

/// Writes the bound framebuffer as a PNG (write_output_file_unflushed). Throws std::runtime_error with the file and the reason.
void write_png(const std::filesystem::path& file, int width, int height);

}  // namespace tilescope
