#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/catalogue/constraints.hpp"
#include "profiler/compile/compiler.hpp"
#include "profiler/measure/point_stages.hpp"
#include "profiler/measure/reference_cache.hpp"
#include "profiler/measure/result_check.hpp"
#include "profiler/requests/service.hpp"
#include "profiler/timing/latency_timer.hpp"
#include "profiler/timing/provisional_latency.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// How long a point is timed, see TimingOptions.
struct TimingBudget {
  /// [s]
  double l2_warm_s;
  double cold_share = TimingOptions{}.cold_share;
};

/// The launch of one of our kernels.
struct GpuPlan {
  const KernelDeclaration& kernel;
  const Configuration& complete;
  const CompiledKernel& compiled;
  const LaunchGeometry& geometry;
  const Shape& shape;
  TimingBudget timing;
};

/// A kernel that a library launches.
struct LibraryPlan {
  const KernelDeclaration& kernel;
  /// The declaration's entry, which runs besides the library's kernels; empty if there is none.
  const CompiledKernel& compiled;
  const Shape& shape;
  TimingBudget timing;
};

/// What is computed, and with which inputs.
struct GpuProblem {
  reference::AttentionSizes sizes;
  std::uint64_t seed = 0;
};

/// The rows of a result to compare with float64: a few hundred, spread evenly, or all that are affordable.
enum class CheckedRows { sample, all };

/// The interface that the measuring sequence needs of a GPU: profiler/measure/gpu_port.hpp is the real one, the tests
/// have fakes that fail at each step. Every call throws the GPU's errors.
template <class Gpu, class Plan>
concept MeasuringGpu = requires(Gpu gpu, const Plan& plan, const GpuProblem& problem, CheckedRows rows,
                                const MeasureControl& control,
                                const std::function<void(const Latency&)>& warm_is_final) {
  gpu.load(plan);  // the binary, with its opt-in shared memory
  {
    gpu.max_active_blocks(plan)
    } -> std::convertible_to<int>;  // per SM, the driver's own count; 0 if unknown
  gpu.upload(problem);              // Q, K and V; the result is allocated
  gpu.poison();                     // the result and shared memory filled with poison_byte
  gpu.launch(plan);                 // once, and waited for
  // Compares the result with float64; nothing when cancelled while the reference was computed.
  { gpu.check(rows, control) } -> std::same_as<std::optional<ResultCheck>>;
  // Both without TFLOP/s; what they return is meaningless once control.cancelled().
  { gpu.time_provisional(plan, control) } -> std::same_as<ProvisionalLatency>;
  { gpu.time(plan, control, warm_is_final) } -> std::same_as<Latency>;
};

/// "the largest error is 0.28 at batch 0, head 3, query 17, column 5; the tolerance is 0.0012"
std::string describe_error(const reference::Comparison& comparison, const Shape& shape, const char* when);

/// Adds TFLOP/s and their formula: attention_flops for attention, 2*B*Hq*Sq*Sk*D for the scores alone.
void add_throughput(Latency& latency, const Shape& shape, KernelResult result);

/// Adds a check of the result to a point: the error, where it is the largest so far, and the status and reason of an
/// incorrect result. Returns whether it is correct.
bool add_check(const ResultCheck& check, const Shape& shape, const char* when, Measurement& point);

/// The driver's count of blocks differs from the occupancy calculator's: a sentence.
std::string describe_other_occupancy(int driver_blocks, std::int64_t calculated_blocks);

namespace gpu_sequence_detail {

/// The steps that measure_on_gpu consists of. Those that return a bool return whether to go on; otherwise the point has
/// a status and a reason.
template <class Gpu, class Plan>
class Steps {
 public:
  Steps(Gpu& gpu, const Plan& plan, const MeasureControl& control, PointStages& stages, Measurement& point)
      : gpu_(gpu), plan_(plan), control_(control), stages_(stages), point_(point) {}

  void load(const GpuProblem& problem) {
    gpu_.load(plan_);
    const int driver_blocks = gpu_.max_active_blocks(plan_);
    if (point_.occupancy && driver_blocks != point_.occupancy->blocks_per_sm) {
      point_.notes.push_back(describe_other_occupancy(driver_blocks, point_.occupancy->blocks_per_sm));
    }
    gpu_.upload(problem);
  }

