#include "app/shell/graphics.hpp"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <glad/gl.h>
#include <png.h>

#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

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

/// A window with a current context whose functions are loaded, or nullptr with the reason in `why`. GLFW is
/// shut down again in that case.
GLFWwindow* open_window(int platform, bool egl, bool visible, int width, int height, const char* title,
                        std::string& why) {
  glfwInitHint(GLFW_PLATFORM, platform);
  if (glfwInit() != GLFW_TRUE) {
    why = last_glfw_error();
    return nullptr;
  }
  hint_core_context();
  glfwWindowHint(GLFW_VISIBLE, visible ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, visible ? GLFW_TRUE : GLFW_FALSE);
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

bool has_display() {
  return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
}

}  // namespace

Graphics Graphics::on_display(int width, int height, const char* title) {
  std::string why;
  if (GLFWwindow* window = open_window(GLFW_ANY_PLATFORM, false, true, width, height, title, why)) {
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
  if (GLFWwindow* window = open_window(GLFW_PLATFORM_NULL, true, false, width, height, "", why_egl)) {
    return Graphics(window);
  }
  std::string why_hidden = "neither DISPLAY nor WAYLAND_DISPLAY is set";
  if (has_display()) {
    if (GLFWwindow* window = open_window(GLFW_ANY_PLATFORM, false, false, width, height, "", why_hidden)) {
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

float Graphics::content_scale() const {
  float x = 1;
  float y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return x > 0 ? x : 1;
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
  // OpenGL's rows go from the bottom up: a negative stride reverses them.
  if (png_image_write_to_file(&image, file.c_str(), 0, pixels.data(), -static_cast<png_int_32>(stride),
                              nullptr) == 0) {
    throw std::runtime_error(
        fmt::format("The picture could not be written to {}: {}", file.string(), image.message));
  }
}

}  // namespace tilescope
