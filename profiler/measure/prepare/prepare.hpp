#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/measure/point_stages.hpp"
#include "profiler/measure/prepare/failure.hpp"
#include "profiler/measure/prepare/prepared.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/service.hpp"

namespace tilescope {

/// Purpose of preparing an experiment: to be measured; to be interpreted or stepped, which a library's kernel cannot be;
/// or to be looked at once it is compiled, for which no inputs are made. Stepping compiles to PTX alone, with probes.
enum class Purpose { measure, interpret, step, look };

/// An experiment that was prepared.
struct Preparation {
  /// The point so far: its status and reason, and once it is compiled its resources, its occupancy,
  /// the compiler's log and its provenance.
  Measurement point;
  /// There where the status is `ok`.
  std::optional<Prepared> kernel{};
};

/// Receivers of what is known while a point is still being compiled.
struct WhileCompiling {
  /// Hears of the point as it grows.
  PointStages& stages;
  /// Called with the PTX as soon as it is there, without machine code, resources and log, while the machine code is
  /// compiled on another thread; not called where both come at once, as from the cache, or where a GPU is to run the
  /// kernel. `control` says that it is cancelled also once the machine code has ended the point: it cannot be compiled,
  /// or the SM cannot hold a block of it.
  std::function<void(const Prepared&, const MeasureControl& control)> on_ptx;
};

/// Looks the names up, judges the configuration and compiles.
Preparation prepare(Workbench& bench, const Experiment& experiment, Purpose purpose,
                    const MeasureControl& control, const WhileCompiling* meanwhile = nullptr);

/// As prepare, as far as it goes without the compiler. `known`: the experiment's kernel, where it was read before.
Preparation judge(Workbench& bench, const Experiment& experiment, Purpose purpose,
                  const KernelDeclaration* known = nullptr);

/// The kernel that an experiment names, as its file is now, or the one that it carries. Throws UnknownName and
/// DeclarationError.
KernelDeclaration find_kernel(Workbench& bench, const Experiment& experiment);

/// The point of a prepared experiment that could not be carried out.
Measurement failed_point(const Prepared& kernel, const Failure& failure);

/// "" where the tensors are few enough to be interpreted, else a sentence.
std::string why_not_interpreted(const Prepared& kernel);
/// "cudnn_sdpa is launched by cuDNN, which brings machine code and no PTX"
std::string no_ptx(const KernelDeclaration& kernel);

}  // namespace tilescope
