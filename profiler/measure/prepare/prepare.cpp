#include "profiler/measure/prepare/prepare.hpp"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/measure/gpu/gpu_host.hpp"
#include "profiler/measure/prepare/carried_kernel.hpp"
#include "profiler/measure/prepare/device_choice.hpp"
#include "profiler/measure/provenance.hpp"

namespace tilescope {
namespace {

// Tensors of more than this are not interpreted: a laptop holds these, their reference and a browser. [B]
constexpr double most_tensor_bytes = 4e9;

DeviceIdentity identity_of(const DeviceModel& device) {
  return {device.name, device.arch, device.present};
}

// Everything but the device, the status and the reason is left out.
Measurement failed_on(const DeviceIdentity& device, const Experiment& experiment, const Failure& failure) {
  Measurement point = failed_measurement(experiment, failure.status, failure.reason);
  point.device = device;
  return point;
}

// A kernel that the SM cannot hold at all: found after compiling, since only the compiler knows the
// registers.
std::string why_not_resident(const Prepared& kernel) {
  const Resources& resources = *kernel.resources;
  return "no block fits on an SM of " + kernel.device.name + ", limited by " +
         to_string(kernel.occupancy->limiter) + ": " + std::to_string(kernel.geometry.threads) +
         " threads of " + std::to_string(resources.registers) + " registers and " +
         std::to_string(resources.static_shared_bytes + resources.dynamic_shared_bytes) +
         " B of shared memory";
}

LaunchGeometry geometry_of(const Prepared& kernel) {
  return launch_geometry(kernel.kernel, kernel.complete, kernel.shape(), kernel.device);
}

// Before the compiler knows the registers: what the threads and the declared shared memory allow.
void send_judged(PointStages& stages, const Prepared& kernel, const Measurement& point) {
  stages.reached(PointStage::judged, [&](PartialPoint& partial) {
    partial.so_far = point;
    if (kernel.kernel.is_launched_by_library()) return;
    const LaunchGeometry geometry = geometry_of(kernel);
    Resources resources;
    resources.dynamic_shared_bytes = geometry.dynamic_shared_bytes;
    partial.so_far.occupancy = occupancy(kernel.device, resources, geometry);
    partial.is_occupancy_estimated = true;
  });
}

// Resources that the compiler reported, and the occupancy that follows from them.
struct OnAnSm {
  Resources resources;
  Occupancy occupancy;
};
OnAnSm on_an_sm(const DeviceModel& device, const CompiledKernel& compiled, const LaunchGeometry& geometry) {
  OnAnSm found{compiled.resources, {}};
  found.resources.dynamic_shared_bytes = geometry.dynamic_shared_bytes;
  found.occupancy = occupancy(device, found.resources, geometry);
  return found;
}

void send_compiled(PointStages& stages, const OnAnSm& found) {
  stages.reached(PointStage::compiled, [&](PartialPoint& partial) {
    partial.so_far.resources = found.resources;
    partial.so_far.occupancy = found.occupancy;
    partial.is_occupancy_estimated = false;
  });
}

// An experiment that is looked up, judged and compiled, in steps, each of which may end the point.
class Preparing {
 public:
  Preparing(Workbench& bench, const Experiment& experiment, Purpose purpose)
      : bench_(bench), purpose_(purpose) {
    kernel_.experiment = experiment;
    point_.device = {experiment.device, "", false};
  }

  Preparation judged(const KernelDeclaration* known) {
    return ended_by([&] { return look_up(known) && judge(); });
  }

  // None where the kernel's file was saved between reading its declaration and reading its code.
  std::optional<Preparation> compiled(const MeasureControl& control, const WhileCompiling* meanwhile) {
    Preparation made = ended_by([&] { return look_up(nullptr) && judge() && compile(control, meanwhile); });
    if (has_changed_) return std::nullopt;
    return made;
  }

 private:
  template <class Steps>
  Preparation ended_by(const Steps& steps) {
    bool is_ready = false;
    const std::optional<Failure> failure = failure_of([&] { is_ready = steps(); });
    if (failure && failure->is_of_compiler) {
      point_.compiler_log = failure->compiler_log;
      point_.provenance.source_sha256 = failure->source_sha256;
      ended(failure->status, failure->reason);
    } else if (failure) {
      point_ = failed_on(point_.device, kernel_.experiment, *failure);
    }
    if (!is_ready) return {std::move(point_)};
    return {std::move(point_), std::move(kernel_)};
  }

  // All steps return false where the point has ended.
  bool ended(Status status, std::string reason) {
    point_.status = status;
    point_.reason = std::move(reason);
    return false;
  }

