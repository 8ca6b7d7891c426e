#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/service/requests/request.hpp"

namespace tilescope {

class WorkerProcess;

/// One request to a worker, of whatever method. Exactly one of `answered` and `failed` is called, once.
struct PendingRequest {
  std::string method;
  /// Writes the parameters when the request is sent. `shares_files`: the worker sees the files of this machine.
  std::function<void(Json& json, bool shares_files)> write_params;
  /// From sending the request to its answer.
  std::chrono::milliseconds time_limit{120'000};
  /// Takes the result; throws when it is not what the method returns.
  std::function<void(const Json&)> answered;
  std::function<void(Status, std::string)> failed;
  std::function<void(RequestProgress)> progress;
  /// Takes a part of an answer that comes in parts.
  std::function<void(const Json&)> part;
  bool cancelled = false;
  /// Parts and the answer are taken also after a cancel.
  bool answers_when_cancelled = false;

  bool is_dropped() const { return cancelled && !answers_when_cancelled; }
};

/// A worker process and the requests to it: in their order, one at a time. The worker is started when one is wanted.
/// One that dies, prints what is not JSON-RPC, or exceeds a time limit is killed; the request in flight ends with
/// `worker_lost` or `timed_out` and a reason, and the next request starts a fresh worker. submit, cancel and pid are
/// called from any thread; everything else, the requests' callbacks included, is on the thread of its event loop.
class RequestLoop {
 public:
  using RequestId = std::uint64_t;
  struct Options {
    /// Program and arguments: {".../tilescope", "worker"}, or ssh.
    std::vector<std::string> command;
    /// The command is a worker of this program (serve_worker): it ends with its client, and each program that it starts
    /// with it. Any other command runs under a supervisor, which takes half a millisecond longer to start.
    bool is_own_worker = false;
    /// From starting a worker to its first answer.
    std::chrono::milliseconds start_limit{20'000};
    /// How long a start may take before `notice` is called.
    std::chrono::milliseconds start_patience{5'000};
    /// Takes a sentence for the user while a start takes long. On the thread of the event loop.
    std::function<void(const std::string&)> notice{};
    /// From a cancel to killing the worker that does not obey it.
    std::chrono::milliseconds cancel_grace{2'000};
    /// The folder by which the worker finds out whether it sees the files of this machine; see
    /// protocol::folder_identity.
    std::filesystem::path shared_folder{};
  };

  /// Starts no worker yet. Throws std::runtime_error when there is no event loop to be had.
  explicit RequestLoop(Options options);
  /// Cancels what waits and what runs, ends the worker and joins the thread.
  ~RequestLoop();
  RequestLoop(const RequestLoop&) = delete;
  RequestLoop& operator=(const RequestLoop&) = delete;

  RequestId submit(PendingRequest request);
  void cancel(RequestId id);
  /// 0 when no worker runs.
  int pid() const { return pid_; }

 private:
  /// State of the worker: `ending` until its process is gone, so that no two share a GPU.
  enum class State { none, starting, ready, ending };
  /// The handles of libuv: only the .cpp file includes its header.
  struct Events;

  void post(std::function<void()> call);
  void run();
  void run_posted();

  /// Sends the oldest waiting request when nothing runs, and starts a worker for it when there is none.
  void dispatch();
  std::string start_worker();
  void send_active();

  void on_line(std::string_view line);
  void on_notification(const Json& message);
  void on_hello(const Json& message);
  void on_answer(const Json& message);
  /// Hands a result over; what cannot be read is a failure of that request and the end of that worker.
  void deliver(const PendingRequest& request, const Json& result);
  void on_error(const Json& error);
  void after_answer();
  void on_malformed_output(const std::string& what);
  void on_gone(const std::string& how);
  void on_slow_start();
  void on_start_limit();
  void on_time_limit();
  void on_limit(const std::string& what);
  void cancel_here(RequestId id);
  void on_cancel_grace();

  /// Ends the worker for a fault of its own.
  void lose(const std::string& reason);
  void end_worker();
  PendingRequest take_active();
  void fail(Status status, std::string reason);
  void start_timer(std::chrono::milliseconds after, void (RequestLoop::*then)());

  void shut_down();
  void close_handles();
  std::string command() const;

  const Options options_;
  const std::unique_ptr<Events> events_;
  void (RequestLoop::*when_timer_)() = nullptr;

  std::mutex mutex_;
  /// Under the mutex.
  std::deque<std::function<void()>> posted_;
  std::atomic<RequestId> next_id_ = 1;
  std::atomic<int> pid_ = 0;

  /// Ids count up: they are in the order of the requests.
  std::map<RequestId, PendingRequest> waiting_;
  std::optional<PendingRequest> active_;
  RequestId active_id_ = 0;
  /// Stage that the active request reported last; "" before the first.
  std::string stage_;
  State state_ = State::none;
  std::shared_ptr<WorkerProcess> worker_;
  bool leaving_ = false;
  bool shares_files_ = false;
  bool shutting_down_ = false;

  std::thread thread_;
};

}  // namespace tilescope
