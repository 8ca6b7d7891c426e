#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/installation.hpp"

namespace tilescope {

/// The window's program, which lies beside this one. Throws CannotRun when it is not there.
std::filesystem::path window_program(const Installation& installation);

/// Runs a program to its end, its stdout on our stderr. Returns its exit code, 128 + N when signal N ended
/// it. Throws CannotRun when it cannot be started.
int run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments);

/// Becomes that program. Returns only by throwing CannotRun.
[[noreturn]] void become_program(const std::filesystem::path& program,
                                 const std::vector<std::string>& arguments);

/// What the window's program takes to draw `panel` ("window" for all of it) from a session into a PNG.
std::vector<std::string> picture_arguments(const std::string& panel, const std::filesystem::path& session,
                                           const std::filesystem::path& picture);

}  // namespace tilescope
