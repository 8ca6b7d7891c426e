#pragma once

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

/// What a worker can do. `measure` never throws for what is wrong with the kernel or the machine: that is a
/// status.
class WorkerService {
 public:
  virtual ~WorkerService() = default;
  virtual Json devices() = 0;
  virtual Json kernels() = 0;
  virtual Measurement measure(const Experiment& experiment, const MeasureControl& control) = 0;
  /// Asked after every measurement: a sentence when this process can measure no more (a kernel's illegal
  /// access poisons the CUDA context for good). The worker then answers, says that it leaves, and ends; the
  /// client starts a fresh one.
  virtual std::string why_unusable() const { return ""; }
};

/// Serves JSON-RPC 2.0, one message a line (profiler/worker/protocol.hpp), until the input ends. Requests are
/// `devices`, `kernels`, `measure` {experiment}; notifications are `cancel` {id} to the worker and `progress`
/// {id, stage, fraction} from it. While one request runs, cancels are heard. Whatever libraries print on
/// stdout goes to stderr instead.
///
/// When the input ends, what runs and what waits is cancelled and answered, and the process ends within two
/// seconds, whatever the service does: a worker never outlives its window. Returns the exit code.
int serve_worker(WorkerService& service);

/// The same over descriptors of the caller's, for tests: the process's own stdin, stdout and signals are left
/// alone, and the end of the input waits for the service however long it takes.
int serve_worker(WorkerService& service, int input, int output);

}  // namespace tilescope
