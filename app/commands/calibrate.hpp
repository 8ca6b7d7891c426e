#pragma once

#include <filesystem>
#include <string>

#include "app/commands/command.hpp"
#include "app/commands/output.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/installation.hpp"

namespace tilescope {

/// `tilescope devices --calibrate`: measures the GPU `device` ("" for the first) in a worker, prints its figures and
/// writes its table to `table`, or to the user's data folder when that is empty. Throws WrongUsage for an
/// unknown GPU and CannotRun where it cannot be measured.
ExitCode run_calibration(const Installation& installation, const std::string& device,
                         const std::filesystem::path& table, const OutputOptions& output);

}  // namespace tilescope
