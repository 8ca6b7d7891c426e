#pragma once

#include <filesystem>

#include "profiler/service/requests/service.hpp"

namespace tilescope {

/// Serves JSON-RPC 2.0, one message a line (profiler/service/worker/protocol.hpp), until the input ends. While one request
/// runs, cancels are heard. Whatever libraries print on stdout goes to stderr instead. `shared_folder` is held against
/// the one that the client names, so that it knows whether this process sees its files.
///
/// When the input ends, what runs and what waits is cancelled and answered, and the process ends within two seconds,
/// whatever the service does: a worker never outlives its window. Returns the exit code.
int serve_worker(const Service& service, const std::filesystem::path& shared_folder = {});

/// Serves over the caller's descriptors, for tests: the process's own stdin, stdout and signals are left alone, and the
/// end of the input waits for the service however long it takes.
int serve_worker(const Service& service, int input, int output);

}  // namespace tilescope
