#include "profiler/measure/measure_service.hpp"

#include <cstdlib>

#include "profiler/cuda/cuda_error.hpp"
#include "profiler/cuda/cupti.hpp"
#include "profiler/measure/device_choice.hpp"
#include "profiler/measure/gpu_host.hpp"
#include "profiler/measure/gpu_port.hpp"
#include "profiler/measure/provenance.hpp"
#include "profiler/occupancy/occupancy.hpp"

namespace tilescope {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// What a point without a GPU does not have, in words.
std::string why_not_measured(const DeviceModel& device, const std::string& why_no_gpu) {
  return "No latency and no checked result: this machine has no " + device.name + " (" + why_no_gpu +
         "). Registers, shared memory and occupancy are those of the code compiled for " + device.arch + ".";
}

// A kernel that the SM cannot hold at all: found after compiling, since only the compiler knows the
// registers.
std::string why_not_resident(const Occupancy& occupancy, const Resources& resources,
                             const LaunchGeometry& geometry, const DeviceModel& device) {
  return "no block fits on an SM of " + device.name + ", limited by " + to_string(occupancy.limiter) + ": " +
         std::to_string(geometry.threads) + " threads of " + std::to_string(resources.registers) +
         " registers and " + std::to_string(resources.static_shared_bytes + resources.dynamic_shared_bytes) +
         " B of shared memory";
}

}  // namespace

// An experiment with its names looked up.
struct MeasureService::Chosen {
  const Experiment& experiment;
  KernelDeclaration kernel;
  DeviceModel device;
  Configuration complete;
};

MeasureService::MeasureService(const Installation& installation)
    : installation_(installation), tables_(load_device_tables(installation.devices)) {
  gpus_ = std::make_unique<GpuHost>(tables_);
}

MeasureService::~MeasureService() = default;

Compiler& MeasureService::compiler() {
  if (!compiler_) {
    const NvrtcSearch search{environment("TILESCOPE_CUDA"), installation_.dependencies, gpus_->driver_cuda()};
    compiler_.emplace(Nvrtc::open(search), Compiler::Folders{installation_.kernels, installation_.cache});
  }
  return *compiler_;
}

Json MeasureService::devices() {
  Json list = Json::array();
  for (const DeviceModel& device : gpus_->devices()) list.push_back(to_json_document(device));
  for (const DeviceModel& device : tables_) list.push_back(to_json_document(device));
  const cuda::CuptiReport cupti =
      cuda::find_cupti({environment("TILESCOPE_CUDA"), installation_.dependencies});
  Json counters = {{"library", "CUPTI"}, {"version", nullptr}, {"why_absent", cupti.why_absent}};
  if (cupti.version) counters["version"] = *cupti.version;
  Json compiler_json = {{"library", "NVRTC"}, {"version", nullptr}, {"why_absent", ""}};
  try {
    compiler_json["version"] = compiler().nvrtc().version();
  } catch (const NvrtcUnavailable& error) {
    compiler_json["why_absent"] = error.what();
  }
  return {{"devices", list},
          {"why_no_gpu", gpus_->why_none()},
          {"driver", gpus_->driver_version()},
          {"compiler", compiler_json},
          {"counters", counters}};
}

Json MeasureService::kernels() {
  Json list = Json::array();
  const Catalogue catalogue(installation_.kernels);
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    list.push_back(to_json_document(kernel));
  }
  return {{"kernels", list}};
}

Measurement MeasureService::measure(const Experiment& experiment, const MeasureControl& control) {
  try {
    // The catalogue is read anew: a kernel's file may have been edited since the last point.
    Chosen chosen{experiment,
                  Catalogue(installation_.kernels).find(experiment.kernel),
                  choose_device(experiment.device, gpus_->devices(), tables_),
                  {}};
    check_values(chosen.kernel, experiment.parameters);
    chosen.complete = chosen.kernel.complete(experiment.parameters);
    return measure_chosen(chosen, control);
  } catch (const UnknownName& error) {
    return failed_measurement(experiment, Status::invalid_configuration, error.what());
  } catch (const DeclarationError& error) {
    return failed_measurement(experiment, Status::compile_failed, error.what());
  } catch (const std::exception& error) {
    return failed_measurement(experiment, Status::unsupported, error.what());
  }
}

