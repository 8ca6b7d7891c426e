#include "sessions/measurement.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/enum_names.hpp"

namespace tilescope {
namespace {

constexpr std::string_view elements_ending = ": elements";

constexpr EnumNames<Limiter, 4> limiter_names{{{Limiter::registers, "registers"},
                                               {Limiter::shared_memory, "shared_memory"},
                                               {Limiter::warps, "warps"},
                                               {Limiter::blocks, "blocks"}}};

constexpr EnumNames<LatencyKind, 2> latency_kind_names{
    {{LatencyKind::measured, "measured"}, {LatencyKind::recorded, "recorded"}}};

}  // namespace

std::string to_string(Limiter limiter) {
  return name_of(limiter, limiter_names);
}
std::string resource_words(Limiter limiter) {
  return limiter == Limiter::shared_memory ? "shared memory" : to_string(limiter);
}
bool is_full(const Occupancy& occupancy) {
  return occupancy.fraction >= 1;
}
std::string limiter_words(const Occupancy& occupancy) {
  if (is_full(occupancy)) return "SM full (warps)";
  std::string words = resource_words(occupancy.limiter);
  for (const Limiter other : occupancy.also_limited_by) words += " and " + resource_words(other);
  return words;
}
Limiter limiter_from(const std::string& text) {
  return value_of(text, limiter_names, "limiter");
}

std::string to_string(LatencyKind kind) {
  return name_of(kind, latency_kind_names);
}
LatencyKind latency_kind_from(const std::string& text) {
  return value_of(text, latency_kind_names, "kind of latency");
}

std::string compiler_words(const Provenance& provenance) {
  const bool is_nvrtc = provenance.compiler == KernelCompiler::nvrtc;
  const std::string& version = is_nvrtc ? provenance.nvrtc_version : provenance.nvcc_version;
  if (version.empty()) return is_nvrtc ? "" : proper_name(provenance.compiler);
  return proper_name(provenance.compiler) + " " + version;
}

std::string elements_argument(const std::string& buffer) {
  return buffer + std::string(elements_ending);
}

bool has_wrong_values(const Measurement& measurement) {
  return std::ranges::find(measurement.findings, "wrong_value", &Finding::kind) != measurement.findings.end();
}

bool times_part_of_attention(const Measurement& measurement) {
  if (!measurement.latency || measurement.arguments) return false;
  const Latency& latency = *measurement.latency;
  if (!(latency.tflops > 0)) return false;  // Not said, as of an imported point.
  // Tables that count the masked half too have twice the operations.
  return latency.tflops * latency.p50_us * 1e6 <= 0.75 * attention_flops(measurement.shape);
}

std::string file_problem(const Measurement& measurement) {
  return measurement.arguments ? measurement.kernel + " " + to_string(*measurement.arguments) : "";
}

std::string problem_words(const Measurement& measurement) {
  if (!measurement.arguments) return to_string(measurement.shape);
  std::string numbers, buffers;
  for (const auto& [name, value] : *measurement.arguments) {
    if (name.ends_with(elements_ending)) {
      buffers += (buffers.empty() ? "" : ", ") + name + " " + to_string(value);
    } else {
      numbers += (numbers.empty() ? "" : " ") + name + "=" + to_string(value);
    }
  }
  if (!numbers.empty()) return numbers;
  return buffers.empty() ? "no arguments with a name" : buffers;
}

Measurement failed_measurement(const Experiment& experiment, Status status, std::string reason) {
  Measurement measurement;
  measurement.status = status;
  measurement.reason = std::move(reason);
  measurement.kernel = experiment.kernel;
  measurement.parameters = experiment.parameters;
  measurement.shape = experiment.shape;
  measurement.device.name = experiment.device;
  measurement.provenance.time_utc = utc_now();
  measurement.provenance.seed = experiment.seed;
  measurement.provenance.compiler = experiment.compiler;
  return measurement;
}

Experiment experiment_of(const Measurement& measurement) {
  Experiment experiment;
  experiment.kernel = measurement.kernel;
  experiment.parameters = measurement.parameters;
  experiment.shape = measurement.shape;
  experiment.device = measurement.device.name;
  experiment.seed = measurement.provenance.seed;
  experiment.compiler = measurement.provenance.compiler;
  return experiment;
}

}  // namespace tilescope
