#include "profiler/service/requests/measure.hpp"
#include "profiler/measure/add_prediction.hpp"
#include "profiler/measure/caches/execution_cache.hpp"
#include "profiler/measure/gpu/gpu_host.hpp"
#include "profiler/measure/gpu/gpu_port.hpp"
#include "profiler/measure/interpret/count.hpp"
#include "profiler/measure/interpret/ended_launch.hpp"
#include "profiler/measure/measure_point.hpp"
#include "profiler/measure/point_diagnoses.hpp"
#include "profiler/measure/register_answer.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {
namespace {

std::string why_no_latency(const DeviceModel& device, const std::string& why_no_gpu) {
  return "No measured latency: this machine has no " + device.name + " (" + why_no_gpu +
         "). Registers, shared memory and occupancy are those of the code compiled for " + device.arch + ".";
}

// A session keeps thousands of points, and most of a point's bytes would be the sites that are as cheap as they can be.
constexpr std::size_t most_costly_sites = 8;
// Each access to local memory costs time that registers would not.
constexpr std::size_t most_local_sites = 4;

void keep_costly_sites(MemoryCounts& memory) {
  std::vector<MemorySite> local;
  for (const MemorySite& site : memory.sites) {
    if (is_local_site(site)) local.push_back(site);
  }
  std::erase_if(memory.sites,
                [](const MemorySite& site) { return site.conflicts == 0 || is_local_site(site); });
  if (memory.sites.size() > most_costly_sites) memory.sites.resize(most_costly_sites);
  std::ranges::stable_sort(local, std::greater{}, &MemorySite::wavefronts);
  if (local.size() > most_local_sites) local.resize(most_local_sites);
  memory.sites.insert(memory.sites.end(), local.begin(), local.end());
}

// On the GPU of this machine.
Timed time_here(Workbench& bench, const Prepared& kernel, const MeasureControl& control,
                PointStages& stages) {
  Timed timed;
  const std::optional<Failure> failure = failure_of([&] {
    GpuPort& gpu = bench.gpus().port(kernel.device, bench.compiler(), bench.installation().kernels);
    measure_on_gpu(gpu, kernel, {kernel.experiment.timing_budget_s}, control, stages, timed);
    if (kernel.kernel.is_launched_by_library()) timed.library_version = gpu.library_version();
    if (!timed.latency) return;
    const std::vector<std::string> notes = gpu.notes();
    timed.notes.insert(timed.notes.end(), notes.begin(), notes.end());
  });
  if (!failure) return timed;
  // A helper that does not compile says nothing of the kernel.
  timed.status = failure->is_of_compiler ? Status::unsupported : failure->status;
  timed.reason = failure->reason;
  timed.launch_end = failure->launch_end;
  timed.latency.reset();
  if (!failure->why_unusable.empty()) bench.why_unusable = failure->why_unusable;
  return timed;
}

void add_timed(Timed timed, Measurement& point) {
  point.status = timed.status;
  point.reason = std::move(timed.reason);
  point.error = std::move(timed.error);
  point.latency = std::move(timed.latency);
  point.notes.insert(point.notes.end(), timed.notes.begin(), timed.notes.end());
  point.provenance.library_version = std::move(timed.library_version);
  if (point.latency && point.latency->l2_warm)
    point.provenance.sm_clock_mhz = point.latency->l2_warm->sm_clock_mhz;
}

// A measured point stands, whatever the interpreter says of the same code: it adds counts, or a note why not.
void add_counts_of_measured(Counted counted, const Prepared& kernel, bool explain, Measurement& point) {
  if (counted.status != Status::ok) {
    point.notes.push_back("No memory counts: interpreting the kernel gave " + to_string(counted.status) +
                          ": " + counted.reason);
    return;
  }
  point.memory = std::move(counted.memory);
  point.notes.insert(point.notes.end(), counted.notes.begin(), counted.notes.end());
  add_prediction(kernel, counted.launch, explain, point);
}

void add_measured(Workbench& bench, const Prepared& kernel, bool explain, const MeasureControl& control,
                  PointStages& stages, Measurement& point) {
  Timed timed = time_here(bench, kernel, control, stages);
  const cuda::LaunchEnd end = timed.launch_end;
  add_timed(std::move(timed), point);
  if (end != cuda::LaunchEnd::unrelated) return explain_ended_launch(bench, kernel, end, control, point);
  if (kernel.kernel.is_launched_by_library()) {
    add_prediction(kernel, std::nullopt, false, point);
  } else if (point.status == Status::ok) {
    add_counts_of_measured(count(bench, kernel, {}, control), kernel, explain, point);
  } else if (point.status == Status::wrong_result) {
    // Why it was wrong on the GPU: the checkers need not run there.
    point.findings = count(bench, kernel, {.check = true}, control).findings;
  }
}

void send_checked(PointStages& stages, const std::optional<Error>& error,
                  const std::optional<MemoryCounts>& memory) {
  stages.reached(PointStage::checked, [&](PartialPoint& partial) {
    partial.so_far.error = error;
    partial.so_far.memory = memory;
    if (partial.so_far.memory) keep_costly_sites(*partial.so_far.memory);
  });
}

// Without a GPU.
Counted count_and_show(Workbench& bench, const Prepared& kernel, const MeasureControl& control,
                       PointStages& stages) {
  Counted counted = count(bench, kernel, {}, control);
  if (counted.status == Status::ok && !control.cancelled())
    send_checked(stages, counted.error, counted.memory);
  return counted;
}

// The interpreter's counts from the PTX, made while the machine code was still being compiled. They are the
// answer where the machine code cannot be executed.
struct EarlyCount {
  std::string ptx;
  Counted counted;
};

Counted count_or_take(Workbench& bench, const Prepared& kernel, const MeasureControl& control,
                      PointStages& stages, std::optional<EarlyCount> early) {
  // NVRTC makes the same PTX either way; if it ever does not, the machine code's PTX counts.
  std::string why_ptx = why_counted_from_ptx(bench, kernel);
  if (!early || early->ptx != kernel.compiled.ptx || why_ptx.empty())
    return count_and_show(bench, kernel, control, stages);
  if (early->counted.memory) early->counted.notes.push_back(std::move(why_ptx));
  return std::move(early->counted);
}

// Takes what is known of this code and experiment, or executes the code and predicts.
void add_interpreted(Workbench& bench, const Prepared& kernel, bool explain, const MeasureControl& control,
                     PointStages& stages, std::optional<EarlyCount> early, Measurement& point) {
  point.notes.push_back(why_no_latency(kernel.device, bench.gpus().why_none()));
  const std::string key = bench.executions().key(kernel, explain);
  const std::size_t notes_before = point.notes.size();
  if (bench.executions().add(key, point)) return send_checked(stages, point.error, point.memory);
  Counted counted = count_or_take(bench, kernel, control, stages, std::move(early));
  const std::optional<model::ExecutedLaunch> launch = std::move(counted.launch);
  add_counted(std::move(counted), point);
  add_prediction(kernel, launch, explain, point);
  if (!control.cancelled()) bench.executions().keep(key, point, notes_before);
}

}  // namespace