  bool look_up(const KernelDeclaration* known) {
    const Experiment& experiment = kernel_.experiment;
    kernel_.device = choose_device(experiment.device, bench_.gpus().devices(), bench_.tables());
    point_.device = identity_of(kernel_.device);
    kernel_.kernel = known != nullptr ? *known : find_kernel(bench_, experiment);
    check_values(kernel_.kernel, experiment.parameters);
    kernel_.complete = kernel_.kernel.complete(experiment.parameters);
    point_.kernel = experiment.kernel;
    point_.parameters = kernel_.complete;
    point_.shape = experiment.shape;
    point_.provenance = begin_provenance(experiment, bench_.gpus().driver_version());
    return true;
  }

  bool judge() {
    const KernelDeclaration& kernel = kernel_.kernel;
    const bool is_of_library = kernel.is_launched_by_library();
    // Said before a GPU is asked for: with one there would be nothing to interpret either.
    if (purpose_ == Purpose::interpret && is_of_library)
      return ended(Status::unsupported,
                   no_ptx(kernel) + ": there is nothing to interpret. Measure it instead");
    if (purpose_ == Purpose::step && is_of_library)
      return ended(Status::unsupported, no_ptx(kernel) + ": there is nothing to step through");
    if (kernel.role == KernelRole::micro) {
      return ended(Status::invalid_configuration,
                   kernel.name +
                       " is a microbenchmark and computes no attention: run tilescope devices "
                       "--calibrate, which runs them all");
    }
    if (std::string why = why_invalid(kernel, kernel_.complete, kernel_.shape(), kernel_.device);
        !why.empty())
      return ended(Status::invalid_configuration, why);
    const bool is_only_looked_at = purpose_ == Purpose::look && !kernel.entry.empty();
    if (is_of_library && !kernel_.device.present && !is_only_looked_at) {
      return ended(Status::unsupported, no_ptx(kernel) + ": it needs a GPU, and this machine has no " +
                                            kernel_.device.name + " (" + bench_.gpus().why_none() + ")");
    }
    if (purpose_ != Purpose::step) return true;
    std::string why = why_not_interpreted(kernel_);
    return why.empty() || ended(Status::unsupported, std::move(why));
  }

  bool compile(const MeasureControl& control, const WhileCompiling* meanwhile) {
    if (meanwhile != nullptr) send_judged(meanwhile->stages, kernel_, point_);
    control.report({"compile", 0.1});
    if (purpose_ == Purpose::step) return compile_for_stepping(control);
    if (kernel_.kernel.entry.empty()) {
      kernel_.compiled.source_sha256 = bench_.compiler().keep_source(kernel_.kernel);
      return take_compiled(control, meanwhile);
    }
    begin_inputs();
    return compile_entry(control, meanwhile) && take_compiled(control, meanwhile);
  }

  void begin_inputs() {
    if (purpose_ == Purpose::look || kernel_.device.present || kernel_.bytes() > most_tensor_bytes) return;
    kernel_.inputs_made = std::async(std::launch::async, [&bench = bench_, sizes = kernel_.sizes(),
                                                          seed = kernel_.experiment.seed] {
                            return bench.references().inputs(sizes, seed);
                          }).share();
  }

  bool compile_for_stepping(const MeasureControl& control) {
    kernel_.compiled = bench_.compiler().compile_for_stepping(
        kernel_.kernel, kernel_.complete, kernel_.shape(), kernel_.device.arch, control.cancelled);
    point_.provenance.source_sha256 = kernel_.compiled.source_sha256;
    kernel_.geometry = geometry_of(kernel_);
    return true;
  }

  bool compile_entry(const MeasureControl& control, const WhileCompiling* meanwhile) {
    const KernelCompiler compiler = kernel_.experiment.compiler;
    const bool ptx_first = meanwhile != nullptr && meanwhile->stages.wanted() && meanwhile->on_ptx &&
                           !kernel_.device.present && compiler == KernelCompiler::nvrtc;
    const CompilationAsker compilation =
        bench_.compiler().begin(kernel_.kernel, kernel_.complete, kernel_.shape(), kernel_.device.arch,
                                ptx_first ? CompileGoal::ptx_first : CompileGoal::machine_code, compiler);
    // A kernel that was compiled before was mostly disassembled, too.
    if (purpose_ != Purpose::look && !compilation->is_done())
      bench_.disassemblies().prepare(kernel_.device.arch);
    // The code has been read by now: it belongs to the declaration if that is still the same. A carried source is one.
    const Experiment& experiment = kernel_.experiment;
    has_changed_ = !experiment.source && find_kernel(bench_, experiment) != kernel_.kernel;
    if (has_changed_) return false;
    if (ptx_first && !compilation->is_done()) run_on_ptx(*compilation, control, *meanwhile);
    kernel_.compiled = compilation->wait(control.cancelled);
    return true;
  }

