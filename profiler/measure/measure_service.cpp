#include "profiler/measure/measure_service.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <future>

#include "profiler/baselines/library_attention.hpp"
#include "profiler/calibrate/calibration_report.hpp"
#include "profiler/compile/cutlass.hpp"
#include "profiler/cuda/cuda_error.hpp"
#include "profiler/cuda/cupti.hpp"
#include "profiler/measure/device_choice.hpp"
#include "profiler/measure/gpu_host.hpp"
#include "profiler/measure/gpu_port.hpp"
#include "profiler/measure/interpreted_launch.hpp"
#include "profiler/measure/interpreted_sequence.hpp"
#include "profiler/measure/interpreted_window.hpp"
#include "profiler/measure/provenance.hpp"
#include "profiler/occupancy/occupancy.hpp"

namespace tilescope {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Tensors of more than this are not interpreted: a laptop holds these, their reference and a browser. [B]
constexpr double most_tensor_bytes = 4e9;

std::string why_no_latency(const DeviceModel& device, const std::string& why_no_gpu) {
  return "No latency: this machine has no " + device.name + " (" + why_no_gpu +
         "). Registers, shared memory and occupancy are those of the code compiled for " + device.arch + ".";
}

std::string why_not_interpreted(double bytes) {
  return fmt::format(
      "Not interpreted, so neither checked nor counted: the tensors take {:.1f} GB, and the limit is {:.0f} "
      "GB. Choose a smaller shape.",
      bytes * 1e-9, most_tensor_bytes * 1e-9);
}

std::string no_ptx(const KernelDeclaration& kernel) {
  return kernel.name + " is launched by " + proper_name(kernel.library) +
         ", which brings machine code and no PTX";
}

// A session keeps thousands of points, and most of a point's bytes would be the sites that are as cheap as they can be.
constexpr std::size_t most_costly_sites = 8;

void keep_costly_sites(MemoryCounts& memory) {
  std::erase_if(memory.sites, [](const MemorySite& site) { return site.conflicts == 0; });
  if (memory.sites.size() > most_costly_sites) memory.sites.resize(most_costly_sites);
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

  reference::AttentionSizes sizes() const { return attention_sizes(experiment.shape, kernel.result); }
  double bytes() const { return tensor_bytes(experiment.shape, kernel.result); }
};

// What an experiment is run with.
struct MeasureService::Prepared {
  LaunchGeometry geometry;
  CompiledKernel compiled;
  std::future<std::shared_ptr<const ProblemInputs>>
      inputs;  // made while the kernel is compiled, where no GPU makes them