Measurement MeasureService::measure_chosen(const Chosen& chosen, const MeasureControl& control) {
  Measurement point;
  point.kernel = chosen.experiment.kernel;
  point.parameters = chosen.complete;
  point.shape = chosen.experiment.shape;
  point.device = {chosen.device.name, chosen.device.arch, chosen.device.present};
  point.provenance = begin_provenance(chosen.experiment, gpus_->driver_version());
  const auto ended = [&](Status status, std::string reason) {
    point.status = status;
    point.reason = std::move(reason);
    return point;
  };

  if (std::string why = why_invalid(chosen.kernel, chosen.complete, point.shape, chosen.device);
      !why.empty()) {
    return ended(Status::invalid_configuration, why);
  }
  const LaunchGeometry geometry = launch_geometry(chosen.kernel, chosen.complete, point.shape, chosen.device);

  control.report({"compile", 0.1});
  CompiledKernel compiled;
  try {
    compiled = compiler().compile(chosen.kernel, chosen.complete, point.shape, chosen.device.arch);
  } catch (const CompileFailed& error) {
    point.compiler_log = error.log;
    return ended(Status::compile_failed, error.what());
  } catch (const NvrtcUnavailable& error) {
    return ended(Status::unsupported, error.what());
  }
  add_compilation(point.provenance, compiled);
  point.compiler_log = compiled.log;
  point.resources = compiled.resources;
  point.resources->dynamic_shared_bytes = geometry.dynamic_shared_bytes;
  point.occupancy = occupancy(chosen.device, *point.resources, geometry);
  if (point.occupancy->blocks_per_sm == 0) {
    return ended(Status::invalid_configuration,
                 why_not_resident(*point.occupancy, *point.resources, geometry, chosen.device));
  }
  if (control.cancelled()) return ended(Status::cancelled, "cancelled after compiling");

  if (!chosen.device.present) {
    point.notes.push_back(why_not_measured(chosen.device, gpus_->why_none()));
    return point;
  }
  measure_here(chosen, compiled, geometry, control, point);
  return point;
}

void MeasureService::measure_here(const Chosen& chosen, const CompiledKernel& compiled,
                                  const LaunchGeometry& geometry, const MeasureControl& control,
                                  Measurement& point) {
  const auto end = [&](Status status, const std::string& reason) {
    point.status = status;
    point.reason = reason;
    point.latency.reset();
  };
  try {
    control.report({"reference", 0.2});
    const auto problem = references_.get(point.shape, chosen.experiment.seed, control.cancelled);
    if (!problem) return end(Status::cancelled, "cancelled while the float64 reference was computed");
    GpuPort& gpu = gpus_->port(chosen.device, compiler(), installation_.kernels);
    const GpuPlan plan{chosen.kernel, chosen.complete, compiled,
                       geometry,      point.shape,     chosen.experiment.timing_budget_s};
    measure_on_gpu(gpu, plan, *problem, control, point);
    if (!point.latency) return;
    const std::vector<std::string>& notes = gpu.timing_notes();
    point.notes.insert(point.notes.end(), notes.begin(), notes.end());
    if (point.latency->l2_warm) point.provenance.sm_clock_mhz = point.latency->l2_warm->sm_clock_mhz;
  } catch (const cuda::CudaError& error) {
    const bool out_of_memory = error.result() == CUDA_ERROR_OUT_OF_MEMORY;
    end(out_of_memory ? Status::unsupported : Status::launch_failed, error.what());
    if (error.is_sticky()) why_unusable_ = "a kernel poisoned the CUDA context: " + std::string(error.what());
  }
}

std::unique_ptr<WorkerService> make_measure_service(const Installation& installation) {
  return std::make_unique<MeasureService>(installation);
}

}  // namespace tilescope