  // The stage `compiled` is sent from a thread of its own: the PTX may still be interpreted when the machine code comes.
  void run_on_ptx(Compilation& compilation, const MeasureControl& control, const WhileCompiling& meanwhile) {
    std::optional<CompiledKernel> ptx = compilation.wait_for_ptx(control.cancelled);
    if (!ptx) return;
    kernel_.compiled = std::move(*ptx);
    kernel_.geometry = geometry_of(kernel_);
    std::atomic<bool> has_ended = false;
    std::future<void> sent = std::async(std::launch::async, [&] {
      const std::optional<OnAnSm> found = machine_code_of(compilation, control);
      if (!found || found->occupancy.blocks_per_sm == 0) {
        has_ended = true;
        return;
      }
      send_compiled(meanwhile.stages, *found);
      disassemble(compilation, control);
    });
    MeasureControl until_it_ends = control;
    until_it_ends.cancelled = [&control, &has_ended] { return has_ended || control.cancelled(); };
    meanwhile.on_ptx(kernel_, until_it_ends);
    sent.get();
    has_sent_compiled_ = true;
  }

  // None where it cannot be compiled: compile_entry() waits for the same machine code and reports the reason.
  std::optional<OnAnSm> machine_code_of(Compilation& compilation, const MeasureControl& control) const {
    try {
      return on_an_sm(kernel_.device, compilation.wait(control.cancelled), kernel_.geometry);
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  // So that the machine code can be interpreted behind the PTX. The interpretation fails the same way and reports it.
  void disassemble(Compilation& compilation, const MeasureControl& control) const {
    try {
      bench_.disassemblies().get(compilation.wait(control.cancelled).cubin);
    } catch (const std::exception&) {
      return;
    }
  }

  bool take_compiled(const MeasureControl& control, const WhileCompiling* meanwhile) {
    add_compilation(point_.provenance, kernel_.compiled);
    point_.compiler_log = kernel_.compiled.log;
    for (const std::string& name : kernel_.compiled.hashed_headers) {
      point_.notes.push_back(
          "The text of \"" + name +
          "\", which the source includes, is not carried with it, only its SHA-256: the file "
          "lies outside the kernel's folder or is no header by its name.");
    }
    if (kernel_.kernel.is_launched_by_library()) return true;
    kernel_.geometry = geometry_of(kernel_);
    const OnAnSm found = on_an_sm(kernel_.device, kernel_.compiled, kernel_.geometry);
    point_.resources = kernel_.resources = found.resources;
    point_.occupancy = kernel_.occupancy = found.occupancy;
    if (found.occupancy.blocks_per_sm == 0)
      return ended(Status::invalid_configuration, why_not_resident(kernel_));
    if (control.cancelled()) return ended(Status::cancelled, "cancelled after compiling");
    if (meanwhile != nullptr && !has_sent_compiled_) send_compiled(meanwhile->stages, found);
    return true;
  }

  Workbench& bench_;
  const Purpose purpose_;
  Measurement point_;
  Prepared kernel_;
  bool has_sent_compiled_ = false, has_changed_ = false;
};

}  // namespace

Preparation prepare(Workbench& bench, const Experiment& experiment, Purpose purpose,
                    const MeasureControl& control, const WhileCompiling* meanwhile) {
  constexpr int most_attempts = 10;  // each needs one more save within a fraction of a millisecond
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    auto made = Preparing(bench, experiment, purpose).compiled(control, meanwhile);
    if (made) return std::move(*made);
  }
  return {failed_measurement(
      experiment, Status::unsupported,
      "the declaration of " + experiment.kernel +
          " changed each time that its code was read: measure again once no program writes to its file")};
}

Preparation judge(Workbench& bench, const Experiment& experiment, Purpose purpose,
                  const KernelDeclaration* known) {
  return Preparing(bench, experiment, purpose).judged(known);
}

KernelDeclaration find_kernel(Workbench& bench, const Experiment& experiment) {
  if (experiment.source) return read_carried_kernel(*experiment.source, bench.installation().cache);
  return bench.catalogue().find(experiment.kernel);
}

Measurement failed_point(const Prepared& kernel, const Failure& failure) {
  return failed_on(identity_of(kernel.device), kernel.experiment, failure);
}

std::string why_not_interpreted(const Prepared& kernel) {
  if (kernel.bytes() <= most_tensor_bytes) return "";
  return fmt::format(
      "Not interpreted, so neither checked nor counted: the tensors take {:.1f} GB, and the limit is {:.0f} "
      "GB. Choose a smaller shape.",
      kernel.bytes() * 1e-9, most_tensor_bytes * 1e-9);
}

std::string no_ptx(const KernelDeclaration& kernel) {
  return kernel.name + " is launched by " + proper_name(kernel.library) +
         ", which brings machine code and no PTX";
}

}  // namespace tilescope
