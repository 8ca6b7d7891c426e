#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/command.hpp"
#include "profiler/installation.hpp"

namespace tilescope {

/// The window's program, in the same folder as this one. Throws CannotRun when it does not exist.
std::filesystem::path window_program(const Installation& installation);

/// Runs a program to its end without its stdout: the caller says what was made. Returns its exit code, or 128 + N when signal N ended it.
/// Throws CannotRun when it cannot be started.
int run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments);

/// Runs a program that was given --json to its end, and prints its document. Returns its exit code. Throws CannotRun where
/// it printed none.
ExitCode print_document_of(const std::filesystem::path& program, const std::vector<std::string>& arguments);

/// Replaces this process by a program. Only returns by throwing CannotRun.
[[noreturn]] void become_program(const std::filesystem::path& program,
                                 const std::vector<std::string>& arguments);

/// The arguments for the window's program to draw `panel` ("window" for all of it) from a session into a PNG.
std::vector<std::string> picture_arguments(const std::string& panel, const std::filesystem::path& session,
                                           const std::filesystem::path& picture);

}  // namespace tilescope