  std::shared_ptr<const ProblemInputs> take_inputs(ReferenceCache& cache, const Chosen& chosen) {
    return inputs.valid() ? inputs.get() : cache.inputs(chosen.sizes(), chosen.experiment.seed);
  }
};

MeasureService::MeasureService(const Installation& installation)
    : installation_(installation), tables_(load_device_tables(installation)) {
  gpus_ = std::make_unique<GpuHost>(tables_);
}

MeasureService::~MeasureService() = default;

Compiler& MeasureService::compiler() {
  if (!compiler_) {
    const NvrtcSearch search{environment("TILESCOPE_CUDA"), installation_.dependencies, gpus_->driver_cuda()};
    compiler_.emplace(Nvrtc::open(search), Compiler::Folders{installation_.kernels, installation_.cache,
                                                             installation_.dependencies});
  }
  return *compiler_;
}

Json MeasureService::devices() {
  Json list = Json::array();
  for (const DeviceModel& device : gpus_->devices()) list.push_back(to_json_document(device));
  for (const DeviceModel& device : tables_) list.push_back(to_json_document(device));
  const cuda::CuptiReport cupti =
      cuda::find_cupti({environment("TILESCOPE_CUDA"), installation_.dependencies, gpus_->driver_cuda()});
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
  return to_json_document(Catalogue(installation_.kernels));
}

Json MeasureService::calibrate(const std::string& device, const MeasureControl& control) {
  CalibrationReport report;
  report.status = Status::unsupported;
  if (gpus_->devices().empty()) {
    report.reason = "there is no GPU to calibrate: " + gpus_->why_none();
    return to_json_document(report);
  }
  try {
    const DeviceModel& chosen = choose_device(device, gpus_->devices(), {});
    report = calibrate_device(chosen, compiler(), installation_.kernels, gpus_->driver_version(), control,
                              why_unusable_);
  } catch (const std::exception& error) {  // no such GPU, no NVRTC
    report.reason = error.what();
  }
  return to_json_document(report);
}

template <class Run>
Measurement MeasureService::with_prepared(const Experiment& experiment, Purpose purpose,
                                          const MeasureControl& control, Run run) {
  DeviceIdentity identity{experiment.device, "", false};
  const auto failed = [&](Status status, const char* reason) {
    Measurement point = failed_measurement(experiment, status, reason);
    point.device = identity;
    return point;
  };
  try {
    const DeviceModel& device = choose_device(experiment.device, gpus_->devices(), tables_);
    identity = {device.name, device.arch, device.present};
    // The catalogue is read anew: a kernel's file may have been edited since the last point.
    Chosen chosen{experiment, Catalogue(installation_.kernels).find(experiment.kernel), device, {}};
    check_values(chosen.kernel, experiment.parameters);
    chosen.complete = chosen.kernel.complete(experiment.parameters);
    Measurement point;
    point.kernel = experiment.kernel;
    point.parameters = chosen.complete;
    point.shape = experiment.shape;
    point.device = identity;
    point.provenance = begin_provenance(experiment, gpus_->driver_version());
    // Said before a GPU is asked for: with one there would be nothing to interpret either.
    if (purpose == Purpose::interpret && chosen.kernel.is_launched_by_library()) {
      point.status = Status::unsupported;
      point.reason = no_ptx(chosen.kernel) + ": there is nothing to interpret. Measure it instead";
      return point;
    }
    Prepared prepared;
    if (prepare(chosen, control, point, prepared)) run(chosen, prepared, point);
    return point;
  } catch (const UnknownName& error) {
    return failed(Status::invalid_configuration, error.what());
  } catch (const DeclarationError& error) {
    return failed(Status::invalid_configuration, error.what());
  } catch (const std::exception& error) {
    return failed(Status::unsupported, error.what());
  }
}

Measurement MeasureService::measure(const Experiment& experiment, const MeasureControl& control) {
  return with_prepared(experiment, Purpose::measure, control,
                       [&](const Chosen& chosen, Prepared& prepared, Measurement& point) {
                         if (chosen.device.present) {
                           measure_here(chosen, prepared, control, point);
                           const bool counts = !chosen.kernel.is_launched_by_library();
                           if (point.status == Status::ok && counts)
                             add_counts(chosen, prepared, control, point);
                           return;
                         }
                         point.notes.push_back(why_no_latency(chosen.device, gpus_->why_none()));
                         interpret(chosen, prepared, {}, control, point);
                         if (point.memory) keep_costly_sites(*point.memory);
                       });
}

Measurement MeasureService::trace(const Experiment& experiment, const Tracing& tracing,
                                  const MeasureControl& control) {
  return with_prepared(experiment, Purpose::interpret, control,
                       [&](const Chosen& chosen, Prepared& prepared, Measurement& point) {
                         interpret(chosen, prepared, tracing, control, point);
                       });
}

bool MeasureService::prepare(const Chosen& chosen, const MeasureControl& control, Measurement& point,
                             Prepared& prepared) {
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
  if (library_launches && !chosen.device.present) {
    return ended(Status::unsupported, no_ptx(chosen.kernel) + ": it needs a GPU, and this machine has no " +
                                          chosen.device.name + " (" + gpus_->why_none() + ")");
  }
  control.report({"compile", 0.1});
  if (!chosen.device.present && chosen.bytes() <= most_tensor_bytes) {
    prepared.inputs =
        std::async(std::launch::async, [this, sizes = chosen.sizes(), seed = chosen.experiment.seed] {
          return references_.inputs(sizes, seed);
        });
  }
  try {
    if (chosen.kernel.entry.empty()) {
      prepared.compiled.source_sha256 = compiler().keep_source(chosen.kernel.source_path);
    } else {
      prepared.compiled = compiler().compile(chosen.kernel, chosen.complete, point.shape, chosen.device.arch);
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
  return true;
}

void MeasureService::interpret(const Chosen& chosen, Prepared& prepared, const Tracing& tracing,
                               const MeasureControl& control, Measurement& point) {
  if (chosen.bytes() > most_tensor_bytes) {
    point.notes.push_back(why_not_interpreted(chosen.bytes()));
    return;
  }
  const auto problem = prepared.take_inputs(references_, chosen);
  const InterpreterPlan plan{chosen.kernel,     chosen.complete, prepared.compiled,
                             prepared.geometry, point.shape,     chosen.device};
  measure_interpreted(programs_, references_, plan, *problem, chosen.experiment.blocks, tracing, control,
                      point);
}

void MeasureService::measure_here(const Chosen& chosen, Prepared& prepared, const MeasureControl& control,
                                  Measurement& point) {
  const auto end = [&](Status status, const std::string& reason) {
    point.status = status;
    point.reason = reason;
    point.latency.reset();
  };
  try {
    control.report({"reference", 0.2});
    const auto problem = references_.get(chosen.sizes(), chosen.experiment.seed, control.cancelled);
    if (!problem) return end(Status::cancelled, "cancelled while the float64 reference was computed");
    GpuPort& gpu = gpus_->port(chosen.device, compiler(), installation_.kernels);
    const double budget_s = chosen.experiment.timing_budget_s;
    if (chosen.kernel.is_launched_by_library()) {
      const LibraryPlan plan{chosen.kernel, prepared.compiled, point.shape, budget_s};
      measure_on_gpu(gpu, plan, *problem, control, point);
      point.provenance.library_version = gpu.library_version();
    } else {
      const GpuPlan plan{chosen.kernel,     chosen.complete, prepared.compiled,
                         prepared.geometry, point.shape,     budget_s};
      measure_on_gpu(gpu, plan, *problem, control, point);
    }
    if (!point.latency) return;
    const std::vector<std::string>& notes = gpu.timing_notes();
    point.notes.insert(point.notes.end(), notes.begin(), notes.end());
    if (point.latency->l2_warm) point.provenance.sm_clock_mhz = point.latency->l2_warm->sm_clock_mhz;
  } catch (const cuda::CudaError& error) {
    const bool out_of_memory = error.result() == CUDA_ERROR_OUT_OF_MEMORY;
    end(out_of_memory ? Status::unsupported : Status::launch_failed, error.what());
    if (error.is_sticky()) why_unusable_ = "a kernel poisoned the CUDA context: " + std::string(error.what());
  } catch (const LibraryUnavailable& error) {
    end(Status::unsupported, error.what());
  } catch (const LibraryRefused& error) {
    end(Status::invalid_configuration, error.what());
  } catch (const LibraryError& error) {
    end(Status::launch_failed, error.what());
  }
}

// A measured point stands, whatever the interpreter says of the same code: it adds counts, or a note why not.
void MeasureService::add_counts(const Chosen& chosen, Prepared& prepared, const MeasureControl& control,
                                Measurement& point) {
  Measurement counted;
  counted.shape = point.shape;
  interpret(chosen, prepared, {}, control, counted);
  if (counted.status != Status::ok) {
    point.notes.push_back("No memory counts: interpreting the kernel gave " + to_string(counted.status) +
                          ": " + counted.reason);
    return;
  }
  point.memory = std::move(counted.memory);
  if (point.memory) keep_costly_sites(*point.memory);
  point.notes.insert(point.notes.end(), counted.notes.begin(), counted.notes.end());
}

WindowSummary MeasureService::trace_window(const Experiment& experiment, const WindowSelection& selection,
                                           const std::function<void(Json events)>& send,
                                           const MeasureControl& control) {
  WindowSummary summary;
  const Measurement point =
      with_prepared(experiment, Purpose::interpret, control,
                    [&](const Chosen& chosen, Prepared& prepared, Measurement& ended) {
                      if (chosen.bytes() > most_tensor_bytes) {
                        ended.status = Status::unsupported;
                        ended.reason = why_not_interpreted(chosen.bytes());
                        return;
                      }
                      const auto problem = prepared.take_inputs(references_, chosen);
                      const InterpreterPlan plan{chosen.kernel,     chosen.complete, prepared.compiled,
                                                 prepared.geometry, ended.shape,     chosen.device};
                      summary = interpret_window(programs_, plan, *problem, selection, send, control);
                    });
  if (point.status == Status::ok) return summary;
  summary.status = point.status;
  summary.reason = point.reason;
  return summary;
}

std::unique_ptr<WorkerService> make_measure_service(const Installation& installation) {
  return std::make_unique<MeasureService>(installation);
}

}  // namespace tilescope
