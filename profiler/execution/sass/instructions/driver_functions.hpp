#pragma once

#include <string_view>

#include "profiler/execution/simt/program.hpp"

/// Functions of the driver that machine code calls.
namespace tilescope::sass {

/// Registers R0 to R15 pass arguments and results: a kernel that calls has them.
inline constexpr int registers_of_call = 16;

/// Handler of a function; nullptr where it is not executed here.
simt::Handler driver_function(std::string_view name);

}  // namespace tilescope::sass
