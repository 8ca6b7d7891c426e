#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/measure/workbench.hpp"

/// Launches of any kernels that were timed on a GPU: a folder with kernels.cu, a file launches/CASE.json for each case
/// (profiler/measure/files/launch_file.hpp), and for each device a table DEVICE.csv whose columns case, kernel and graph_us,
/// the microseconds of a launch in a CUDA graph, come first; kind may follow.
namespace tilescope::model {

struct TimedCase {
  std::string name, kernel;
  /// [us]
  double us = 0;
  /// "streams"; "" where the table has no kinds.
  std::string kind;
};

/// In the order of the table. Throws std::runtime_error where it cannot be read.
std::vector<TimedCase> read_timed_cases(const std::filesystem::path& table);

/// Compiles a case's kernel for the device, and executes its launch whole. Throws std::runtime_error with a sentence
/// where something does not work.
ExecutedLaunch execute_case(Workbench& bench, const std::filesystem::path& folder, const TimedCase& timed,
                            const DeviceModel& device);

}  // namespace tilescope::model
