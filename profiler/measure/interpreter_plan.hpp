#pragma once

#include "profiler/catalogue/constraints.hpp"
#include "profiler/compile/compiler.hpp"

namespace tilescope {

/// What is interpreted, and for which device.
struct InterpreterPlan {
  const KernelDeclaration& kernel;
  const Configuration& complete;
  const CompiledKernel& compiled;
  const LaunchGeometry& geometry;
  const Shape& shape;
  const DeviceModel& device;
};

}  // namespace tilescope
