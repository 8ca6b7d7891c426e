// A worker that measures nothing and answers at once, or after the milliseconds of its first argument, for
// tests of the window's model. It obeys cancels. With BLOCK_N=128 it reports an incorrect result, with
// "#error" in the kernel's file that the kernel does not compile. The words that follow: with "present" its
// machine has an L4, and its points have a latency; with "stages" it sends a point as it grows, each stage
// after an equal part of the time; with "gate=FILE" it goes on from a stage, or answers, as soon as the file
// is as many bytes long as it has waited times before; with "rising" the SM clock rises meanwhile; with
// "replay=FILE" the machine has the GPU of a recorded session, and its points come from that session. With
// "kills=NAME=VALUE,.." a configuration of these values ends the process when it is measured, with
// "kills_compiler=.." also while another one is measured after it was named to be compiled. It says of every
// configuration that REDUCE has no effect, and answers about a kernel file as sample_opened_point() does.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/explorer/tests/request_log.hpp"
#include "app/explorer/tests/sample_opened_point.hpp"
#include "base/json.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/gpu/timing/provisional_latency.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"
#include "profiler/service/requests/compare.hpp"
#include "profiler/service/requests/compile_ahead.hpp"
#include "profiler/service/requests/devices.hpp"
#include "profiler/service/requests/measure.hpp"
#include "profiler/service/requests/parameter_effects.hpp"
#include "profiler/service/worker/server.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

struct Options {
  std::chrono::milliseconds delay{0};
  bool present = false;
  bool stages = false;
  bool rising = false;
  /// Empty: a point takes the delay.
  std::filesystem::path gate;
  std::filesystem::path replayed;
  /// Configurations with these values; none where it is empty.
  Configuration kills, kills_compiler;
};

Configuration configuration_of(std::string_view text) {
  Configuration configuration;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
    const std::size_t middle = entry.find('=');
    configuration[std::string(entry.substr(0, middle))] =
        parameter_value_from(std::string(entry.substr(middle + 1)));
  }
  return configuration;
}

Options options_of(int argc, char** argv) {
  Options options;
  if (argc > 1) options.delay = std::chrono::milliseconds(std::atoi(argv[1]));
  constexpr std::string_view replay = "replay=", kills = "kills=", kills_compiler = "kills_compiler=",
                             gate = "gate=";
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "present") options.present = true;
    if (word == "stages") options.stages = true;
    if (word == "rising") options.rising = true;
    if (word.starts_with(gate)) options.gate = word.substr(gate.size());
    if (word.starts_with(replay)) options.replayed = word.substr(replay.size());
    if (word.starts_with(kills)) options.kills = configuration_of(word.substr(kills.size()));
    if (word.starts_with(kills_compiler))
      options.kills_compiler = configuration_of(word.substr(kills_compiler.size()));
  }
  return options;
}

class InstantWorker {
 public:
  explicit InstantWorker(Options options) : options_(std::move(options)) {
    if (options_.replayed.empty()) return;
    recorded_ = load_session(options_.replayed);
    options_.present = true;
    device_ = recorded_.points.front()->device.name;
  }

  Service service() {
    Service service;
    service.answer<Devices>([this](const Devices::Params&, const MeasureControl&) { return devices(); });
    service.answer<CompileAhead>([this](const CompileAhead::Params& params, const MeasureControl&) {
      log_request(CompileAhead::name, params.experiments);
      compiler_faults_ =
          std::any_of(params.experiments.begin(), params.experiments.end(),
                      [this](const Experiment& each) { return has_values(each, options_.kills_compiler); });
      return CompileAhead::Answer{};
    });
    service.answer<Measure>([this](const Measure::Params& params, const MeasureControl& control) {
      log_request(Measure::name, {params.experiment});
      if (compiler_faults_ || has_values(params.experiment, options_.kills) ||
          has_values(params.experiment, options_.kills_compiler))
        std::_Exit(9);
      Measurement point = measure(params, control);
      if (point.status == Status::cancelled) log_request("cancelled", {params.experiment});
      return point;
    });
    service.answer<ParameterEffects>([](const ParameterEffects::Params& params, const MeasureControl&) {
      log_request(ParameterEffects::name, {params.experiment});
      ParameterEffects::Answer answer;
      answer.diagnoses.push_back(
          {"dead_knob", Severity::hint, {}, "REDUCE has no effect.", "", "", "", {}, true});
      return answer;
    });
    service.answer<OpenFile>([this](const OpenFile::Params& params, const MeasureControl& control) {
      OpenedPoint point = sample_opened_point(params);
      if (!wait(options_.delay, control)) point.status = Status::cancelled;
      return point;
    });
    service.answer<Compare>([this](const Compare::Params& params, const MeasureControl& control) {
      log_request(Compare::name, params.experiments);
      return compare(params, control);
    });
    return service;
  }

