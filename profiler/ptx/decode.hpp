#pragma once

#include "profiler/ptx/build_program.hpp"

namespace tilescope::ptx {

/// Another name of build_program, for the tests in kernels/.
inline Program decode(const Module& module, std::string_view entry) {
  return build_program(module, entry);
}

}  // namespace tilescope::ptx
