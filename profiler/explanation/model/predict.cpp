#include "profiler/explanation/model/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/explanation/model/latency_model.hpp"

namespace tilescope::model {
namespace {

// Kernels that are not attention: 84 % of those held out on an H100 are inside such a band (README.md). With the
// datasheet alone: assumed.
constexpr double other_error = 0.30, other_error_without_fit = 0.45;
// The factor of the band of a kernel with mechanisms that the model was not held against. Assumed.
constexpr double error_unknown = 1.5;
// The band of a latency outside of those to which a device was fitted.
constexpr double error_outside = 1.5;

// The error of ratios over the error of latencies, found when 95 % of an H200's held-out ratios were within factors of 1.22
// (one kernel's configurations) and 1.25 (two kernels), and the error in its table was 0.15.
constexpr double same_kernel_ratio_error = 1.35;
constexpr double kernels_ratio_error = 1.5;

// Over the mean of all blocks.
constexpr double notably_longer = 1.05;

double fitted_figure(const DeviceModel& device, const char* name, double otherwise) {
  const auto found = device.fitted.find(name);
  return found == device.fitted.end() ? otherwise : found->second.value;
}

// The error that 90 % of the points stay below, and in a line where it comes from.
struct Band {
  double error = 0;
  std::string source;
};

// Sentences on the mechanisms that the model was not held against.
std::vector<std::string> unknown_mechanisms(const ExecutedKernel& kernel) {
  std::vector<std::string> notes;
  const bool swaps = std::ranges::any_of(kernel.code, [](const ExecutedInstruction& one) {
    return one.executions > 0 && one.facts.compares_and_swaps;
  });
  if (swaps)
    notes.emplace_back(
        "The kernel has compare-and-swap loops: how often other warps make them repeat is not predicted, and "
        "the band is wider.");
  if (kernel.is_work_taken)
    notes.emplace_back(
        "Blocks take their work from a counter, and the interpreter ran one after the other: equal shares "
        "are assumed, and the band is wider.");
  return notes;
}

Band band_of(double us, const LaunchWork& work, const DeviceModel& device, TableUse use,
             std::vector<std::string>& notes) {
  Band band;
  if (use != TableUse::all || !device.fitted.contains(fitted_error)) {
    band.error = work.is_attention ? attention_error_without_fit : other_error_without_fit;
    band.source = fmt::format(
        "{} {}: {}", device.measured.empty() ? "never measured on" : "not fitted to", device.name,
        work.is_attention ? "97 % of 88 published points of six GPUs were inside such a band" : "assumed");
    return band;
  }
  band.error =
      work.is_attention ? fitted_figure(device, fitted_error, attention_error_without_fit) : other_error;
  band.source =
      work.is_attention
          ? fmt::format("the error of 90 % of the held-out attention points on {}", device.name)
          : "84 % of 45 held-out kernels that are not attention were inside one so wide, on an H100";
  const double least = fitted_figure(device, fitted_least_us, 0),
               most = fitted_figure(device, fitted_most_us, us);
  if ((us >= least && us <= most) || !work.is_attention) return band;
  notes.push_back(
      fmt::format("The predicted latency is outside of the {:.3g} to {:.3g} us to which the model was fitted "
                  "on the {}: its band is "
                  "wider.",
                  least, most, device.name));
  band.error *= error_outside;
  return band;
}

const char* pipe_name(Unit unit) {
  switch (unit) {
    case Unit::tensor:
      return "tensor cores";
    case Unit::fma_light:
    case Unit::fma_heavy:
      return "FMA pipe";
    case Unit::alu:
      return "ALU";
    case Unit::fp16:
      return "FP16 pipe";
    case Unit::fp64:
      return "FP64 pipe";
    case Unit::xu:
      return "MUFU";
    case Unit::lsu:
      return "load-store unit";
    default:
      return "issue";
  }
}

std::vector<PredictionPart> parts_of(const LaunchTime& time) {
  const auto waited = [&](Wait wait) { return time.waits_us[static_cast<std::size_t>(wait)]; };
  return {{"launch", time.launch_us},
          {"block start", waited(Wait::start)},
          {"instruction fetch", time.fetch_us + waited(Wait::jumps)},
          {"issue slots", time.issue_us},
          {"tensor", waited(Wait::tensor)},
          {"FMA and ALU", waited(Wait::arithmetic)},
          {"MUFU", waited(Wait::xu)},
          {"shared memory", waited(Wait::shared_memory)},
          {"bank conflicts", waited(Wait::bank_conflicts)},
          {"L2 and DRAM", waited(Wait::global_memory)},
          {"latency", waited(Wait::latency)},
          {"barriers", waited(Wait::barriers)},
          {"tail", time.tail_us},
          {"clock", time.clock_us}};
}

std::vector<StallReason> stalls_of(const LaunchTime& time) {
  std::vector<StallReason> stalls;
  for (std::size_t i = 0; i < stall_count; ++i) {
    if (time.stalls[i] > 0) stalls.push_back({std::string(stall_names[i]), time.stalls[i]});
  }
  std::ranges::stable_sort(stalls, std::greater{}, &StallReason::warps);
  return stalls;
}

}  // namespace

std::optional<Roofline> roofline(const LaunchTime& time, const LaunchWork& work, const DeviceModel& device) {
  Roofline most;
  const auto consider = [&](double us, std::string of) {
    if (us > most.us) most = {us, std::move(of)};
  };
  consider(time.bounds.pipe_us, pipe_name(time.bounds.pipe));
  if (device.fp16_tflops > 0) consider(work.flops / device.fp16_tflops * 1e-6, "tensor cores");
  consider(time.bounds.l2_us, "L2");
  if (device.dram_gb_per_s > 0) consider(time.bounds.dram_bytes / device.dram_gb_per_s * 1e-3, "DRAM");
  if (most.us <= 0) return std::nullopt;
  return most;
}

std::string why_not_predicted_for(const DeviceModel& device) {
  return device.boost_clock_mhz > 0 ? "" : "nothing is known of the clock of this device.";
}

PredictedPoint predict(const ExecutedLaunch& launch, const LaunchWork& work, const DeviceModel& device,
                       const std::string& table_sha256, TableUse use) {
  PredictedPoint point;
  point.time = launch_time(launch.kernel, launch.plan, model_parameters(device, use));
  const LaunchTime& time = point.time;
  Prediction& prediction = point.prediction;
  prediction.p50_us = time.us;
  Band band = band_of(time.us, work, device, use, point.notes);
  for (std::string& note : unknown_mechanisms(launch.kernel)) {
    point.notes.push_back(std::move(note));
    band.error *= error_unknown;
  }
  // No launch takes less than DRAM needs for what L2 has lost.
  const double least_us = time.launch_us + time.bounds.dram_us;
  prediction.low_us = std::min(prediction.p50_us, std::max(least_us, time.us / (1 + band.error)));
  prediction.high_us = time.us / std::max(1 - band.error, 0.1);
  prediction.band = std::move(band.source);
  if (const std::optional<Roofline> bound = roofline(time, work, device)) {
    prediction.roofline_us = bound->us;
    prediction.roofline_of = bound->of;
  }
  prediction.model = model_name;
  prediction.table_sha256 = table_sha256;
  prediction.parts = parts_of(time);
  prediction.clock_mhz = time.clock_mhz;
  if (time.longest_over_mean > notably_longer)
    prediction.longest_block =
        LongestBlock{static_cast<std::int64_t>(time.longest_block), time.longest_over_mean};
  prediction.stalls = stalls_of(time);
  prediction.ratio_error = RatioError{same_kernel_ratio_error * band.error, kernels_ratio_error * band.error};
  return point;
}

}  // namespace tilescope::model
