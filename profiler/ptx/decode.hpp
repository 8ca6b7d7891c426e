#pragma once

#include "profiler/ptx/program.hpp"
#include "profiler/ptx/syntax.hpp"

namespace tilescope::ptx {

/// Decodes an entry function for execution. Throws Unsupported, with the instruction, its PTX line and its source line,
/// for what is not executed here, and PtxError for an entry that is not there.
Program decode(const Module& module, std::string_view entry);

}  // namespace tilescope::ptx
