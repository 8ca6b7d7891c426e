#include "profiler/service/requests/compare.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "profiler/gpu/timing/turns.hpp"
#include "profiler/measure/gpu/gpu_host.hpp"
#include "profiler/measure/gpu/gpu_port.hpp"
#include "profiler/measure/measure_point.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

// A side and the point that was measured of it.
struct Side {
  const Prepared& kernel;
  Measurement& point;

  double us() const { return point.latency->p50_us; }
};

GpuPort::Ready make_ready(GpuPort& gpu, const Prepared& kernel, std::int64_t launches) {
  gpu.load(kernel);
  gpu.upload({kernel.sizes(), kernel.experiment.seed});
  return gpu.make_ready(kernel, launches);
}

// Whether the result of a run is correct; else the point says what is wrong.
bool is_correct(GpuPort& gpu, GpuPort::Ready& ready, const Side& side, const MeasureControl& control) {
  gpu.upload({side.kernel.sizes(), side.kernel.experiment.seed});
  gpu.poison();
  ready.timing->run();
  const std::optional<ResultCheck> checked = gpu.check(CheckedRows::all, control);
  if (!checked) return false;
  std::string why = add_check(*checked, side.kernel.shape(), "after the turns", side.point.error);
  if (why.empty()) return true;
  side.point.status = Status::wrong_result;
  side.point.reason = std::move(why);
  return false;
}

// A library makes code and places memory anew each time, and its latency with them: cuDNN's by 2 % (H200, 9 us).
constexpr std::size_t contestants_of_kernel = 2, contestants_of_library = 4;

struct Contestants {
  std::vector<GpuPort::Ready> ready;
  std::vector<GraphTimingDevice*> devices;
  std::vector<TurnSide> sides;
  std::vector<std::int64_t> launches;
};

std::size_t count_of(const Side& side) {
  return side.kernel.kernel.is_launched_by_library() ? contestants_of_library : contestants_of_kernel;
}

// A1 B1 A2 B2 ...
Contestants make_contestants(GpuPort& gpu, const Side& a, const Side& b) {
  Contestants made;
  const std::array<std::pair<TurnSide, const Side*>, 2> both{{{TurnSide::a, &a}, {TurnSide::b, &b}}};
  for (std::size_t i = 0; i < std::max(count_of(a), count_of(b)); ++i) {
    for (const auto& [which, side] : both) {
      if (i >= count_of(*side)) continue;
      made.launches.push_back(launches_of_turn(side->us()));
      made.ready.push_back(make_ready(gpu, side->kernel, made.launches.back()));
      made.devices.push_back(made.ready.back().timing.get());
      made.sides.push_back(which);
    }
  }
  return made;
}

std::optional<PairedSeries> run_in_turns(GpuPort& gpu, const Side& a, const Side& b, double budget_s,
                                         const MeasureControl& control) {
  Contestants contestants = make_contestants(gpu, a, b);
  TurnOptions options;
  options.budget_s = budget_s;
  options.time_limit_s = 8 * budget_s;
  options.cancelled = control.cancelled;
  options.progress = [&](double part) { control.report({"time in turns", 0.8 + 0.15 * part}); };
  const auto rounds = time_in_turns<GraphTimingDevice>(contestants.devices, contestants.launches, options);
  if (!rounds) return std::nullopt;
  for (std::size_t i = 0; i < contestants.ready.size(); ++i) {
    const Side& side = contestants.sides[i] == TurnSide::a ? a : b;
    if (!is_correct(gpu, contestants.ready[i], side, control)) return std::nullopt;
  }
  auto series = paired_series(*rounds, contestants.sides, contestants.launches, gpu.default_clock_mhz());
  if (!series) {
    b.point.notes.push_back("The two did not run in turns: " + std::to_string(rounds->size()) +
                            " rounds took all the time, and " + std::to_string(2 * turn_batches) +
                            " are needed.");
  }
  return series;
}

// Runs the two kernels in turns. An error leaves the two points as they were measured, with a note.
std::optional<PairedSeries> try_turns(Workbench& bench, const Side& a, const Side& b, double budget_s,
                                      const MeasureControl& control) {
  std::optional<PairedSeries> series;
  const std::optional<Failure> failure = failure_of([&] {
    GpuPort& gpu = bench.gpus().port(a.kernel.device, bench.compiler(), bench.installation().kernels);
    series = run_in_turns(gpu, a, b, budget_s, control);
  });
  if (!failure) return series;
  b.point.notes.push_back("The two did not run in turns: " + failure->reason);
  if (!failure->why_unusable.empty()) bench.why_unusable = failure->why_unusable;
  return std::nullopt;
}

bool was_timed_here(const Preparation& side) {
  return side.kernel && side.point.status == Status::ok && side.point.latency && side.point.device.present;
}

// The turns say how long it takes; a series of its own only has to say how many launches a turn needs, and to warm up.
constexpr double own_series_share = 0.3;

Experiment timed_briefly(Experiment experiment, double budget_s) {
  experiment.timing_budget_s = std::min(experiment.timing_budget_s, own_series_share * budget_s);
  return experiment;
}

Compare::Answer answer_compare(Workbench& bench, const Compare::Params& params,
                               const MeasureControl& control) {
  const auto measure = [&](std::size_t side) {
    return measure_point(
        bench, {.experiment = timed_briefly(params.experiments[side], params.budget_s), .explain = true},
        control);
  };
  Preparation a = measure(0);
  Preparation b =
      bench.why_unusable.empty()
          ? measure(1)
          : Preparation{failed_measurement(params.experiments[1], Status::cancelled,
                                           "not measured: A left the GPU unusable for this worker")};
  Compare::Answer answer;
  const bool same_problem = a.point.shape == b.point.shape;
  if (was_timed_here(a) && was_timed_here(b) && same_problem && bench.why_unusable.empty())
    answer.series = try_turns(bench, {*a.kernel, a.point}, {*b.kernel, b.point}, params.budget_s, control);
  if (control.cancelled())
    return failed_answer<Compare>(params, Status::cancelled, "cancelled while the two were measured");
  answer.a = std::move(a.point);
  answer.b = std::move(b.point);
  return answer;
}

const RegisterAnswer<Compare> register_compare{answer_compare};

}  // namespace
}  // namespace tilescope
