#include "app/gui/graphics.hpp"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <glad/gl.h>
#include <png.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/output_file.hpp"

namespace tilescope {

namespace {

std::string last_glfw_error() {
  const char* description = nullptr;
  glfwGetError(&description);
  return description != nullptr ? description : "no reason was given";
}

void hint_core_context() {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
}

/// A hidden window with a current context whose functions are loaded, or nullptr with the reason in `why`. GLFW is
/// shut down again in that case.
GLFWwindow* open_window(int platform, bool egl, int width, int height, const char* title, std::string& why) {
  glfwInitHint(GLFW_PLATFORM, platform);
  if (glfwInit() != GLFW_TRUE) {
    why = last_glfw_error();
    return nullptr;
  }
  hint_core_context();
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  if (egl) glfwWindowHint(GLFW_CONTEXT_CREATION_API, GLFW_EGL_CONTEXT_API);
  GLFWwindow* window = glfwCreateWindow(width, height, title, nullptr, nullptr);
  if (window == nullptr) {
    why = last_glfw_error();
  } else {
    glfwMakeContextCurrent(window);
    if (gladLoadGL(glfwGetProcAddress) != 0) return window;
    why = "the OpenGL functions could not be loaded";
  }
  glfwTerminate();
  return nullptr;
}

Monitor describe(GLFWmonitor* monitor) {
  Monitor result;
  DesktopArea& work = result.work_area;
  glfwGetMonitorWorkarea(monitor, &work.x, &work.y, &work.width, &work.height);
  glfwGetMonitorPhysicalSize(monitor, &result.width_mm, &result.height_mm);
  if (const GLFWvidmode* mode = glfwGetVideoMode(monitor)) {
    result.width = mode->width;
    result.height = mode->height;
  }
  float across = 1;
  float down = 1;
  glfwGetMonitorContentScale(monitor, &across, &down);
  if (across > 0) result.content_scale = static_cast<double>(across);
  const int platform = glfwGetPlatform();
  const bool enlarges = platform == GLFW_PLATFORM_WAYLAND || platform == GLFW_PLATFORM_COCOA;
  if (enlarges) result.pixels_per_unit = result.content_scale;
  return result;
}

/// The one that holds most of an area; the primary one where none holds any of it.
Monitor monitor_of(const DesktopArea& area) {
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  Monitor best;
  best.work_area = {0, 0, 1920, 1080};
  best.width = 1920;
  best.height = 1080;
  if (count > 0) best = describe(monitors[0]);  // The primary one.
  for (int i = 1; i < count; ++i) {
    const Monitor monitor = describe(monitors[i]);
    if (shared_pixels(monitor.work_area, area) > shared_pixels(best.work_area, area)) best = monitor;
  }
  return best;
}

DesktopArea place_of(GLFWwindow* window) {
  DesktopArea place;
  glfwGetWindowPos(window, &place.x, &place.y);
  glfwGetWindowSize(window, &place.width, &place.height);
  return place;
}

WindowFrame frame_of(GLFWwindow* window) {
  WindowFrame frame;
  glfwGetWindowFrameSize(window, &frame.left, &frame.top, &frame.right, &frame.bottom);
  return frame;
}

DesktopArea chosen_place(const WindowWish& wish, GLFWwindow* window) {
  const WindowFrame frame = frame_of(window);
  const Monitor monitor = monitor_of(wish.place.value_or(DesktopArea{}));
  const double scale = wish.scale > 0 ? wish.scale : guess_scale(monitor);
  DesktopArea place = default_place(monitor, scale, frame);
  if (wish.place) {
    const double larger = wish.place_scale > 0 ? scale / wish.place_scale : 1;
    place = *wish.place;
    place.width = static_cast<int>(std::lround(place.width * larger));
    place.height = static_cast<int>(std::lround(place.height * larger));
    place = place_inside(place, monitor, frame);
  }
  if (wish.width <= 0 || wish.height <= 0) return place;
  const DesktopArea exact{place.x, place.y, wish.width, wish.height};
  const DesktopArea inside = place_inside(exact, monitor, frame);
  return {inside.x, inside.y, wish.width, wish.height};
}

bool has_display() {
  return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
}

}  // namespace

Graphics Graphics::on_display(const WindowWish& wish, const char* title) {
  std::string why;
  constexpr int any_size = 640;
  // Shown once it is in its place, which depends on the monitor and on the frame that the desktop gives it.
  if (GLFWwindow* window = open_window(GLFW_ANY_PLATFORM, false, any_size, any_size, title, why)) {
    const DesktopArea place = chosen_place(wish, window);
    glfwSetWindowSize(window, place.width, place.height);
    glfwSetWindowPos(window, place.x, place.y);  // Wayland places windows itself.
    if (wish.maximized) glfwMaximizeWindow(window);
    glfwShowWindow(window);
    glfwSwapInterval(1);
    return Graphics(window);
  }
  throw GraphicsError(
      fmt::format("The window could not be opened: {}. It needs a display (DISPLAY or WAYLAND_DISPLAY) with "
                  "OpenGL 3.3; without "
                  "one, tilescope sweep and tilescope screenshot do their work.",
                  why));
}

Graphics Graphics::offscreen(int width, int height) {
  std::string why_egl;
  if (GLFWwindow* window = open_window(GLFW_PLATFORM_NULL, true, width, height, "", why_egl)) {
    return Graphics(window);
  }
  std::string why_hidden = "neither DISPLAY nor WAYLAND_DISPLAY is set";
  if (has_display()) {
    if (GLFWwindow* window = open_window(GLFW_ANY_PLATFORM, false, width, height, "", why_hidden)) {
      return Graphics(window);
    }
  }
  throw GraphicsError(
      fmt::format("No picture can be drawn here. EGL without a display: {}. A hidden window on a display: "
                  "{}. Mesa's software "
                  "OpenGL is enough: apt-get install libegl1 libgl1-mesa-dri",
                  why_egl, why_hidden));
}

Graphics::Graphics(Graphics&& other) noexcept : window_(std::exchange(other.window_, nullptr)) {}

Graphics::~Graphics() {
  if (window_ == nullptr) return;
  glfwDestroyWindow(window_);
  glfwTerminate();
}

Monitor Graphics::monitor() const {
  return monitor_of(place());
}

DesktopArea Graphics::place() const {
  return place_of(window_);
}

std::string Graphics::renderer() const {
  const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return name != nullptr ? name : "";
}

Canvas::Canvas(int width, int height) : width_(width), height_(height) {
  glGenRenderbuffers(1, &color_);
  glBindRenderbuffer(GL_RENDERBUFFER, color_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glGenFramebuffers(1, &framebuffer_);
  bind();
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw GraphicsError(fmt::format(
        "A picture of {}x{} pixels cannot be drawn on this machine: choose a smaller --size", width, height));
  }
}

Canvas::~Canvas() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteRenderbuffers(1, &color_);
}

void Canvas::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
}

void write_png(const std::filesystem::path& file, int width, int height) {
  const std::size_t stride = static_cast<std::size_t>(width) * 3;
  std::vector<unsigned char> pixels(stride * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  image.flags = PNG_IMAGE_FLAG_FAST;  // compression takes nearly half of a picture's time otherwise
  // OpenGL's rows go from the bottom up: a negative stride reverses them.
  // Not to the file: libpng removes a file that it cannot write, also a device.
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(),
                                -static_cast<png_int_32>(stride), nullptr) == 0) {
    throw std::runtime_error(
        fmt::format("The picture {} could not be made: {}", file.string(), image.message));
  }
  write_output_file_unflushed(file, std::string_view(bytes).substr(0, size));
}

}  // namespace tilescope
