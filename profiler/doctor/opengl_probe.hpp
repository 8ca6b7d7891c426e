#pragma once

#include <string>

namespace tilescope {

/// What OpenGL a program without a window gets here.
struct OpenglReport {
  std::string version;   ///< "4.5 (Core Profile) Mesa 22.3.6", "" when there is no context.
  std::string renderer;  ///< "llvmpipe (LLVM 15.0.6, 256 bits)"
  bool has_library = false;
  std::string why_none;  ///< What failed, "" when nothing did.
};

/// Opens EGL and makes a context of OpenGL 3.3, as the window's program does for a picture. Needs no display, and no
/// library of OpenGL to be linked.
OpenglReport probe_opengl(const std::string& library = "libEGL.so.1");

}  // namespace tilescope
