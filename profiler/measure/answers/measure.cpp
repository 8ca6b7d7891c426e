#include "profiler/requests/measure.hpp"
#include "profiler/baselines/library_attention.hpp"
#include "profiler/cuda/cuda_error.hpp"
#include "profiler/measure/add_prediction.hpp"
#include "profiler/measure/check_and_count.hpp"
#include "profiler/measure/execution_cache.hpp"
#include "profiler/measure/gpu_host.hpp"
#include "profiler/measure/gpu_port.hpp"
#include "profiler/measure/measure_point.hpp"
#include "profiler/measure/point_diagnoses.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

std::string why_no_latency(const DeviceModel& device, const std::string& why_no_gpu) {
  return "No measured latency: this machine has no " + device.name + " (" + why_no_gpu +
         "). Registers, shared memory and occupancy are those of the code compiled for " + device.arch + ".";
}

// A session keeps thousands of points, and most of a point's bytes would be the sites that are as cheap as they can be.
constexpr std::size_t most_costly_sites = 8;

void keep_costly_sites(MemoryCounts& memory) {
  std::erase_if(memory.sites, [](const MemorySite& site) { return site.conflicts == 0; });
  if (memory.sites.size() > most_costly_sites) memory.sites.resize(most_costly_sites);
}

void measure_here(Workbench& bench, const ChosenExperiment& chosen, PreparedKernel& prepared,
                  const MeasureControl& control, PointStages& stages, Measurement& point) {
  const auto end = [&](Status status, const std::string& reason) {
    point.status = status;
    point.reason = reason;
    point.latency.reset();
  };
  try {
    const GpuProblem problem{chosen.sizes(), chosen.experiment.seed};
    GpuPort& gpu = bench.gpus().port(chosen.device, bench.compiler(), bench.installation().kernels);
    const TimingBudget timing{chosen.experiment.timing_budget_s};
    if (chosen.kernel.is_launched_by_library()) {
      const LibraryPlan plan{chosen.kernel, prepared.compiled, point.shape, timing};
      measure_on_gpu(gpu, plan, problem, control, stages, point);
      point.provenance.library_version = gpu.library_version();
    } else {
      const GpuPlan plan{chosen.kernel,     chosen.complete, prepared.compiled,
                         prepared.geometry, point.shape,     timing};
      measure_on_gpu(gpu, plan, problem, control, stages, point);
    }
    if (!point.latency) return;
    const std::vector<std::string> notes = gpu.notes();
    point.notes.insert(point.notes.end(), notes.begin(), notes.end());
    if (point.latency->l2_warm) point.provenance.sm_clock_mhz = point.latency->l2_warm->sm_clock_mhz;
  } catch (const cuda::CudaError& error) {
    const bool out_of_memory = error.result() == CUDA_ERROR_OUT_OF_MEMORY;
    end(out_of_memory ? Status::unsupported : Status::launch_failed, error.what());
    if (error.is_sticky())
      bench.why_unusable = "a kernel poisoned the CUDA context: " + std::string(error.what());
  } catch (const LibraryUnavailable& error) {
    end(Status::unsupported, error.what());
  } catch (const LibraryRefused& error) {
    end(Status::invalid_configuration, error.what());
  } catch (const LibraryError& error) {
    end(Status::launch_failed, error.what());
  }
}

// A measured point stands, whatever the interpreter says of the same code: it adds counts, or a note why not.
void add_counts(Workbench& bench, const ChosenExperiment& chosen, PreparedKernel& prepared,
                const MeasureControl& control, Measurement& point) {
  Measurement counted;
  counted.shape = point.shape;
  counted.resources = point.resources;
  counted.occupancy = point.occupancy;
  std::optional<model::ExecutedLaunch> launch;
  check_and_count(bench, chosen, prepared, {}, control, counted, {.launch = &launch});
  if (counted.status != Status::ok) {
    point.notes.push_back("No memory counts: interpreting the kernel gave " + to_string(counted.status) +
                          ": " + counted.reason);
    return;
  }
  point.memory = std::move(counted.memory);
  point.notes.insert(point.notes.end(), counted.notes.begin(), counted.notes.end());
  add_prediction(chosen, launch, point);
}

// Why a result was wrong on the GPU: the checkers need not run there.
void add_findings(Workbench& bench, const ChosenExperiment& chosen, PreparedKernel& prepared,
                  const MeasureControl& control, Measurement& point) {
  if (chosen.kernel.is_launched_by_library()) return;
  Measurement checked;
  checked.shape = point.shape;
  checked.resources = point.resources;
  checked.occupancy = point.occupancy;
  check_and_count(bench, chosen, prepared, {.check = true}, control, checked, {});
  point.findings = std::move(checked.findings);
}

