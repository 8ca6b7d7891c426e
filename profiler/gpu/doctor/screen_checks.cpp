// Checks of the window's requirements. This program does not link the libraries but opens them here.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "profiler/gpu/doctor/checks.hpp"
#include "profiler/gpu/doctor/opengl_probe.hpp"

namespace tilescope {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct DisplayServer {
  const char* variable;
  const char* library;
  const char* open;
  const char* close;
};
// In the order in which the window tries them.
constexpr DisplayServer display_servers[] = {
    {"WAYLAND_DISPLAY", "libwayland-client.so.0", "wl_display_connect", "wl_display_disconnect"},
    {"DISPLAY", "libX11.so.6", "XOpenDisplay", "XCloseDisplay"}};

/// Why the display server does not answer, "" when it does.
std::string why_no_answer(const DisplayServer& server) {
  void* handle = dlopen(server.library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return fmt::format("{} does not open", server.library);
  const auto open = reinterpret_cast<void* (*)(const char*)>(dlsym(handle, server.open));
  const auto close = reinterpret_cast<void (*)(void*)>(dlsym(handle, server.close));
  if (open == nullptr || close == nullptr) return fmt::format("{} has no {}", server.library, server.open);
  void* display = open(nullptr);
  if (display == nullptr) return "no server answers";
  close(display);
  return "";
}

}  // namespace

MachineCheck check_opengl(const Machine&) {
  const OpenglReport opengl = probe_opengl();
  if (opengl.why_none.empty())
    return {"OpenGL", CheckState::ok, fmt::format("{}, {}", opengl.version, opengl.renderer), ""};
  return {
      "OpenGL", opengl.has_library ? CheckState::warning : CheckState::missing, opengl.why_none,
      "Neither the window nor a picture can be drawn: install the driver's OpenGL, or software OpenGL with "
      "`apt-get install libegl1 libgl1 libgl1-mesa-dri`."};
}

MachineCheck check_display(const Machine& machine) {
  std::string silent;
  for (const DisplayServer& server : display_servers) {
    const std::string value = variable(server.variable);
    if (value.empty()) continue;
    const std::string named = fmt::format("{}={}", server.variable, value);
    if (const std::string why = why_no_answer(server); !why.empty()) {
      silent += fmt::format("{}{}, and {}", silent.empty() ? "" : "; ", named, why);
      continue;
    }
    const std::filesystem::path window = machine.installation.executable.parent_path() / "tilescope-window";
    if (std::filesystem::exists(window))
      return {"display", CheckState::ok, fmt::format("{} answers", named), ""};
    return {"display", CheckState::warning,
            fmt::format("{} answers, but there is no {}", named, window.string()),
            "This Tilescope was built without its window: build it with TILESCOPE_WINDOW=ON."};
  }
  if (!silent.empty()) {
    return {"display", CheckState::warning, silent,
            "The window cannot open: start the display server, or over ssh connect with `ssh -X`."};
  }
  return {
      "display", CheckState::missing, "neither DISPLAY nor WAYLAND_DISPLAY is set",
      "Without a display ./tilescope runs a short sweep and saves a picture; to see this machine's GPU in a "
      "window elsewhere, set TILESCOPE_WORKER=\"ssh HOST tilescope worker\" there."};
}

}  // namespace tilescope
