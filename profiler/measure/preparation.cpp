#include "profiler/measure/preparation.hpp"

#include <fmt/format.h>

#include <atomic>
#include <future>
#include <optional>

#include "profiler/compile/cutlass.hpp"
#include "profiler/measure/carried_kernel.hpp"
#include "profiler/measure/device_choice.hpp"
#include "profiler/measure/gpu_host.hpp"
#include "profiler/measure/provenance.hpp"
#include "profiler/occupancy/occupancy.hpp"

namespace tilescope {
namespace {

// Tensors of more than this are not interpreted: a laptop holds these, their reference and a browser. [B]
constexpr double most_tensor_bytes = 4e9;

// A kernel that the SM cannot hold at all: found after compiling, since only the compiler knows the
// registers.
std::string why_not_resident(const Occupancy& occupancy, const Resources& resources,
                             const LaunchGeometry& geometry, const DeviceModel& device) {
  return "no block fits on an SM of " + device.name + ", limited by " + to_string(occupancy.limiter) + ": " +
         std::to_string(geometry.threads) + " threads of " + std::to_string(resources.registers) +
         " registers and " + std::to_string(resources.static_shared_bytes + resources.dynamic_shared_bytes) +
         " B of shared memory";
}

// Before the compiler knows the registers: what the threads and the declared shared memory allow.
void send_judged(PointStages& stages, const ChosenExperiment& chosen, const Measurement& point) {
  stages.reached(PointStage::judged, [&](PartialPoint& partial) {
    partial.so_far = point;
    if (chosen.kernel.is_launched_by_library()) return;
    const LaunchGeometry geometry =
        launch_geometry(chosen.kernel, chosen.complete, point.shape, chosen.device);
    Resources resources;
    resources.dynamic_shared_bytes = geometry.dynamic_shared_bytes;
    partial.so_far.occupancy = occupancy(chosen.device, resources, geometry);
    partial.is_occupancy_estimated = true;
  });
}

// What the compiler says, and what follows from it for the SM.
void add_resources(const ChosenExperiment& chosen, const CompiledKernel& compiled,
                   const LaunchGeometry& geometry, Measurement& point) {
  point.resources = compiled.resources;
  point.resources->dynamic_shared_bytes = geometry.dynamic_shared_bytes;
  point.occupancy = occupancy(chosen.device, *point.resources, geometry);
}

void send_compiled(PointStages& stages, const Measurement& point) {
  stages.reached(PointStage::compiled, [&](PartialPoint& partial) {
    partial.so_far.resources = point.resources;
    partial.so_far.occupancy = point.occupancy;
    partial.is_occupancy_estimated = false;
  });
}

// A file was saved between reading its declaration and reading its code.
class DeclarationChanged : public std::exception {};

// A kernel that is compiled and run, in steps, each of which may end the point.
class Preparing {
 public:
  Preparing(Workbench& bench, const ChosenExperiment& chosen, Purpose purpose, const MeasureControl& control,
            const WhileCompiling* meanwhile, Measurement& point, PreparedKernel& prepared)
      : bench_(bench),
        chosen_(chosen),
        purpose_(purpose),
        control_(control),
        meanwhile_(meanwhile),
        point_(point),
        prepared_(prepared) {}

  // False where the point has ended.
  bool run() {
    if (!judge()) return false;
    if (meanwhile_ != nullptr) send_judged(meanwhile_->stages, chosen_, point_);
    control_.report({"compile", 0.1});
    if (purpose_ != Purpose::look && !chosen_.device.present && chosen_.bytes() <= most_tensor_bytes) {
      prepared_.inputs = std::async(
          std::launch::async, [&bench = bench_, sizes = chosen_.sizes(), seed = chosen_.experiment.seed] {
            return bench.references().inputs(sizes, seed);
          });
    }
    return compile() && take_compiled();
  }

 private:
  bool ended(Status status, std::string reason) {
    point_.status = status;
    point_.reason = std::move(reason);
    return false;
  }

  bool judge() {
    const KernelDeclaration& kernel = chosen_.kernel;
    if (kernel.role == KernelRole::micro) {
      return ended(Status::invalid_configuration,
                   kernel.name +
                       " is a microbenchmark and computes no attention: run tilescope devices "
                       "--calibrate, which runs them all");
    }
    if (std::string why = why_invalid(kernel, chosen_.complete, point_.shape, chosen_.device); !why.empty())
      return ended(Status::invalid_configuration, why);
    const bool is_only_looked_at = purpose_ == Purpose::look && !kernel.entry.empty();
    if (kernel.is_launched_by_library() && !chosen_.device.present && !is_only_looked_at) {
      return ended(Status::unsupported, no_ptx(kernel) + ": it needs a GPU, and this machine has no " +
                                            chosen_.device.name + " (" + bench_.gpus().why_none() + ")");
    }
    return true;
  }

