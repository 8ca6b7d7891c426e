#pragma once

#include <filesystem>
#include <string>

#include "app/commands/command.hpp"
#include "app/commands/output.hpp"
#include "profiler/installation.hpp"

namespace tilescope {

struct FitArguments {
  std::filesystem::path session;
  /// "" for the device of most points.
  std::string device;
  /// The file of the table that is written; "" for the one in the user's data folder.
  std::filesystem::path table;
};

/// `tilescope devices --calibrate --from`: fits the model of latency of a device to the points of a session in a
/// worker, prints the fitted figures and writes the device's table. Throws WrongUsage for an unknown device and
/// CannotRun where there are too few points.
ExitCode run_fit(const Installation& installation, const FitArguments& arguments,
                 const OutputOptions& output);

}  // namespace tilescope
