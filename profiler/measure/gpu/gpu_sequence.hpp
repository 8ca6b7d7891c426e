#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/gpu/cuda/launch_end.hpp"
#include "profiler/gpu/timing/latency_timer.hpp"
#include "profiler/gpu/timing/provisional_latency.hpp"
#include "profiler/measure/interpret/result_check.hpp"
#include "profiler/measure/point_stages.hpp"
#include "profiler/measure/prepare/prepared.hpp"
#include "profiler/service/requests/service.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// How long a point is timed, see TimingOptions.
struct TimingBudget {
  /// [s]
  double l2_warm_s;
  double cold_share = TimingOptions{}.cold_share;
};

/// The computation and its inputs.
struct GpuProblem {
  reference::AttentionSizes sizes;
  std::uint64_t seed = 0;
};

/// The rows of a result to compare with float64: a few hundred, spread evenly, or all that are affordable.
enum class CheckedRows { sample, all };

/// Result of timing a kernel on a GPU.
struct Timed {
  Status status = Status::ok;
  /// A sentence, "" when ok.
  std::string reason{};
  /// The largest of all checks.
  std::optional<Error> error{};
  std::optional<Latency> latency{};
  std::vector<std::string> notes{};
  /// "cuDNN 9.19.0" for a kernel of a library.
  std::string library_version{};
  /// Where the GPU ended a launch or refused it.
  cuda::LaunchEnd launch_end = cuda::LaunchEnd::unrelated;

  bool operator==(const Timed&) const = default;
};

/// The interface that the measuring sequence needs of a GPU: profiler/measure/gpu/gpu_port.hpp is the real one, the tests
/// have fakes that fail at each step. Every call throws the GPU's errors.
template <class Gpu>
concept MeasuringGpu = requires(Gpu gpu, const Prepared& kernel, const GpuProblem& problem, CheckedRows rows,
                                const TimingBudget& timing, const MeasureControl& control,
                                const std::function<void(const Latency&)>& warm_is_final) {
  gpu.load(kernel);  // the binary, with its opt-in shared memory
  {
    gpu.max_active_blocks(kernel)
    } -> std::convertible_to<int>;  // per SM, the driver's own count; 0 if unknown
  gpu.upload(problem);              // Q, K and V; the result is allocated
  gpu.poison();                     // the result and shared memory filled with poison_byte
  gpu.launch(kernel);               // once, and waited for
  // Compares the result with float64; nothing when cancelled while the reference was computed.
  { gpu.check(rows, control) } -> std::same_as<std::optional<ResultCheck>>;
  // Both without TFLOP/s; what they return is meaningless once control.cancelled().
  { gpu.time_provisional(kernel, control) } -> std::same_as<ProvisionalLatency>;
  { gpu.time(kernel, timing, control, warm_is_final) } -> std::same_as<Latency>;
};

/// "the largest error is 0.28 at batch 0, head 3, query 17, column 5; the tolerance is 0.0012"
std::string describe_error(const reference::Comparison& comparison, const Shape& shape, const char* when);

/// Adds TFLOP/s and their formula: attention_flops for attention, 2*B*Hq*Sq*Sk*D for the scores alone.
void add_throughput(Latency& latency, const Shape& shape, KernelResult result);

/// Adds a check of the result to the largest error so far. Returns why the result is incorrect, "" where it is not.
std::string add_check(const ResultCheck& check, const Shape& shape, const char* when,
                      std::optional<Error>& error);

/// The driver's count of blocks differs from the occupancy calculator's: a sentence.
std::string describe_other_occupancy(int driver_blocks, std::int64_t calculated_blocks);

namespace gpu_sequence_detail {

/// The steps that measure_on_gpu consists of. Those that return a bool return whether to go on; otherwise the result
/// has a status and a reason.
template <class Gpu>
class Steps {
 public:
  Steps(Gpu& gpu, const Prepared& kernel, const MeasureControl& control, PointStages& stages, Timed& timed)
      : gpu_(gpu), kernel_(kernel), control_(control), stages_(stages), timed_(timed) {}

  void load() {
    gpu_.load(kernel_);
    const int driver_blocks = gpu_.max_active_blocks(kernel_);
    if (kernel_.occupancy && driver_blocks != kernel_.occupancy->blocks_per_sm) {
      timed_.notes.push_back(describe_other_occupancy(driver_blocks, kernel_.occupancy->blocks_per_sm));
    }
    gpu_.upload(GpuProblem{kernel_.sizes(), kernel_.experiment.seed});
  }