  bool compile() {
    try {
      if (chosen_.kernel.entry.empty()) {
        prepared_.compiled.source_sha256 = bench_.compiler().keep_source(chosen_.kernel);
      } else {
        compile_entry();
      }
      return true;
    } catch (const CompileFailed& error) {
      const bool has_no_entry = dynamic_cast<const EntryNotFound*>(&error) != nullptr;
      point_.compiler_log = error.log;
      point_.provenance.source_sha256 = error.source_sha256;
      return ended(has_no_entry ? Status::invalid_configuration : Status::compile_failed, error.what());
    } catch (const CompileCancelled&) {
      return ended(Status::cancelled, "cancelled while compiling");
    } catch (const NvrtcUnavailable& error) {
      return ended(Status::unsupported, error.what());
    } catch (const NvccUnavailable& error) {
      return ended(Status::unsupported, error.what());
    } catch (const CutlassUnavailable& error) {
      return ended(Status::unsupported, error.what());
    }
  }

  void compile_entry() {
    if (purpose_ != Purpose::look) bench_.disassemblies().prepare(chosen_.device.arch);
    const KernelCompiler compiler = chosen_.experiment.compiler;
    const bool ptx_first = meanwhile_ != nullptr && meanwhile_->stages.wanted() && meanwhile_->on_ptx &&
                           !chosen_.device.present && compiler == KernelCompiler::nvrtc;
    const CompilationAsker compilation =
        bench_.compiler().begin(chosen_.kernel, chosen_.complete, point_.shape, chosen_.device.arch,
                                ptx_first ? CompileGoal::ptx_first : CompileGoal::machine_code, compiler);
    // The code has been read by now: it belongs to the declaration if that is still the same. A carried source is one.
    if (!chosen_.experiment.source && find_kernel(bench_, chosen_.experiment) != chosen_.kernel)
      throw DeclarationChanged();
    if (ptx_first && !compilation->is_done()) run_on_ptx(*compilation);
    prepared_.compiled = compilation->wait(control_.cancelled);
  }

  // The stage `compiled` is sent from a thread of its own: the PTX may still be interpreted when the machine code comes.
  void run_on_ptx(Compilation& compilation) {
    std::optional<CompiledKernel> ptx = compilation.wait_for_ptx(control_.cancelled);
    if (!ptx) return;
    prepared_.compiled = std::move(*ptx);
    prepared_.geometry = geometry();
    std::atomic<bool> has_ended = false;
    std::future<void> sent =
        std::async(std::launch::async, [this, &compilation, &has_ended, geometry = prepared_.geometry] {
          Measurement compiled;
          if (!add_machine_code(compilation, geometry, compiled)) has_ended = true;
          if (!has_ended) send_compiled(meanwhile_->stages, compiled);
          if (!has_ended) disassemble(compilation);
        });
    MeasureControl control = control_;
    control.cancelled = [this, &has_ended] { return has_ended || control_.cancelled(); };
    meanwhile_->on_ptx(chosen_, prepared_, control);
    sent.get();
    has_sent_compiled_ = true;
  }

  // False where there is no machine code that an SM can hold.
  bool add_machine_code(Compilation& compilation, const LaunchGeometry& geometry, Measurement& point) const {
    try {
      add_resources(chosen_, compilation.wait(control_.cancelled), geometry, point);
      return point.occupancy->blocks_per_sm > 0;
    } catch (const std::exception&) {
      return false;  // compile_entry() waits for the same machine code, take_compiled() adds it: they report the reason
    }
  }

  // So that the machine code can be interpreted behind the PTX. Errors come again, and are said, when that is done.
  void disassemble(Compilation& compilation) const {
    try {
      bench_.disassemblies().get(compilation.wait(control_.cancelled).cubin);
    } catch (const std::exception&) {
      return;
    }
  }

  LaunchGeometry geometry() const {
    return launch_geometry(chosen_.kernel, chosen_.complete, point_.shape, chosen_.device);
  }