 private:
  // A is twice as slow in turns as B, whatever they are, so that a test sees which of the two was which.
  static PairedSeries turns() {
    PairedSeries series;
    series.a.us = {99, 100, 101};
    series.a.cycles = Spread{99e3, 100e3, 101e3};
    series.b.cycles = Spread{49.5e3, 50e3, 50.5e3};
    series.b.us = {49.5, 50, 50.5};
    series.ratio = {2, 1.98, 2.02};
    series.noise_floor = 0.004;
    series.rounds = 40;
    for (int i = 0; i < 40; ++i) {
      series.samples_a.push_back(99 + 0.05 * i);
      series.samples_b.push_back(49.5 + 0.025 * i);
    }
    series.samples_a.back() = 150;  // an outlier
    return series;
  }

  Compare::Answer compare(const Compare::Params& params, const MeasureControl& control) const {
    Compare::Answer answer;
    answer.a = measure({params.experiments[0], false}, control);
    answer.b = measure({params.experiments[1], false}, control);
    if (options_.present) answer.series = turns();
    if (answer.a.status != Status::cancelled && answer.b.status != Status::cancelled) return answer;
    log_request("cancelled", params.experiments);
    answer = {};
    answer.status = Status::cancelled;
    answer.reason = "cancelled";
    return answer;
  }

  static bool has_values(const Experiment& experiment, const Configuration& values) {
    return !values.empty() && std::all_of(values.begin(), values.end(), [&](const auto& value) {
      const auto found = experiment.parameters.find(value.first);
      return found != experiment.parameters.end() && found->second == value.second;
    });
  }

  Devices::Answer devices() const {
    Devices::Answer answer;
    for (DeviceModel device : load_device_tables(place_)) {
      if (!options_.present || device.name != device_) continue;
      device.present = true;
      answer.present.push_back(device);
    }
    return answer;
  }

  Measurement measure(const Measure::Params& params, const MeasureControl& control) const {
    const Experiment& experiment = params.experiment;
    control.report({"compile", 0.5});
    const KernelDeclaration kernel = Catalogue(place_.kernels).find(experiment.kernel);
    const KernelSource source = read_kernel_source(kernel.source_path, place_.kernels);
    // Neighbours are asked for at any time: the file may have been saved with a broken declaration in between.
    read_kernel_declaration(kernel.source_path);
    Measurement point = answer_to(experiment, kernel);
    point.provenance.source_sha256 = source.sha256;
    if (source.file.text.find("#error") != std::string::npos) {
      point.status = Status::compile_failed;
      point.reason = "#error";
      point.latency.reset();
    }
    std::vector<PartialPoint> parts;
    if (params.stages && options_.stages) parts = parts_of(point, kernel);
    const std::size_t pauses = std::max<std::size_t>(parts.size(), 1);
    for (std::size_t i = 0; i < pauses; ++i) {
      if (!parts.empty()) control.send(parts[i]);
      if (options_.gate.empty() ? !wait(options_.delay / pauses, control) : !pass_gate(control))
        return failed_measurement(experiment, Status::cancelled, "cancelled");
    }
    return point;
  }