  bool check(const char* when) {
    const std::optional<ResultCheck> checked = gpu_.check(CheckedRows::all, control_);
    if (!checked) return end(Status::cancelled, cancelled_in_reference);
    return add_check(*checked, plan_.shape, when, point_);
  }

  /// Whether a latency may be shown before all rows are checked. Wrong rows of the sample end no point: the tolerance
  /// grows with the rows that are compared, so the check of all rows decides.
  bool is_sample_correct() {
    const std::optional<ResultCheck> checked = gpu_.check(CheckedRows::sample, control_);
    if (!checked) return end(Status::cancelled, cancelled_in_reference);
    return checked->is_correct() && add_check(*checked, plan_.shape, "before timing", point_);
  }

  bool is_wanted(const char* done) {
    return !control_.cancelled() || end(Status::cancelled, std::string("cancelled after ") + done);
  }

  void show_checked() {
    stages_.reached(PointStage::checked, [&](PartialPoint& partial) { partial.so_far.error = point_.error; });
  }

  /// Of a kernel whose result is correct so far. Left out where nobody looks at it.
  void show_provisional() {
    if (!stages_.wanted()) return;
    const ProvisionalLatency provisional = gpu_.time_provisional(plan_, control_);
    show(provisional.latency, &provisional);
  }

  Latency time() {
    return gpu_.time(plan_, control_, [&](const Latency& warm) { show(warm); });
  }

  /// A latency that is not yet the point's; `provisional`: what it comes from, if it is of a few launches.
  void show(Latency latency, const ProvisionalLatency* provisional = nullptr) {
    stages_.reached(PointStage::timed, [&](PartialPoint& partial) {
      add_throughput(latency, plan_.shape, plan_.kernel.result);
      partial.so_far.error = point_.error;
      partial.so_far.latency = std::move(latency);
      partial.is_latency_provisional = provisional != nullptr;
      partial.is_clock_rising = provisional != nullptr && provisional->is_clock_rising;
    });
  }

 private:
  static constexpr const char* cancelled_in_reference = "cancelled while the float64 reference was computed";

  bool end(Status status, std::string reason) {
    point_.status = status;
    point_.reason = std::move(reason);
    return false;
  }

  Gpu& gpu_;
  const Plan& plan_;
  const MeasureControl& control_;
  PointStages& stages_;
  Measurement& point_;
};

}  // namespace gpu_sequence_detail

/// Checks some rows of the result, and that every row was written; if they are correct, times a few launches for those who watch; checks all
/// rows; times the kernel, and checks again on the buffers that were timed: a race shows in one of the checks. Fills
/// error, latency, status and notes of a point that is `ok` so far. Throws what the GPU throws.
///
/// Sends the stage `checked` after the first check, and `timed` up to three times, each replacing the one before: with
/// the provisional latency, with the whole L2-warm series while the L2-cold one is timed, and with both series once the
/// last check has passed, before the caller adds counts. A point with wrong sampled rows is never `timed`.
template <class Gpu, class Plan>
requires MeasuringGpu<Gpu, Plan>
void measure_on_gpu(Gpu& gpu, const Plan& plan, const GpuProblem& problem, const MeasureControl& control,
                    PointStages& stages, Measurement& point) {
  gpu_sequence_detail::Steps steps(gpu, plan, control, stages, point);
  steps.load(problem);
  control.report({"check", 0.3});
  gpu.poison();
  gpu.launch(plan);
  if (steps.is_sample_correct()) {
    if (!steps.is_wanted("the check")) return;
    steps.show_checked();
    steps.show_provisional();
    if (!steps.is_wanted("the first launches")) return;
  }
  if (point.status != Status::ok) return;  // cancelled
  if (!steps.check("before timing") || !steps.is_wanted("the check")) return;

  control.report({"time", 0.5});
  gpu.poison();
  Latency latency = steps.time();
  if (!steps.is_wanted("timing")) return;
  control.report({"check", 0.95});
  if (!steps.check("after timing")) return;
  steps.show(latency);
  add_throughput(latency, plan.shape, plan.kernel.result);
  point.latency = std::move(latency);
}

}  // namespace tilescope
