#pragma once

#include <string>

namespace tilescope {

/// The OpenGL that a program without a window gets on this machine.
struct OpenglReport {
  /// "4.5 (Core Profile) Mesa 22.3.6", "" when there is no context.
  std::string version;
  /// "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string renderer;
  bool has_library = false;
  /// The step that failed, "" for none.
  std::string why_none;
};

/// Opens EGL and makes a context of OpenGL 3.3, as the window's program does for a picture. Needs no display, and no
/// OpenGL library at link time.
OpenglReport probe_opengl(const std::string& library = "libEGL.so.1");

}  // namespace tilescope