  bool check(const char* when) {
    const std::optional<ResultCheck> checked = gpu_.check(CheckedRows::all, control_);
    if (!checked) return end(Status::cancelled, cancelled_in_reference);
    std::string why = add_check(*checked, kernel_.shape(), when, timed_.error);
    return why.empty() || end(Status::wrong_result, std::move(why));
  }

  /// Whether a latency may be shown before all rows are checked. Wrong rows of the sample end no point: the tolerance
  /// grows with the rows that are compared, so the check of all rows decides.
  bool is_sample_correct() {
    const std::optional<ResultCheck> checked = gpu_.check(CheckedRows::sample, control_);
    if (!checked) return end(Status::cancelled, cancelled_in_reference);
    return checked->is_correct() &&
           add_check(*checked, kernel_.shape(), "before timing", timed_.error).empty();
  }

  bool is_wanted(const char* done) {
    return !control_.cancelled() || end(Status::cancelled, std::string("cancelled after ") + done);
  }

  void show_checked() {
    stages_.reached(PointStage::checked, [&](PartialPoint& partial) { partial.so_far.error = timed_.error; });
  }

  /// Shows the latency of a kernel whose result is correct so far. Skipped if the caller wants no stages.
  void show_provisional() {
    if (!stages_.wanted()) return;
    const ProvisionalLatency provisional = gpu_.time_provisional(kernel_, control_);
    show(provisional.latency, &provisional);
  }

  Latency time(const TimingBudget& timing) {
    return gpu_.time(kernel_, timing, control_, [&](const Latency& warm) { show(warm); });
  }

  /// A latency that is not yet the point's; `provisional`: what it comes from, if it is of a few launches.
  void show(Latency latency, const ProvisionalLatency* provisional = nullptr) {
    stages_.reached(PointStage::timed, [&](PartialPoint& partial) {
      add_throughput(latency, kernel_.shape(), kernel_.kernel.result);
      partial.so_far.error = timed_.error;
      partial.so_far.latency = std::move(latency);
      partial.is_latency_provisional = provisional != nullptr;
      partial.is_clock_rising = provisional != nullptr && provisional->is_clock_rising;
    });
  }

 private:
  static constexpr const char* cancelled_in_reference = "cancelled while the float64 reference was computed";

  bool end(Status status, std::string reason) {
    timed_.status = status;
    timed_.reason = std::move(reason);
    return false;
  }

  Gpu& gpu_;
  const Prepared& kernel_;
  const MeasureControl& control_;
  PointStages& stages_;
  Timed& timed_;
};

}  // namespace gpu_sequence_detail

/// Checks some rows of the result, and that every row was written; if they are correct, times a few launches
/// for a provisional latency; checks all rows; times the kernel, and checks again on the buffers that were
/// timed: a race shows in one of the checks. Fills `timed`, which keeps what was found before the GPU threw.
/// Throws what the GPU throws.
///
/// Sends the stage `checked` after the first check, and `timed` up to three times, each replacing the one
/// before: with the provisional latency, with the whole L2-warm series while the L2-cold one is timed, and
/// with both series once the last check has passed, before the caller adds counts. A point with wrong sampled
/// rows is never `timed`.
template <class Gpu>
requires MeasuringGpu<Gpu>
void measure_on_gpu(Gpu& gpu, const Prepared& kernel, const TimingBudget& timing,
                    const MeasureControl& control, PointStages& stages, Timed& timed) {
  gpu_sequence_detail::Steps steps(gpu, kernel, control, stages, timed);
  steps.load();
  control.report({"check", 0.3});
  gpu.poison();
  gpu.launch(kernel);
  if (steps.is_sample_correct()) {
    if (!steps.is_wanted("the check")) return;
    steps.show_checked();
    steps.show_provisional();
    if (!steps.is_wanted("the first launches")) return;
  }
  if (timed.status != Status::ok) return;  // cancelled
  if (!steps.check("before timing") || !steps.is_wanted("the check")) return;

  control.report({"time", 0.5});
  gpu.poison();
  Latency latency = steps.time(timing);
  if (!steps.is_wanted("timing")) return;
  control.report({"check", 0.95});
  if (!steps.check("after timing")) return;
  steps.show(latency);
  add_throughput(latency, kernel.shape(), kernel.kernel.result);
  timed.latency = std::move(latency);
}

}  // namespace tilescope
