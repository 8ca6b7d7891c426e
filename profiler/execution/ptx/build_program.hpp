#pragma once

#include "profiler/execution/ptx/syntax.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::ptx {

/// Decodes an entry function for execution. Throws Unsupported, with the instruction, its PTX line and its source line,
/// for instructions that are not supported, and PtxError when there is no such entry.
Program build_program(const Module& module, std::string_view entry);

}  // namespace tilescope::ptx
