#pragma once

#include <string>

#include "profiler/service/requests/counted_code.hpp"

namespace tilescope {

/// The machine code of a trace for the user, at most 100 columns wide: a line each instruction, with what its
/// executions did and what it takes to issue it, then the issue by pipe, source line and opcode. `main_file` is the
/// kernel's own file: lines of another one are written with its name in the summary, and in brackets beside the
/// instructions.
std::string counted_code_text(const CountedCode& code, const std::string& main_file);

}  // namespace tilescope
