#include "sessions/views/points/point_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text/format.hpp"
#include "sessions/metrics/registry.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/views/model/prediction_text.hpp"
#include "sessions/views/occupancy/occupancy_series.hpp"
#include "sessions/views/points/metric_text.hpp"

namespace tilescope {

namespace {

std::int64_t shared_bytes(const Resources& resources) {
  return resources.static_shared_bytes + resources.dynamic_shared_bytes;
}

/// B,H,S,D with "Hq/Hkv" and "SqxSk" if they differ, as `tilescope measure --shape` reads it.
std::string shape_argument(const Shape& shape) {
  std::string text = std::to_string(shape.B) + ',' + std::to_string(shape.Hq);
  if (shape.Hkv != shape.Hq) text += '/' + std::to_string(shape.Hkv);
  text += ',' + std::to_string(shape.Sq);
  if (shape.Sk != shape.Sq) text += 'x' + std::to_string(shape.Sk);
  return text + ',' + std::to_string(shape.D);
}

void add_failure(std::vector<TextPair>& lines, const Measurement& point) {
  if (point.status == Status::ok) return;
  lines.emplace_back("status", status_words(point));
  if (!point.reason.empty()) lines.emplace_back("reason", point.reason);
}

// Faults of a file's point leave it without a rank.
void add_fault(std::vector<TextPair>& lines, const Measurement& point) {
  if (!point.arguments) return;
  const auto fault = std::ranges::find_if(point.findings, is_fault);
  if (fault != point.findings.end()) lines.emplace_back("fault", fault->text);
}

// Names the compiler of a point that is not NVRTC's, as nearly all are: a point of the same configuration may stand
// beside it.
void add_compiler(std::vector<TextPair>& lines, const Measurement& point) {
  if (point.provenance.compiler != KernelCompiler::nvrtc)
    lines.emplace_back("compiler", compiler_words(point.provenance));
}

}  // namespace

std::string shell_quoted(const std::string& argument) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,=+-:";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
  std::string text = "'";
  for (const char letter : argument) {
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return text + "'";
}

std::string device_words(const DeviceIdentity& device) {
  return device.name.empty() ? "a device without a name" : device.name;
}

std::string origin_words(const Measurement& point, bool recorded) {
  if (recorded && !point.latency && point.prediction)
    return "predicted for " + device_words(point.device) + ", of the recorded session";
  if (recorded) return "recorded on " + device_words(point.device);
  if (point.latency) return to_string(point.latency->kind) + " on " + device_words(point.device);
  if (point.prediction) return "predicted for " + device_words(point.device);
  return (point.resources ? "compiled for " : "for ") + device_words(point.device);
}

std::string origin_heading(const Measurement& point, bool recorded) {
  const std::string text = capitalised(origin_words(point, recorded));
  // The day of an ISO 8601 time.
  const std::string day = point.provenance.time_utc.substr(0, 10);
  return day.empty() ? text : text + ", " + day;
}

// A point of a file is ok only where its values were compared with expected ones.
static bool is_not_checked(const Measurement& point) {
  return point.status == Status::ok && !point.error && !point.arguments;
}

std::string status_label(Status status) {
  switch (status) {
    case Status::ok:
      return "Correct";
    case Status::unchecked:
      return "Not checked";
    case Status::invalid_configuration:
      return "Invalid configuration";
    case Status::compile_failed:
      return "Compile failed";
    case Status::launch_failed:
      return "Launch failed";
    case Status::wrong_result:
      return "Incorrect result";
    case Status::unsupported:
      return "Unsupported";
    case Status::timed_out:
      return "Timed out";
    case Status::worker_lost:
      return "Worker lost";
    case Status::cancelled:
      return "Cancelled";
  }
  return {};
}

std::string status_label(const Measurement& point) {
  if (has_wrong_values(point)) return status_label(Status::wrong_result);
  return is_not_checked(point) ? "Not checked" : status_label(point.status);
}

std::string status_words(const Measurement& point) {
  if (has_wrong_values(point)) return status_label(point);
  if (is_not_checked(point))
    return point.latency && !point.resources ? "Timed, result not checked" : "Compiled, result not checked";
  if (point.status == Status::unchecked) return "Executed, result not checked";
  // A kernel that faults while it runs was launched.
  if (point.status == Status::launch_failed) return "Did not run to completion";
  return status_label(point.status);
}

namespace {

std::string also_limited_words(const Occupancy& occupancy) {
  std::string words;
  for (const Limiter other : occupancy.also_limited_by)
    words += (words.empty() ? "" : " and ") + resource_words(other);
  return words.empty() ? "" : " " + capitalised(words) + " would allow no more either.";
}

std::string limit_sentence(const Measurement& point) {
  const Occupancy& occupancy = *point.occupancy;
  if (occupancy.blocks_per_sm == 0) return "No block fits on an SM: a block needs more than the SM has.";
  const std::int64_t warps = occupancy.warps_per_sm / occupancy.blocks_per_sm;
  const std::string blocks =
      format_count(occupancy.blocks_per_sm) + (occupancy.blocks_per_sm == 1 ? " block" : " blocks");
  const std::string each = format_count(warps) + (warps == 1 ? " warp" : " warps");
  const std::string residency = " residency to " + blocks + " per SM";
  if (is_full(occupancy)) return "The SM is full: " + blocks + " of " + each + " are all that it holds.";
  switch (occupancy.limiter) {
    case Limiter::registers:
      if (!point.resources) break;
      return "Registers limit" + residency + ": " + format_count(point.resources->registers) +
             " per thread, " + format_count(warps * 32) +
             " threads per block. Fewer registers per thread or fewer warps per block allow more.";
    case Limiter::shared_memory:
      if (!point.resources) break;
      return "Shared memory limits" + residency + ": " + format_count(shared_bytes(*point.resources)) +
             " B per block. Smaller tiles allow more.";
    case Limiter::warps:
      return "Warps limit" + residency + ": another block of " + each +
             " exceeds the SM's maximum. Smaller blocks fill it better.";
    case Limiter::blocks:
      return "The block limit of the SM is reached: " + blocks + " of " + each +
             ". More warps per block fill it better.";
  }
  return {};
}

}  // namespace

std::string limiter_sentence(const Measurement& point) {
  if (!point.occupancy) return {};
  const std::string sentence = limit_sentence(point);
  return is_full(*point.occupancy) || sentence.empty() ? sentence
                                                       : sentence + also_limited_words(*point.occupancy);
}

std::vector<TextPair> latency_tooltip(const Measurement& point, bool recorded) {
  std::vector<TextPair> lines;
  add_failure(lines, point);
  add_fault(lines, point);
  if (point.latency) {
    const Latency& latency = *point.latency;
    lines.emplace_back("p50", format_latency(latency.p50_us) + ", " + origin_words(point, recorded));
    lines.emplace_back("p10 to p90", format_spread(latency.p10_us, latency.p90_us));
    if (latency.samples > 0) lines.emplace_back("samples", format_count(latency.samples));
    if (!point.arguments) lines.emplace_back("speed", format_number(latency.tflops, 2) + " TFLOP/s");
  }
  if (point.prediction) {
    const std::optional<double> error = prediction_error(point);
    lines.emplace_back("predicted for " + point.device.name,
                       predicted_words(*point.prediction) + (error ? ", " + signed_percent(*error) : ""));
  }
  if (point.error) {
    lines.emplace_back("max error", format_error(point.error->max_abs) + " of " +
                                        format_error(point.error->tolerance) + " allowed");
  }
  add_compiler(lines, point);
  return lines;
}

std::vector<TextPair> occupancy_tooltip(const Measurement& point, bool recorded) {
  std::vector<TextPair> lines;
  add_failure(lines, point);
  add_fault(lines, point);
  if (point.occupancy) {
    const Occupancy& occupancy = *point.occupancy;
    lines.emplace_back("occupancy", format_percent(occupancy.fraction) + ", " +
                                        (recorded ? "recorded on " : "calculated for ") + point.device.name);
    lines.emplace_back("blocks per SM", format_count(occupancy.blocks_per_sm));
    lines.emplace_back("warps per SM", format_count(occupancy.warps_per_sm));
    lines.emplace_back("limiter", limited_words(occupancy));
  }
  const std::string conflicts = value_words(metric_of("bank_conflicts"), point);
  if (!conflicts.empty()) {
    lines.emplace_back("bank conflicts", conflicts + " of the shared-memory wavefronts");
  }
  if (point.resources) {
    lines.emplace_back("registers", format_count(point.resources->registers) + " per thread");
    lines.emplace_back("shared memory", format_bytes(shared_bytes(*point.resources)) + " per block");
  }
  add_compiler(lines, point);
  return lines;
}

std::vector<TextPair> metric_tooltip(const Metric& metric, const Measurement& point, bool recorded) {
  const bool of_time = metric.source == MetricSource::timed || metric.source == MetricSource::predicted;
  std::vector<TextPair> lines =
      of_time ? latency_tooltip(point, recorded) : occupancy_tooltip(point, recorded);
  const std::set<std::string_view> shown =
      of_time ? std::set<std::string_view>{"p50", "tflops", "predicted_p50", "prediction_error"}
              : std::set<std::string_view>{"occupancy", "limiter", "bank_conflicts", "registers",
                                           "shared_memory"};
  const std::string value = value_words(metric, point);
  if (!value.empty() && !shown.contains(metric.tag)) lines.emplace_back(metric.name, value);
  return lines;
}

TextPair older_source_line() {
  return {"source", "older: the kernel's file has changed since this point was compiled"};
}

// The file's name has no folder: the command is for the folder that has it.
static std::string open_command(const Measurement& point, const std::string& program) {
  const std::size_t colon = point.kernel.rfind(':');
  const std::string file = point.kernel.substr(0, colon);
  std::string command =
      shell_quoted(program) + " open " + shell_quoted(file.starts_with('-') ? "./" + file : file);
  const bool names_entry = point.parameters.contains("entry");
  if (colon != std::string::npos && !names_entry)
    command += " --entry " + shell_quoted(point.kernel.substr(colon + 1));
  for (const auto& [name, value] : point.parameters)
    command += name == "entry" ? " --entry " + shell_quoted(to_string(value))
                               : " --set " + shell_quoted(name + '=' + to_string(value));
  for (const std::string& option : point.provenance.compile_options) {
    const bool has_flag = option.starts_with("-I") || option.starts_with("-D");
    command += has_flag ? " " + shell_quoted(option) : " --option=" + shell_quoted(option);
  }
  if (!point.device.name.empty()) command += " --device " + shell_quoted(point.device.name);
  return command;
}

std::string command_line(const Measurement& point, const std::string& program) {
  if (point.arguments) return open_command(point, program);
  // A path that starts with '-' would be read as an option.
  const std::string kernel = point.kernel.starts_with('-') ? "./" + point.kernel : point.kernel;
  std::string command = shell_quoted(program) + " measure " + shell_quoted(kernel);
  for (const auto& [name, value] : point.parameters)
    command += " --set " + shell_quoted(name + '=' + to_string(value));
  command += " --shape " + shape_argument(point.shape);
  if (point.shape.causal) command += " --causal";
  command += " --dtype " + to_string(point.shape.dtype);
  if (point.provenance.seed != 1) command += " --seed " + std::to_string(point.provenance.seed);
  if (!point.device.name.empty()) command += " --device " + shell_quoted(point.device.name);
  if (point.provenance.compiler != KernelCompiler::nvrtc)
    command += " --compiler " + to_string(point.provenance.compiler);
  return command;
}

std::string measured_words(const Latency& latency) {
  std::string words = fmt::format("{} (10 to 90 % of the samples: {})", format_latency(latency.p50_us),
                                  format_spread(latency.p10_us, latency.p90_us));
  if (latency.l2_cold)
    words += fmt::format("; with L2 cleared before each launch {}", format_latency(latency.l2_cold->p50_us));
  return words;
}

}  // namespace tilescope
