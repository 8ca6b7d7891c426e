#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "profiler/catalogue/kernel_declaration.hpp"
#include "profiler/devices/device_model.hpp"

namespace tilescope {

/// The parameters that a sweep goes through, each with its values; none for all declared ones.
using SweptParameters = std::vector<std::pair<std::string, std::vector<ParameterValue>>>;

/// All that decides which configurations a sweep holds: judged in the background, apart from what changes meanwhile.
struct SweepGrid {
  KernelDeclaration kernel;
  DeviceModel device;
  Experiment base;  ///< What the points have in common.
  SweptParameters swept;
};

/// The number of its configurations, valid or not.
std::size_t size_of(const SweepGrid& grid);

/// The experiments of the valid ones, in the order of the declaration; an incomplete list once `stop` is set.
std::vector<Experiment> valid_experiments(const SweepGrid& grid, const std::atomic<bool>& stop);

}  // namespace tilescope
