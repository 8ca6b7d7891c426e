#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "profiler/worker/client.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Handed to a measurement: where it reports and where it hears of a cancel.
struct MeasureControl {
  std::function<void(MeasureProgress)> report;
  std::function<bool()> cancelled;
};

/// What a worker can do. `measure` never throws for what is wrong with the kernel or the machine: that is a status.
class WorkerService {
 public:
  virtual ~WorkerService() = default;
  virtual Json devices() = 0;
  virtual Json kernels() = 0;
  virtual Measurement measure(const Experiment& experiment, const MeasureControl& control) = 0;
};

/// Serves JSON-RPC 2.0, one message a line, until the input ends. Requests are `devices`, `kernels`, `measure`
/// {experiment}; notifications are `cancel` {id} to the worker and `progress` {id, stage, fraction} from it. While one
/// request runs, cancels are heard. Whatever libraries print on stdout goes to stderr instead. Returns the exit code.
int serve_worker(WorkerService& service);

}  // namespace tilescope
