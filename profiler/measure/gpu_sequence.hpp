#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/catalogue/constraints.hpp"
#include "profiler/compile/compiler.hpp"
#include "profiler/measure/reference_cache.hpp"
#include "profiler/measure/unwritten_rows.hpp"
#include "profiler/requests/service.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// The launch of one of our kernels.
struct GpuPlan {
  const KernelDeclaration& kernel;
  const Configuration& complete;
  const CompiledKernel& compiled;
  const LaunchGeometry& geometry;
  const Shape& shape;
  /// [s] for each series
  double timing_budget_s;
};

/// A kernel that a library launches.
struct LibraryPlan {
  const KernelDeclaration& kernel;
  /// The declaration's entry, which runs besides the library's kernels; empty if there is none.
  const CompiledKernel& compiled;
  const Shape& shape;
  /// [s] for each series
  double timing_budget_s;
};

/// The interface that the measuring sequence needs of a GPU: profiler/measure/gpu_port.hpp is the real one, the tests
/// have fakes that fail at each step. Every call throws the GPU's errors.
template <class Gpu, class Plan>
concept MeasuringGpu = requires(Gpu gpu, const Plan& plan, const CheckedProblem& problem,
                                const MeasureControl& control) {
  gpu.load(plan);  // the binary, with its opt-in shared memory
  {
    gpu.max_active_blocks(plan)
    } -> std::convertible_to<int>;  // per SM, the driver's own count; 0 if unknown
  gpu.upload(problem);              // Q, K and V; the result is allocated
  gpu.poison();                     // the result and shared memory filled with poison_byte
  gpu.launch(plan);                 // once, and waited for
  { gpu.output() } -> std::same_as<std::vector<std::uint16_t>>;  // the whole result
  { gpu.time(plan, control) } -> std::same_as<Latency>;          // without TFLOP/s
};

/// "the largest error is 0.28 at batch 0, head 3, query 17, column 5; the tolerance is 0.0012"
std::string describe_error(const reference::Comparison& comparison, const Shape& shape, const char* when);

/// Adds TFLOP/s and their formula: attention_flops for attention, 2*B*Hq*Sq*Sk*D for the scores alone.
void add_throughput(Latency& latency, const Shape& shape, KernelResult result);

/// Checks the result, including that every row was written, times the kernel, and checks again on the buffers that were
/// timed: a race shows in one of the two. Fills error, latency, status and notes of a point that is `ok` so far. Throws
/// what the GPU throws.
template <class Gpu, class Plan>
requires MeasuringGpu<Gpu, Plan>
void measure_on_gpu(Gpu& gpu, const Plan& plan, const CheckedProblem& problem, const MeasureControl& control,
                    Measurement& point) {
  gpu.load(plan);
  const int driver_blocks = gpu.max_active_blocks(plan);
  if (point.occupancy && driver_blocks != point.occupancy->blocks_per_sm) {
    point.notes.push_back("The driver allows " + std::to_string(driver_blocks) +
                          " blocks per SM, the occupancy calculator " +
                          std::to_string(point.occupancy->blocks_per_sm) + ".");
  }
  gpu.upload(problem);

  const auto check = [&](const char* when) {
    const std::vector<std::uint16_t> output = gpu.output();
    const reference::Comparison comparison = reference::compare(problem.reference, problem.sizes, output);
    const bool worse = !point.error || !(comparison.max_abs <= point.error->max_abs);
    if (worse) {
      point.error = Error{comparison.max_abs,
                          comparison.max_rel,
                          comparison.tolerance,
                          "gpu",
                          static_cast<std::int64_t>(problem.reference.rows.size()),
                          problem.sizes.rows()};
    }
    // The reference of a large problem has only some of its rows, but unwritten rows are looked for in all.
    const UnwrittenRows unwritten = find_poisoned_rows(output, problem.sizes);
    if (comparison.within && unwritten.count == 0) return true;
    point.status = Status::wrong_result;
    point.reason = unwritten.count == 0 ? describe_error(comparison, plan.shape, when)
                                        : describe(unwritten, plan.shape) + " (" + when +
                                              "): they still hold the NaN with which the output was filled";
    return false;
  };

  control.report({"check", 0.3});
  gpu.poison();
  gpu.launch(plan);
  if (!check("before timing")) return;
  if (control.cancelled()) {
    point.status = Status::cancelled;
    point.reason = "cancelled after the check";
    return;
  }
  control.report({"time", 0.5});
  gpu.poison();
  Latency latency = gpu.time(plan, control);
  if (control.cancelled()) {
    point.status = Status::cancelled;
    point.reason = "cancelled while timing";
    return;
  }
  control.report({"check", 0.95});
  if (!check("after timing")) return;
  add_throughput(latency, plan.shape, plan.kernel.result);
  point.latency = std::move(latency);
}

}  // namespace tilescope
