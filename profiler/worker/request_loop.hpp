#pragma once

#include <uv.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "profiler/worker/client.hpp"
#include "profiler/worker/worker_process.hpp"

namespace tilescope {

/// One request to a worker, of whatever method. Exactly one of `answered` and `failed` is called, once.
struct PendingRequest {
  std::string method;
  Json params;
  /// Takes the result; throws when it is not what the method returns.
  std::function<void(const Json&)> answered;
  std::function<void(Status, std::string)> failed;
  WorkerClient::Progress progress;
  WorkerClient::Chunk chunk;
  bool cancelled = false;
};

/// What WorkerClient promises: the requests in their order, one at a time, to a worker that is started when
/// one is wanted and ended when it fails. submit, cancel and pid are called from any thread; everything else,
/// the requests' callbacks included, is on the thread of its event loop.
class RequestLoop {
 public:
  /// Throws std::runtime_error when there is no event loop to be had.
  explicit RequestLoop(WorkerClient::Options options);
  ~RequestLoop();
  RequestLoop(const RequestLoop&) = delete;
  RequestLoop& operator=(const RequestLoop&) = delete;

  WorkerClient::RequestId submit(PendingRequest request);
  void cancel(WorkerClient::RequestId id);
  int pid() const { return pid_; }
  std::chrono::milliseconds time_limit() const { return options_.time_limit; }

 private:
  /// Of the worker: `ending` until its process is gone, so that no two share a GPU.
  enum class State { none, starting, ready, ending };

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
  void on_rubbish(const std::string& what);
  void on_gone(const std::string& how);
  void on_time_limit();
  void cancel_here(WorkerClient::RequestId id);
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

  const WorkerClient::Options options_;
  uv_loop_t loop_{};
  uv_async_t wake_{};
  uv_timer_t timer_{};  ///< Of the running request: its time limit, or the grace of its cancel.
  void (RequestLoop::*when_timer_)() = nullptr;

  std::mutex mutex_;
  std::deque<std::function<void()>> posted_;  ///< Under the mutex.
  std::atomic<WorkerClient::RequestId> next_id_ = 1;
  std::atomic<int> pid_ = 0;

  std::map<WorkerClient::RequestId, PendingRequest>
      waiting_;  ///< Ids count up: its order is that of the requests.
  std::optional<PendingRequest> active_;
  WorkerClient::RequestId active_id_ = 0;
  State state_ = State::none;
  std::shared_ptr<WorkerProcess> worker_;
  bool leaving_ = false;
  bool shutting_down_ = false;

  std::thread thread_;
};

}  // namespace tilescope
