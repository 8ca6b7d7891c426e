#pragma once

#include <future>
#include <memory>
#include <optional>

#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/measure/caches/reference_cache.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// A kernel that is ready to run: what it was compiled from, and how it is launched.
struct Prepared {
  Experiment experiment;
  KernelDeclaration kernel;
  DeviceModel device;
  /// Every parameter, defaults filled in.
  Configuration complete;
  CompiledKernel compiled;
  /// Not of a kernel that a library launches.
  LaunchGeometry geometry;
  /// None where only the PTX is there, or a library launches the kernel.
  std::optional<Resources> resources;
  std::optional<Occupancy> occupancy;
  /// Made while the kernel was compiled, where no GPU makes them.
  std::shared_future<std::shared_ptr<const ProblemInputs>> inputs_made;

  const Shape& shape() const { return experiment.shape; }
  reference::AttentionSizes sizes() const { return attention_sizes(shape(), kernel.result); }
  /// [B] of all tensors.
  double bytes() const;
  std::shared_ptr<const ProblemInputs> inputs(ReferenceCache& cache) const {
    return inputs_made.valid() ? inputs_made.get() : cache.inputs(sizes(), experiment.seed);
  }
};

}  // namespace tilescope