void measure_and_count(Workbench& bench, const ChosenExperiment& chosen, PreparedKernel& prepared,
                       const MeasureControl& control, PointStages& stages, Measurement& point) {
  measure_here(bench, chosen, prepared, control, stages, point);
  if (point.status == Status::wrong_result) add_findings(bench, chosen, prepared, control, point);
  if (point.status != Status::ok) return;
  if (chosen.kernel.is_launched_by_library()) {
    add_prediction(chosen, std::nullopt, point);
  } else {
    add_counts(bench, chosen, prepared, control, point);
  }
}

void send_checked(PointStages& stages, const Measurement& point) {
  stages.reached(PointStage::checked, [&](PartialPoint& partial) {
    partial.so_far.error = point.error;
    partial.so_far.memory = point.memory;
    if (partial.so_far.memory) keep_costly_sites(*partial.so_far.memory);
  });
}

// Without a GPU.
void count(Workbench& bench, const ChosenExperiment& chosen, PreparedKernel& prepared,
           const MeasureControl& control, PointStages& stages, Measurement& point,
           std::optional<model::ExecutedLaunch>* launch = nullptr) {
  check_and_count(bench, chosen, prepared, {}, control, point, {.launch = launch});
  if (point.status == Status::ok && !control.cancelled()) send_checked(stages, point);
}

// What the interpreter made of the PTX while the machine code was still being compiled. It is the answer where the machine
// code cannot be executed.
struct EarlyCount {
  std::string ptx;
  Measurement counted;
};

// As check_and_count does it later.
void take_counts(Measurement counted, Measurement& point) {
  point.status = counted.status;
  point.reason = std::move(counted.reason);
  point.error = std::move(counted.error);
  point.memory = std::move(counted.memory);
  point.findings = std::move(counted.findings);
  point.notes.insert(point.notes.end(), counted.notes.begin(), counted.notes.end());
}

// Takes what is known of this code and experiment, or executes the code and predicts.
void execute(Workbench& bench, const ChosenExperiment& chosen, PreparedKernel& prepared,
             const MeasureControl& control, PointStages& stages, std::optional<EarlyCount> early,
             Measurement& point) {
  const std::string key = bench.executions().key(chosen, prepared.compiled);
  const std::size_t notes_before = point.notes.size();
  if (bench.executions().add(key, point)) return send_checked(stages, point);
  std::optional<model::ExecutedLaunch> launch;
  // NVRTC makes the same PTX either way; if it ever does not, that of the machine code counts.
  const std::string why_ptx = why_counted_from_ptx(bench, chosen, prepared);
  if (early && early->ptx == prepared.compiled.ptx && !why_ptx.empty()) {
    take_counts(std::move(early->counted), point);
    if (point.memory) point.notes.push_back(why_ptx);
  } else {
    count(bench, chosen, prepared, control, stages, point, &launch);
  }
  add_prediction(chosen, launch, point);
  if (!control.cancelled()) bench.executions().keep(key, point, notes_before);
}

}  // namespace

Measurement measure_point(Workbench& bench, const Measure::Params& params, const MeasureControl& control) {
  PointStages stages(control, params.stages);
  std::optional<EarlyCount> early;
  const auto count_early = [&](const ChosenExperiment& chosen, PreparedKernel& prepared,
                               const MeasureControl& while_compiling) {
    early = EarlyCount{prepared.compiled.ptx, {}};
    early->counted.shape = chosen.experiment.shape;
    count(bench, chosen, prepared, while_compiling, stages, early->counted);
  };
  const auto run = [&](const ChosenExperiment& chosen, PreparedKernel& prepared, Measurement& point) {
    std::optional<NeighbourPrograms> neighbours;
    if (params.neighbours) neighbours.emplace(bench, chosen, prepared);
    if (chosen.device.present) {
      measure_and_count(bench, chosen, prepared, control, stages, point);
    } else {
      point.notes.push_back(why_no_latency(chosen.device, bench.gpus().why_none()));
      execute(bench, chosen, prepared, control, stages, std::move(early), point);
    }
    add_diagnoses(bench, chosen, neighbours, control, point);
    if (point.memory) keep_costly_sites(*point.memory);
  };
  const WhileCompiling meanwhile{stages, count_early};
  Measurement point = with_prepared(bench, params.experiment, Purpose::measure, control, run, &meanwhile);
  add_diagnoses_of_failure(point);
  return point;
}

const RegisterAnswer<Measure> register_measure{measure_point};

}  // namespace tilescope