Preparation measure_point(Workbench& bench, const Measure::Params& params, const MeasureControl& control) {
  PointStages stages(control, params.stages);
  std::optional<EarlyCount> early;
  const WhileCompiling meanwhile{
      stages, [&](const Prepared& kernel, const MeasureControl& until_it_ends) {
        early = {kernel.compiled.ptx, count_and_show(bench, kernel, until_it_ends, stages)};
      }};
  Preparation made = prepare(bench, params.experiment, Purpose::measure, control, &meanwhile);
  const auto add_up = [&](const Prepared& kernel, Measurement& point) {
    std::optional<VariantPrograms> variants;
    if (params.variants) variants.emplace(bench, kernel);
    if (kernel.device.present) {
      add_measured(bench, kernel, params.explain, control, stages, point);
    } else {
      add_interpreted(bench, kernel, params.explain, control, stages, std::move(early), point);
    }
    add_diagnoses(bench, kernel, variants, control, point);
    if (point.memory) keep_costly_sites(*point.memory);
  };
  if (made.kernel) {
    const auto failure = failure_of([&] { add_up(*made.kernel, made.point); });
    if (failure) made.point = failed_point(*made.kernel, *failure);
  }
  add_diagnoses_of_failure(made.point);
  return made;
}

namespace {

Measurement answer_measure(Workbench& bench, const Measure::Params& params, const MeasureControl& control) {
  return measure_point(bench, params, control).point;
}

const RegisterAnswer<Measure> register_measure{answer_measure};

}  // namespace
}  // namespace tilescope
