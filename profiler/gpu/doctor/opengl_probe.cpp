#include "profiler/gpu/doctor/opengl_probe.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>

namespace tilescope {
namespace {

// The few calls and constants of EGL in use: its headers belong to the window, which this program does not need.
// Source: EGL 1.5 specification; egl.xml of the Khronos registry.
using Handle = void*;
constexpr int egl_platform_surfaceless = 0x31DD;  // EGL_MESA_platform_surfaceless
constexpr unsigned egl_opengl_api = 0x30A2;
constexpr int egl_none = 0x3038;
constexpr int egl_surface_type = 0x3033, egl_pbuffer_bit = 0x0001;
constexpr int egl_renderable_type = 0x3040, egl_opengl_bit = 0x0008;
constexpr int egl_context_major = 0x3098, egl_context_minor = 0x30FB;
constexpr int egl_context_profile = 0x30FD, egl_core_profile = 0x0001;
constexpr unsigned gl_renderer = 0x1F01, gl_version = 0x1F02;

/// The step that failed, as a sentence without the full stop.
struct NoContext : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Egl {
 public:
  explicit Egl(void* library) : library_(library) {}

  void make_context() {
    Handle display = platform_display();
    int major = 0, minor = 0;
    if (display == nullptr || !call<unsigned(Handle, int*, int*)>("eglInitialize")(display, &major, &minor))
      fail("EGL cannot initialise a display");
    display_ = display;
    if (!call<unsigned(unsigned)>("eglBindAPI")(egl_opengl_api)) fail("EGL has no OpenGL");
    const int wanted[] = {egl_surface_type, egl_pbuffer_bit, egl_renderable_type, egl_opengl_bit, egl_none};
    Handle config = nullptr;
    int configs = 0;
    if (!call<unsigned(Handle, const int*, Handle*, int, int*)>("eglChooseConfig")(display_, wanted, &config,
                                                                                   1, &configs) ||
        configs == 0)
      fail("EGL has no configuration for OpenGL");
    const int version[] = {egl_context_major, 3,       egl_context_minor, 3, egl_context_profile,
                           egl_core_profile,  egl_none};
    Handle context = call<Handle(Handle, Handle, Handle, const int*)>("eglCreateContext")(display_, config,
                                                                                          nullptr, version);
    if (context == nullptr || !call<unsigned(Handle, Handle, Handle, Handle)>("eglMakeCurrent")(
                                  display_, nullptr, nullptr, context))
      fail("there is no context of OpenGL 3.3");
  }
  std::string text(unsigned name) const {
    using GetString = const unsigned char* (*)(unsigned);
    const auto get =
        reinterpret_cast<GetString>(call<void*(const char*)>("eglGetProcAddress")("glGetString"));
    const unsigned char* value = get == nullptr ? nullptr : get(name);
    return value == nullptr ? "" : reinterpret_cast<const char*>(value);
  }

 private:
  template <class Signature>
  Signature* call(const char* name) const {
    void* function = dlsym(library_, name);
    if (function == nullptr) throw NoContext(std::string(name) + " is missing");
    return reinterpret_cast<Signature*>(function);
  }
  /// A display without a display server, else the default one.
  Handle platform_display() const {
    if (dlsym(library_, "eglGetPlatformDisplay") != nullptr) {
      Handle display = call<Handle(int, Handle, const std::intptr_t*)>("eglGetPlatformDisplay")(
          egl_platform_surfaceless, nullptr, nullptr);
      if (display != nullptr) return display;
    }
    return call<Handle(Handle)>("eglGetDisplay")(nullptr);
  }
  [[noreturn]] void fail(const std::string& what) const {
    const int error = call<int()>("eglGetError")();
    throw NoContext(what + " (EGL error " + std::to_string(error) + ")");
  }

  void* library_;
  Handle display_ = nullptr;
};

}  // namespace

OpenglReport probe_opengl(const std::string& library) {
  OpenglReport report;
  // Neither unloaded nor terminated: OpenGL drivers leave handlers that run when a thread ends, and Mesa leaks memory
  // when it unloads its driver. This process ends soon.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* why = dlerror();
    report.why_none = why == nullptr ? library : why;
    return report;
  }
  report.has_library = true;
  try {
    Egl egl(handle);
    egl.make_context();
    report.version = egl.text(gl_version);
    report.renderer = egl.text(gl_renderer);
  } catch (const NoContext& failed) {
    report.why_none = failed.what();
  }
  return report;
}

}  // namespace tilescope
