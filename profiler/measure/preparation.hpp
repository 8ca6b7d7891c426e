#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>

#include "profiler/catalogue/catalogue.hpp"
#include "profiler/catalogue/constraints.hpp"
#include "profiler/measure/interpreted_launch.hpp"
#include "profiler/measure/interpreter_plan.hpp"
#include "profiler/measure/point_stages.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/requests/service.hpp"

namespace tilescope {

/// An experiment with its names looked up.
struct ChosenExperiment {
  const Experiment& experiment;
  KernelDeclaration kernel;
  DeviceModel device;
  /// Every parameter, defaults filled in.
  Configuration complete;

  reference::AttentionSizes sizes() const { return attention_sizes(experiment.shape, kernel.result); }
  /// [B] of all tensors.
  double bytes() const { return tensor_bytes(experiment.shape, kernel.result); }
};

/// What an experiment is run with.
struct PreparedKernel {
  LaunchGeometry geometry;
  CompiledKernel compiled;
  /// Made while the kernel is compiled, where no GPU makes them.
  std::future<std::shared_ptr<const ProblemInputs>> inputs;

  std::shared_ptr<const ProblemInputs> take_inputs(ReferenceCache& cache, const ChosenExperiment& chosen) {
    return inputs.valid() ? inputs.get() : cache.inputs(chosen.sizes(), chosen.experiment.seed);
  }
  InterpreterPlan plan(const ChosenExperiment& chosen, const Shape& shape) const {
    return {chosen.kernel, chosen.complete, compiled, geometry, shape, chosen.device};
  }
};

/// What an experiment is prepared for: to be measured, interpreted (which a library's kernel cannot be), or looked at
/// once it is compiled, for which no inputs are made.
enum class Purpose { measure, interpret, look };

/// Goes on with an experiment that is ready; what goes wrong becomes the status of `point`.
using RunPrepared = std::function<void(const ChosenExperiment&, PreparedKernel&, Measurement& point)>;

/// What happens while a point is still being compiled.
struct WhileCompiling {
  /// Hears of the point as it grows.
  PointStages& stages;
  /// Called with the PTX as soon as it is there, without machine code, resources and log, while the machine code is
  /// compiled on another thread; not called where both come at once, as from the cache, or where a GPU is to run the
  /// kernel. `control` says that it is cancelled also once the machine code has ended the point: it cannot be compiled,
  /// or the SM cannot hold a block of it.
  std::function<void(const ChosenExperiment&, PreparedKernel&, const MeasureControl& control)> on_ptx;
};

/// Looks the names up, judges the configuration, compiles, and lets `run` go on with what there is. What goes wrong is
/// the point's status and reason.
Measurement with_prepared(Workbench& bench, const Experiment& experiment, Purpose purpose,
                          const MeasureControl& control, const RunPrepared& run,
                          const WhileCompiling* meanwhile = nullptr);

/// The kernel that an experiment names, as its file is now, or the one that it carries. Throws UnknownName and
/// DeclarationError.
KernelDeclaration find_kernel(Workbench& bench, const Experiment& experiment);

/// "" where the tensors are few enough to be interpreted, else a sentence.
std::string why_not_interpreted(const ChosenExperiment& chosen);
/// "cudnn_sdpa is launched by cuDNN, which brings machine code and no PTX"
std::string no_ptx(const KernelDeclaration& kernel);

}  // namespace tilescope
