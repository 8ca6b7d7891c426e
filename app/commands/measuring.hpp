#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/installation.hpp"
#include "profiler/worker/client.hpp"

namespace tilescope {

/// The program and arguments that start a worker: this program, or what TILESCOPE_WORKER names ("ssh host
/// tilescope worker"), split at blanks.
std::vector<std::string> worker_command(const Installation& installation);

/// A worker, asked for one thing after the other. Ctrl-C cancels what runs.
class Measuring {
 public:
  Measuring(const Installation& installation, std::chrono::milliseconds time_limit);

  Measurement measure(const Experiment& experiment, const WorkerClient::Progress& progress = {});
  Measurement trace(const Experiment& experiment, const Tracing& tracing,
                    const WorkerClient::Progress& progress = {});

  /// Runs the microbenchmarks on a GPU of the worker's machine: "gpu:0".
  Json calibrate(const std::string& device, const WorkerClient::Progress& progress = {});

  /// The GPUs in the worker's machine. Throws CannotRun with the reason when the worker cannot say.
  struct Here {
    std::vector<DeviceModel> devices;
    std::string why_none;  ///< A sentence when there are none.
  };
  const Here& here();

 private:
  template <class Answer>
  using Request = std::function<WorkerClient::RequestId(std::function<void(Answer)>)>;
  template <class Answer>
  Answer wait_for(const Request<Answer>& request);

  WorkerClient client_;
  std::optional<Here> here_;
};

}  // namespace tilescope
