#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/measure/workbench.hpp"
#include "sessions/prediction.hpp"

/// How far predictions of launches of any kernels are from what a GPU measured.
namespace tilescope::model {

struct JudgedCase {
  std::string name, kind, limiter;
  /// [us]
  double measured = 0, predicted = 0, low = 0, high = 0;
  /// As predicted.
  std::vector<StallReason> stalls;

  /// The natural logarithm of predicted over measured.
  double log_error() const;
  bool is_inside() const { return low <= measured && measured <= high; }
};

/// Where the launches of a folder (bench/launch_set.hpp) and their times are.
struct LaunchSet {
  std::filesystem::path folder, table;
  /// Where executed launches are kept for the next run; empty for none.
  std::filesystem::path kept;
};

/// In the order of the table. Cases that cannot be executed are left out, with a line on stderr.
std::vector<JudgedCase> judge_set(Workbench& bench, const LaunchSet& set, const DeviceModel& device);

/// A row for each case.
void print_cases(const std::vector<JudgedCase>& cases);
/// A row for each kind, and one for all.
void print_kinds(const std::string& heading, const std::vector<JudgedCase>& cases);

}  // namespace tilescope::model
