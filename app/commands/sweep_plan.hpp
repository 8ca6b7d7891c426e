#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiler/catalogue/catalogue.hpp"
#include "profiler/catalogue/constraints.hpp"
#include "profiler/devices/device_model.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// The parameters that a sweep varies, each with its values, none for all declared ones.
using VariedParameters = std::vector<std::pair<std::string, std::vector<ParameterValue>>>;

/// Reads "NAME" and "NAME=V1,V2". Throws WrongUsage for what the kernel does not declare, with the nearest
/// right names.
VariedParameters read_vary_arguments(const std::vector<std::string>& arguments,
                                     const KernelDeclaration& kernel);

/// The points of a sweep: the legal configurations of a grid.
struct SweepPlan {
  KernelDeclaration kernel;
  DeviceModel device;
  VariedParameters vary;
  std::vector<Experiment> experiments;          ///< In the order of the grid.
  std::map<std::string, std::size_t> left_out;  ///< Illegal configurations by the constraint's sentence.

  std::size_t left_out_count() const;
  /// "left out 5 illegal configurations: 5 where BLOCK_M must be ...", "" when all are legal.
  std::string left_out_text() const;
  /// Which point of the sweep an experiment is: its device is the one that was chosen, however it was named.
  std::string identity_of(const Experiment& experiment) const;
};

SweepPlan plan_sweep(const KernelDeclaration& kernel, const Experiment& base, const DeviceModel& device,
                     const VariedParameters& vary);

}  // namespace tilescope
