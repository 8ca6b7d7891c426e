#include "profiler/measure/preparation.hpp"

#include <fmt/format.h>

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

// The catalogue is read anew for every point: a kernel's file may have been edited since the last one.
KernelDeclaration find_kernel(const Workbench& bench, const Experiment& experiment) {
  if (experiment.source) return read_carried_kernel(*experiment.source, bench.installation().cache);
  return Catalogue(bench.installation().kernels).find(experiment.kernel);
}

// Before the compiler knows the registers: what the threads and the declared shared memory allow.
void judged(PointStages& stages, const ChosenExperiment& chosen, const Measurement& point) {
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

void compiled(PointStages& stages, const Measurement& point) {
  stages.reached(PointStage::compiled, [&](PartialPoint& partial) {
    partial.so_far.resources = point.resources;
    partial.so_far.occupancy = point.occupancy;
    partial.so_far.provenance = point.provenance;
    partial.is_occupancy_estimated = false;
  });
}

bool prepare(Workbench& bench, const ChosenExperiment& chosen, Purpose purpose, const MeasureControl& control,
             PointStages* stages, Measurement& point, PreparedKernel& prepared) {
  const auto ended = [&](Status status, std::string reason) {
    point.status = status;
    point.reason = std::move(reason);
    return false;
  };
  if (chosen.kernel.role == KernelRole::micro) {
    return ended(Status::invalid_configuration,
                 chosen.kernel.name +
                     " is a microbenchmark and computes no attention: run tilescope devices "
                     "--calibrate, which runs them all");
  }
  if (std::string why = why_invalid(chosen.kernel, chosen.complete, point.shape, chosen.device);
      !why.empty()) {
    return ended(Status::invalid_configuration, why);
  }
  const bool library_launches = chosen.kernel.is_launched_by_library();
  const bool is_only_looked_at = purpose == Purpose::look && !chosen.kernel.entry.empty();
  if (library_launches && !chosen.device.present && !is_only_looked_at) {
    return ended(Status::unsupported, no_ptx(chosen.kernel) + ": it needs a GPU, and this machine has no " +
                                          chosen.device.name + " (" + bench.gpus().why_none() + ")");
  }
  if (stages != nullptr) judged(*stages, chosen, point);
  control.report({"compile", 0.1});
  if (purpose != Purpose::look && !chosen.device.present && chosen.bytes() <= most_tensor_bytes) {
    prepared.inputs =
        std::async(std::launch::async, [&bench, sizes = chosen.sizes(), seed = chosen.experiment.seed] {
          return bench.references().inputs(sizes, seed);
        });
  }
  try {
    if (chosen.kernel.entry.empty()) {
      prepared.compiled.source_sha256 = bench.compiler().keep_source(chosen.kernel);
    } else {
      prepared.compiled =
          bench.compiler().compile(chosen.kernel, chosen.complete, point.shape, chosen.device.arch);
    }
  } catch (const EntryNotFound& error) {
    point.compiler_log = error.log;
    point.provenance.source_sha256 = error.source_sha256;
    return ended(Status::invalid_configuration, error.what());
  } catch (const CompileFailed& error) {
    point.compiler_log = error.log;
    point.provenance.source_sha256 = error.source_sha256;
    return ended(Status::compile_failed, error.what());
  } catch (const NvrtcUnavailable& error) {
    return ended(Status::unsupported, error.what());
  } catch (const CutlassUnavailable& error) {
    return ended(Status::unsupported, error.what());
  }
  add_compilation(point.provenance, prepared.compiled);
  point.compiler_log = prepared.compiled.log;
  if (library_launches) return true;

  prepared.geometry = launch_geometry(chosen.kernel, chosen.complete, point.shape, chosen.device);
  point.resources = prepared.compiled.resources;
  point.resources->dynamic_shared_bytes = prepared.geometry.dynamic_shared_bytes;
  point.occupancy = occupancy(chosen.device, *point.resources, prepared.geometry);
  if (point.occupancy->blocks_per_sm == 0) {
    return ended(Status::invalid_configuration,
                 why_not_resident(*point.occupancy, *point.resources, prepared.geometry, chosen.device));
  }
  if (control.cancelled()) return ended(Status::cancelled, "cancelled after compiling");
  if (stages != nullptr) compiled(*stages, point);
  return true;
}

}  // namespace

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

Measurement with_prepared(Workbench& bench, const Experiment& experiment, Purpose purpose,
                          const MeasureControl& control, const RunPrepared& run, PointStages* stages) {
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
    if (prepare(bench, chosen, purpose, control, stages, point, prepared)) run(chosen, prepared, point);
    return point;
  } catch (const UnknownName& error) {
    return failed(Status::invalid_configuration, error.what());
  } catch (const DeclarationError& error) {
    return failed(Status::invalid_configuration, error.what());
  } catch (const std::exception& error) {
    return failed(Status::unsupported, error.what());
  }
}

}  // namespace tilescope
