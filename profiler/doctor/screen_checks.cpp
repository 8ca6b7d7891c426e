// What the window needs. The libraries are opened here: this program links none of them.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "profiler/doctor/checks.hpp"
#include "profiler/doctor/opengl_probe.hpp"

namespace tilescope {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Why a display server does not answer, "" when it does. `open` and `close` are functions of the library.
std::string why_no_answer(const char* library, const char* open, const char* close) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return fmt::format("{} does not open", library);
  const auto connect = reinterpret_cast<void* (*)(const char*)>(dlsym(handle, open));
  const auto disconnect = reinterpret_cast<void (*)(void*)>(dlsym(handle, close));
  if (connect == nullptr || disconnect == nullptr) return fmt::format("{} has no {}", library, open);
  void* display = connect(nullptr);
  if (display == nullptr) return "nothing answers there";
  disconnect(display);
  return "";
}

}  // namespace

MachineCheck check_opengl(const Machine&) {
  const OpenglReport opengl = probe_opengl();
  if (opengl.why_none.empty())
    return {"OpenGL", CheckState::ok, fmt::format("{}, {}", opengl.version, opengl.renderer), ""};
  return {"OpenGL", opengl.has_library ? CheckState::warning : CheckState::missing, opengl.why_none,
          "Neither window nor picture can be drawn: install the driver's OpenGL, or the one in software with "
          "`apt-get install libegl1 libgl1 libgl1-mesa-dri`."};
}

MachineCheck check_display(const Machine& machine) {
  const std::string wayland = variable("WAYLAND_DISPLAY"), x11 = variable("DISPLAY");
  if (wayland.empty() && x11.empty()) {
    return {"display", CheckState::missing, "neither DISPLAY nor WAYLAND_DISPLAY is set",
            "Without a display ./tilescope runs a short sweep and saves a picture; to see this machine's GPU "
            "in a "
            "window elsewhere, set TILESCOPE_WORKER=\"ssh HOST tilescope worker\" there."};
  }
  const std::string found =
      wayland.empty() ? fmt::format("DISPLAY={}", x11) : fmt::format("WAYLAND_DISPLAY={}", wayland);
  const std::string why = wayland.empty() ? why_no_answer("libX11.so.6", "XOpenDisplay", "XCloseDisplay")
                                          : why_no_answer("libwayland-client.so.0", "wl_display_connect",
                                                          "wl_display_disconnect");
  if (!why.empty()) {
    return {"display", CheckState::warning, fmt::format("{}, and {}", found, why),
            "The window cannot open: start the display server, or over ssh connect with `ssh -X`."};
  }
  const std::filesystem::path window = machine.installation.executable.parent_path() / "tilescope-window";
  if (!std::filesystem::exists(window)) {
    return {"display", CheckState::warning,
            fmt::format("{} answers, and there is no {}", found, window.string()),
            "This Tilescope was built without its window: build it with TILESCOPE_WINDOW=ON."};
  }
  return {"display", CheckState::ok, fmt::format("{} answers", found), ""};
}

}  // namespace tilescope
