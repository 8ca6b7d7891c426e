#pragma once

#include <string>
#include <vector>

#include "profiler/installation.hpp"
#include "profiler/service/client/client.hpp"

namespace tilescope {

/// Program and arguments: "ssh host tilescope worker", split at blanks.
std::vector<std::string> split_command(const std::string& command);

/// For a client whose worker is started with `command`. A worker that does not see this machine's kernels gets their
/// sources with the experiments.
Client::Options worker_options(const Installation& installation, std::vector<std::string> command);

/// Options with the command that TILESCOPE_WORKER names, or else with this program as the worker. A slow start is said
/// on stderr.
Client::Options worker_options(const Installation& installation);

}  // namespace tilescope
