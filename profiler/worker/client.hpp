#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "profiler/worker/tracing.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// What a measurement says while it runs.
struct MeasureProgress {
  std::string stage;    ///< "compile", "check", "time", ...
  double fraction = 0;  ///< 0 to 1
};

/// A worker process and the requests to it. One request runs at a time, the others wait in order. A worker
/// that dies, prints what is not JSON-RPC, or exceeds its time limit is killed; the request in flight ends
/// with `worker_lost` or `timed_out` and a reason, and the next request starts a fresh worker. Nothing here
/// throws for the worker's faults.
class WorkerClient {
 public:
  struct Options {
    std::vector<std::string> command;  ///< Program and arguments: {".../tilescope", "worker"}, or ssh.
    std::chrono::milliseconds time_limit{120'000};  ///< From sending a request to its answer.
    std::chrono::milliseconds cancel_grace{
        2'000};  ///< From a cancel to killing the worker that does not heed it.
  };
  /// Called on the client's own thread, exactly once for each request. Callbacks must not throw, and must not
  /// destroy the client; they may make further requests.
  using Done = std::function<void(Measurement)>;
  using Progress = std::function<void(MeasureProgress)>;
  using RequestId = std::uint64_t;
  /// A list of executions: see WindowAccess. Called before WindowDone, in their order.
  using Chunk = std::function<void(const Json& events)>;
  using WindowDone = std::function<void(WindowSummary)>;
  /// A document with at least {status, reason}.
  using DocumentDone = std::function<void(Json)>;

  /// Starts no worker yet: the first request does. Throws std::runtime_error when there is no thread or loop
  /// to be had.
  explicit WorkerClient(Options options);
  /// Cancels what waits, ends the worker and joins the thread. Done callbacks of waiting requests get
  /// `cancelled`.
  ~WorkerClient();
  WorkerClient(const WorkerClient&) = delete;
  WorkerClient& operator=(const WorkerClient&) = delete;

  RequestId measure(const Experiment& experiment, Done done, Progress progress = {});
  /// Interprets the kernel on the worker's machine.
  RequestId trace(const Experiment& experiment, const Tracing& tracing, Done done, Progress progress = {});
  /// The addresses of one block's memory instructions, piece by piece.
  RequestId trace_window(const Experiment& experiment, const WindowSelection& selection, Chunk chunk,
                         WindowDone done);
  /// Runs the microbenchmarks on a GPU of the worker's machine: see WorkerService::calibrate.
  RequestId calibrate(const std::string& device, DocumentDone done, Progress progress = {});
  /// A waiting request ends at once, a running one as soon as the worker heeds it; both with status
  /// `cancelled`.
  void cancel(RequestId id);

  /// The worker's list of devices or kernels; the future throws std::runtime_error with the reason when it is
  /// lost.
  std::future<Json> list_devices();
  std::future<Json> list_kernels();

  /// The running worker's process id, 0 when none runs. For tests and the status line.
  int worker_pid() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tilescope
