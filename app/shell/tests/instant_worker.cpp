// A worker that measures nothing and answers at once, or after the milliseconds of its argument: for tests of
// the window's model. It heeds cancels; BLOCK_N=128 makes it say that the kernel is wrong.

#include <chrono>
#include <cstdlib>
#include <thread>

#include "profiler/worker/server.hpp"

namespace {

class InstantService : public tilescope::WorkerService {
 public:
  explicit InstantService(int delay_ms) : delay_(delay_ms) {}

  tilescope::Json devices() override { return {{"devices", tilescope::Json::array()}}; }
  tilescope::Json kernels() override { return {{"kernels", tilescope::Json::array()}}; }

  tilescope::Measurement measure(const tilescope::Experiment& experiment,
                                 const tilescope::MeasureControl& control) override {
    control.report({"compile", 0.5});
    const auto end = std::chrono::steady_clock::now() + delay_;
    while (std::chrono::steady_clock::now() < end) {
      if (control.cancelled()) {
        return tilescope::failed_measurement(experiment, tilescope::Status::cancelled, "cancelled");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    tilescope::Measurement point = tilescope::failed_measurement(experiment, tilescope::Status::ok, "");
    if (point.device.name.empty()) point.device = {"L4", "sm_89", false};
    point.parameters = experiment.parameters;
    if (experiment.parameters.contains("BLOCK_N") &&
        experiment.parameters.at("BLOCK_N") == tilescope::ParameterValue(std::int64_t{128})) {
      point.status = tilescope::Status::wrong_result;
      point.reason = "the worker of the test says so";
    }
    return point;
  }

 private:
  std::chrono::milliseconds delay_;
};

}  // namespace

int main(int argc, char** argv) {
  InstantService service(argc > 1 ? std::atoi(argv[1]) : 0);
  return tilescope::serve_worker(service);
}
