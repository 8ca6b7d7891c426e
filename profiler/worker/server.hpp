#pragma once

#include <functional>
#include <string>

#include "profiler/worker/client.hpp"
#include "profiler/worker/tracing.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Handed to a measurement: where it reports and where it hears of a cancel.
struct MeasureControl {
  std::function<void(MeasureProgress)> report;
  std::function<bool()> cancelled;
  double time_limit_s = 600;  ///< [s] How long the asker waits: what takes longer is better refused.
};

/// What a worker can do. `measure`, `trace` and `trace_window` never throw for what is wrong with the kernel or the machine: that is a
/// status.
class WorkerService {
 public:
  virtual ~WorkerService() = default;
  virtual Json devices() = 0;
  virtual Json kernels() = 0;
  virtual Measurement measure(const Experiment& experiment, const MeasureControl& control) = 0;
  /// Interprets the kernel, whatever GPU is here: a Measurement with memory and findings and no latency. A service
  /// that has no interpreter answers `unsupported`.
  virtual Measurement trace(const Experiment& experiment, const Tracing& tracing,
                            const MeasureControl& control);
  /// Interprets one block and hands out the selected executions, a list of them at a time.
  virtual WindowSummary trace_window(const Experiment& experiment, const WindowSelection& selection,
                                     const std::function<void(Json events)>& send,
                                     const MeasureControl& control);
  /// Runs the microbenchmarks on a GPU of this machine, "gpu:0" or by its name, "" for the first. Returns what
  /// profiler/calibrate/calibration_report.hpp describes; a service that has none answers `unsupported`.
  virtual Json calibrate(const std::string& device, const MeasureControl& control);
  /// Asked after every measurement: a sentence when this process can measure no more (a kernel's illegal
  /// access poisons the CUDA context for good). The worker then answers, says that it leaves, and ends; the
  /// client starts a fresh one.
  virtual std::string why_unusable() const { return ""; }
};

/// Serves JSON-RPC 2.0, one message a line (profiler/worker/protocol.hpp), until the input ends. Requests are
/// `devices`, `kernels`, `measure` {experiment}, `trace` {experiment, options},
/// `trace_window` {experiment, selection} and `calibrate` {device}; notifications are `cancel` {id} to the worker and `progress`
/// {id, stage, fraction} and `trace_chunk` {id, events} from it. While one request runs, cancels are heard. Whatever libraries print on
/// stdout goes to stderr instead.
///
/// When the input ends, what runs and what waits is cancelled and answered, and the process ends within two
/// seconds, whatever the service does: a worker never outlives its window. Returns the exit code.
int serve_worker(WorkerService& service);

/// The same over descriptors of the caller's, for tests: the process's own stdin, stdout and signals are left
/// alone, and the end of the input waits for the service however long it takes.
int serve_worker(WorkerService& service, int input, int output);

}  // namespace tilescope
