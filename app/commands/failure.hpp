#pragma once

#include <exception>
#include <functional>

#include "app/commands/command.hpp"

namespace tilescope {

/// How a command ends that threw this: its own failure, or that which the type of a library's exception stands for.
CommandFailure failure_of(const std::exception& error);

/// Whether --json is among the arguments. Read without the parser, whose complaints are failures too.
bool wants_json(int argument_count, char** arguments);

/// Says a failure: a sentence on stderr and, with --json, the one document on stdout, unless the command has begun its
/// own before it failed.
ExitCode report(const CommandFailure& failure, bool as_json);

/// Runs a command to its exit code, and reports its failure.
ExitCode run_to_exit_code(bool as_json, const std::function<ExitCode()>& run);

}  // namespace tilescope
