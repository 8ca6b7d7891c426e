// A worker that measures nothing and answers at once, or after the milliseconds of its first argument, for tests of the
// window's model. It obeys cancels. With BLOCK_N=128 it reports an incorrect result, with "#error" in the kernel's file that
// the kernel does not compile. With the second argument "present" its machine has an L4, and its points have a latency.

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "app/explorer/tests/request_log.hpp"
#include "profiler/catalogue/catalogue.hpp"
#include "profiler/compile/kernel_source.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/installation.hpp"
#include "profiler/requests/compile_ahead.hpp"
#include "profiler/requests/devices.hpp"
#include "profiler/requests/measure.hpp"
#include "profiler/worker/server.hpp"

namespace {

class InstantWorker {
 public:
  InstantWorker(int delay_ms, bool present) : delay_(delay_ms), present_(present) {}

  tilescope::Service service() const {
    using namespace tilescope;
    Service service;
    service.answer<Devices>([this](const Devices::Params&, const MeasureControl&) { return devices(); });
    service.answer<CompileAhead>([](const CompileAhead::Params& params, const MeasureControl&) {
      log_request(CompileAhead::name, params.experiments);
      return CompileAhead::Answer{};
    });
    service.answer<Measure>([this](const Measure::Params& params, const MeasureControl& control) {
      log_request(Measure::name, {params.experiment});
      Measurement point = measure(params.experiment, control);
      if (point.status == Status::cancelled) log_request("cancelled", {params.experiment});
      return point;
    });
    return service;
  }

 private:
  tilescope::Devices::Answer devices() const {
    tilescope::Devices::Answer answer;
    for (tilescope::DeviceModel device : tilescope::load_device_tables(place_)) {
      if (!present_ || device.name != "L4") continue;
      device.present = true;
      answer.present.push_back(device);
    }
    return answer;
  }

  tilescope::Measurement measure(const tilescope::Experiment& experiment,
                                 const tilescope::MeasureControl& control) const {
    control.report({"compile", 0.5});
    const tilescope::KernelSource source = tilescope::read_kernel_source(
        tilescope::Catalogue(place_.kernels).find(experiment.kernel).source_path, place_.kernels);
    const auto end = std::chrono::steady_clock::now() + delay_;
    while (std::chrono::steady_clock::now() < end) {
      if (control.cancelled()) {
        return tilescope::failed_measurement(experiment, tilescope::Status::cancelled, "cancelled");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    tilescope::Measurement point = tilescope::failed_measurement(experiment, tilescope::Status::ok, "");
    if (point.device.name.empty()) point.device = {"L4", "sm_89", false};
    point.device.present = present_;
    point.parameters = experiment.parameters;
    point.provenance.source_sha256 = source.sha256;
    if (source.file.text.find("#error") != std::string::npos) {
      point.status = tilescope::Status::compile_failed;
      point.reason = "#error";
    } else if (present_) {
      point.latency.emplace();
      point.latency->p10_us = point.latency->p50_us = point.latency->p90_us = 50;
    }
    if (experiment.parameters.contains("BLOCK_N") &&
        experiment.parameters.at("BLOCK_N") == tilescope::ParameterValue(std::int64_t{128})) {
      point.status = tilescope::Status::wrong_result;
      point.reason = "the worker of the test says so";
    }
    return point;
  }

  const tilescope::Installation place_ = tilescope::find_installation();
  std::chrono::milliseconds delay_;
  bool present_;
};

}  // namespace

int main(int argc, char** argv) {
  const InstantWorker worker(argc > 1 ? std::atoi(argv[1]) : 0,
                             argc > 2 && std::string_view(argv[2]) == "present");
  return tilescope::serve_worker(worker.service());
}