  bool take_compiled() {
    add_compilation(point_.provenance, prepared_.compiled);
    point_.compiler_log = prepared_.compiled.log;
    for (const std::string& name : prepared_.compiled.hashed_headers) {
      point_.notes.push_back(
          "The text of \"" + name +
          "\", which the source includes, is not carried with it, only its SHA-256: the file "
          "lies outside the kernel's folder or is no header by its name.");
    }
    if (chosen_.kernel.is_launched_by_library()) return true;
    prepared_.geometry = geometry();
    add_resources(chosen_, prepared_.compiled, prepared_.geometry, point_);
    if (point_.occupancy->blocks_per_sm == 0) {
      return ended(Status::invalid_configuration, why_not_resident(*point_.occupancy, *point_.resources,
                                                                   prepared_.geometry, chosen_.device));
    }
    if (control_.cancelled()) return ended(Status::cancelled, "cancelled after compiling");
    if (meanwhile_ != nullptr && !has_sent_compiled_) send_compiled(meanwhile_->stages, point_);
    return true;
  }

  Workbench& bench_;
  const ChosenExperiment& chosen_;
  const Purpose purpose_;
  const MeasureControl& control_;
  const WhileCompiling* const meanwhile_;
  Measurement& point_;
  PreparedKernel& prepared_;
  bool has_sent_compiled_ = false;
};

}  // namespace

KernelDeclaration find_kernel(Workbench& bench, const Experiment& experiment) {
  if (experiment.source) return read_carried_kernel(*experiment.source, bench.installation().cache);
  return bench.catalogue().find(experiment.kernel);
}

std::string why_not_interpreted(const ChosenExperiment& chosen) {
  if (chosen.bytes() <= most_tensor_bytes) return "";
  return fmt::format(
      "Not interpreted, so neither checked nor counted: the tensors take {:.1f} GB, and the limit is {:.0f} "
      "GB. Choose a smaller shape.",
      chosen.bytes() * 1e-9, most_tensor_bytes * 1e-9);
}

std::string no_ptx(const KernelDeclaration& kernel) {
  return kernel.name + " is launched by " + proper_name(kernel.library) +
         ", which brings machine code and no PTX";
}

namespace {

Measurement prepare_and_run(Workbench& bench, const Experiment& experiment, Purpose purpose,
                            const MeasureControl& control, const RunPrepared& run,
                            const WhileCompiling* meanwhile) {
  DeviceIdentity identity{experiment.device, "", false};
  const auto failed = [&](Status status, const char* reason) {
    Measurement point = failed_measurement(experiment, status, reason);
    point.device = identity;
    return point;
  };
  try {
    const DeviceModel& device = choose_device(experiment.device, bench.gpus().devices(), bench.tables());
    identity = {device.name, device.arch, device.present};
    ChosenExperiment chosen{experiment, find_kernel(bench, experiment), device, {}};
    check_values(chosen.kernel, experiment.parameters);
    chosen.complete = chosen.kernel.complete(experiment.parameters);
    Measurement point;
    point.kernel = experiment.kernel;
    point.parameters = chosen.complete;
    point.shape = experiment.shape;
    point.device = identity;
    point.provenance = begin_provenance(experiment, bench.gpus().driver_version());
    // Said before a GPU is asked for: with one there would be nothing to interpret either.
    if (purpose == Purpose::interpret && chosen.kernel.is_launched_by_library()) {
      point.status = Status::unsupported;
      point.reason = no_ptx(chosen.kernel) + ": there is nothing to interpret. Measure it instead";
      return point;
    }
    PreparedKernel prepared;
    if (Preparing(bench, chosen, purpose, control, meanwhile, point, prepared).run())
      run(chosen, prepared, point);
    return point;
  } catch (const DeclarationChanged&) {
    throw;
  } catch (const UnknownName& error) {
    return failed(Status::invalid_configuration, error.what());
  } catch (const DeclarationError& error) {
    return failed(Status::invalid_configuration, error.what());
  } catch (const std::exception& error) {
    return failed(Status::unsupported, error.what());
  }
}

}  // namespace

Measurement with_prepared(Workbench& bench, const Experiment& experiment, Purpose purpose,
                          const MeasureControl& control, const RunPrepared& run,
                          const WhileCompiling* meanwhile) {
  constexpr int most_attempts = 10;  // each needs one more save within a fraction of a millisecond
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    try {
      return prepare_and_run(bench, experiment, purpose, control, run, meanwhile);
    } catch (const DeclarationChanged&) {
      continue;
    }
  }
  return failed_measurement(
      experiment, Status::unsupported,
      "the declaration of " + experiment.kernel +
          " changed each time that its code was read: measure again once no program writes to its file");
}

}  // namespace tilescope
