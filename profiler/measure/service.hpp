#pragma once

#include <memory>

#include "profiler/installation.hpp"
#include "profiler/worker/server.hpp"

namespace tilescope {

/// What `tilescope worker` serves: the catalogue, the devices and measuring on this machine.
/// Throws DeclarationError or std::runtime_error when the kernels or the device tables cannot be read.
std::unique_ptr<WorkerService> make_measure_service(const Installation& installation);

}  // namespace tilescope