  // Returns whether the time passed without a cancel.
  static bool wait(std::chrono::milliseconds time, const MeasureControl& control) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      if (control.cancelled()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  // Returns whether the gate opened once more, without a cancel.
  bool pass_gate(const MeasureControl& control) const {
    ++waits_;
    std::error_code missing;
    for (std::uintmax_t length = 0; length < waits_;) {
      if (!wait(std::chrono::milliseconds(1), control)) return false;
      length = std::filesystem::file_size(options_.gate, missing);
      if (missing) length = 0;
    }
    return true;
  }

  Measurement answer_to(const Experiment& experiment, const KernelDeclaration& kernel) const {
    for (const auto& recorded : recorded_.points) {
      if (recorded->kernel != experiment.kernel || recorded->shape != experiment.shape ||
          kernel.complete(recorded->parameters) != kernel.complete(experiment.parameters))
        continue;
      Measurement point = *recorded;
      point.device.present = true;
      return point;
    }
    Measurement point = failed_measurement(experiment, Status::ok, "");
    if (point.device.name.empty() || point.device.name == "L4") point.device = {"L4", "sm_89", false};
    point.device.present = options_.present;
    point.parameters = experiment.parameters;
    if (options_.present) {
      point.latency.emplace();
      point.latency->p10_us = point.latency->p50_us = point.latency->p90_us = 50;
    }
    if (experiment.parameters.contains("BLOCK_N") &&
        experiment.parameters.at("BLOCK_N") == ParameterValue(std::int64_t{128})) {
      point.status = Status::wrong_result;
      point.reason = "the worker of the test says so";
    }
    return point;
  }

  // The stages of a point, with its figures as far as it has them.
  std::vector<PartialPoint> parts_of(const Measurement& point, const KernelDeclaration& kernel) const {
    PartialPoint part;
    part.so_far = failed_measurement(experiment_of(point), Status::ok, "");
    part.so_far.device = point.device;
    part.so_far.parameters = kernel.complete(point.parameters);
    Resources resources;
    for (const DeviceModel& device : load_device_tables(place_)) {
      if (device.name != point.device.name || kernel.is_launched_by_library()) continue;
      const LaunchGeometry geometry = launch_geometry(kernel, part.so_far.parameters, point.shape, device);
      resources.dynamic_shared_bytes = geometry.dynamic_shared_bytes;
      part.so_far.occupancy = occupancy(device, resources, geometry);
      part.is_occupancy_estimated = true;
    }
    std::vector<PartialPoint> parts{part};
    resources.registers = 64;
    part.stage = PointStage::compiled;
    part.so_far.resources = point.resources.value_or(resources);
    if (point.occupancy) part.so_far.occupancy = point.occupancy;
    part.is_occupancy_estimated = false;
    parts.push_back(part);
    part.stage = PointStage::checked;
    part.so_far.error =
        point.error.value_or(Error{1e-4, 1e-4, 1e-3, options_.present ? "gpu" : "interpreter", 64, 64});
    part.so_far.memory = point.memory;
    parts.push_back(part);
    if (!point.latency) return parts;
    part.stage = PointStage::timed;
    part.so_far.latency = provisional(*point.latency);
    part.is_latency_provisional = true;
    part.is_clock_rising = options_.rising;
    parts.push_back(part);
    return parts;
  }

  // Ten launches, the first of which are slower than the whole series is.
  static Latency provisional(const Latency& final) {
    constexpr double launches = 2, clock_mhz = 1980;
    std::vector<TimedRun> runs;
    for (const double slower : {1.25, 1.15, 1.1, 1.05, 1.0})
      runs.push_back({slower * launches * final.p50_us, clock_mhz});
    Latency latency = provisional_latency(runs, static_cast<std::int64_t>(launches), clock_mhz).latency;
    latency.kind = final.kind;
    latency.tflops = final.tflops * final.p50_us / latency.p50_us;
    return latency;
  }

  const Installation place_ = find_installation();
  Options options_;
  mutable std::uintmax_t waits_ = 0;
  Session recorded_;
  std::string device_ = "L4";
  /// A thread that compiles ahead is about to end the process.
  bool compiler_faults_ = false;
};

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) {
  tilescope::InstantWorker worker(tilescope::options_of(argc, argv));
  return tilescope::serve_worker(worker.service());
}
