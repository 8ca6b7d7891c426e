#include "profiler/worker/client.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <uv.h>

#include <atomic>
#include <csignal>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "profiler/installation.hpp"
#include "profiler/worker/protocol.hpp"
#include "profiler/worker/worker_process.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds farewell_patience{
    500};  // For an idle worker to end when it is no longer needed.

std::string seconds(std::chrono::milliseconds duration) {
  return fmt::format("{:g} s", static_cast<double>(duration.count()) / 1000.0);
}

/// One request of whatever method. Exactly one of `answered` and `failed` is called, once.
struct Pending {
  std::string method;
  Json params;
  /// Takes the result; throws when it is not what the method returns.
  std::function<void(const Json&)> answered;
  std::function<void(Status, std::string)> failed;
  WorkerClient::Progress progress;
  bool cancelled = false;
};

}  // namespace

/// All members but the posted calls belong to the loop's thread.
class WorkerClient::Implementation {
 public:
  explicit Implementation(Options options) : options_(std::move(options)) {
    check(uv_loop_init(&loop_), "start its event loop");
    check(uv_async_init(&loop_, &wake_, [](uv_async_t* async) { self(async).run_posted(); }),
          "make a wake-up");
    uv_timer_init(&loop_, &timer_);
    wake_.data = timer_.data = this;
    thread_ = std::thread([this] { run(); });
  }

  ~Implementation() {
    post([this] { shut_down(); });
    thread_.join();
    uv_loop_close(&loop_);
  }

  RequestId submit(Pending pending) {
    const RequestId id = next_id_++;
    post([this, id, pending = std::make_shared<Pending>(std::move(pending))] {
      waiting_.emplace(id, std::move(*pending));
      dispatch();
    });
    return id;
  }

  void cancel(RequestId id) {
    post([this, id] { cancel_here(id); });
  }

  int pid() const { return pid_; }

 private:
  enum class State { none, starting, ready, ending };

  static Implementation& self(const void* handle) {
    return *static_cast<Implementation*>(static_cast<const uv_handle_t*>(handle)->data);
  }

  static void check(int result, const char* what) {
    if (result != 0)
      throw std::runtime_error(fmt::format("the worker's client cannot {}: {}", what, uv_strerror(result)));
  }

  void post(std::function<void()> call) {
    {
      const std::lock_guard lock(mutex_);
      posted_.push_back(std::move(call));
    }
    uv_async_send(&wake_);
  }

  void run() {
    // A worker that dies while it is written to is an error of the write, not a signal to the window.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
  }

  void run_posted() {
    std::deque<std::function<void()>> calls;
    {
      const std::lock_guard lock(mutex_);
      calls.swap(posted_);
    }
    for (const auto& call : calls) call();
  }

  /// Sends the oldest waiting request when nothing runs, and starts a worker for it when there is none.
  void dispatch() {
    while (!shutting_down_ && !active_ && !waiting_.empty() && state_ != State::ending) {
      active_id_ = waiting_.begin()->first;
      active_.emplace(std::move(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
      start_timer(options_.time_limit, &Implementation::on_time_limit);
      if (state_ == State::ready) send_active();
      if (state_ != State::none)
        continue;  // A worker that is still starting gets the request once it has said hello.
      if (const std::string why = start_worker(); !why.empty()) {
        fail(Status::worker_lost, fmt::format("The worker '{}' cannot be started: {}.", command(), why));
      }
    }
  }

  std::string start_worker() {
    WorkerProcess::Callbacks callbacks;
    callbacks.line = [this](std::string_view line) { on_line(line); };
    callbacks.too_long = [this](std::string_view beginning) {
      on_rubbish(fmt::format("a line of more than {} MiB: {}", protocol::line_limit >> 20,
                             protocol::excerpt(beginning)));
    };
    callbacks.gone = [this](const std::string& how) { on_gone(how); };
    worker_ = std::make_shared<WorkerProcess>(std::move(callbacks));
    if (std::string why = worker_->start(loop_, options_.command); !why.empty()) {
      worker_.reset();
      return why;
    }
    pid_ = worker_->pid();
    state_ = State::starting;
    leaving_ = false;
    worker_->send(protocol::request(
        hello_id, "hello",
        {{"version", tilescope_version()}, {"protocol", protocol::version}, {"pid", ::getpid()}}));
    return "";
  }

  void send_active() { worker_->send(protocol::request(active_id_, active_->method, active_->params)); }

  void on_line(std::string_view line) {
    if (state_ != State::starting && state_ != State::ready) return;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    const Json message = Json::parse(line, nullptr, false);
    if (!message.is_object() || message.value("jsonrpc", Json()) != "2.0") {
      return on_rubbish("what is not JSON-RPC: " + protocol::excerpt(line));
    }
    if (message.contains("method")) return on_notification(message);
    const Json id = message.value("id", Json());
    if (state_ == State::starting && id == Json(hello_id)) return on_hello(message);
    if (state_ == State::ready && active_ && id == Json(active_id_)) return on_answer(message);
    on_rubbish("an answer to what was not asked: " + protocol::excerpt(line));
  }

  void on_notification(const Json& message) {
    const Json params = message.value("params", Json());
    if (message["method"] == "leaving") leaving_ = true;
    if (message["method"] != "progress" || !active_ || !active_->progress || !params.is_object()) return;
    if (params.value("id", Json()) != Json(active_id_) || active_->cancelled) return;
    const Json stage = params.value("stage", Json());
    const Json fraction = params.value("fraction", Json());
    if (stage.is_string() && fraction.is_number()) active_->progress({stage, fraction});
  }

  void on_hello(const Json& message) {
    const Json answer = message.value("result", Json::object());
    const Json spoken = answer.is_object() ? answer.value("protocol", Json()) : Json();
    if (spoken != Json(protocol::version)) {
      const Json version = answer.is_object() ? answer.value("version", Json()) : Json();
      return lose(fmt::format(
          "The worker '{}' does not match this program: it is Tilescope {} with protocol {}, this is "
          "Tilescope {} with "
          "protocol {}. Install the same version on both sides.",
          command(), version.is_string() ? version.get<std::string>() : "of an unknown version",
          spoken.is_number() ? spoken.dump() : "unknown", tilescope_version(), protocol::version));
    }
    state_ = State::ready;
    if (active_) {
      send_active();
    } else {
      dispatch();
    }
  }

  void on_answer(const Json& message) {
    if (message.contains("error")) return on_error(message["error"]);
    if (!message.contains("result"))
      return on_rubbish("an answer without a result: " + protocol::excerpt(message.dump()));
    if (active_->cancelled) {
      fail(Status::cancelled, "Cancelled.");
    } else {
      deliver(take_active(), message["result"]);
    }
    after_answer();
  }

  /// Hands a result over; what cannot be read is a failure of that request and the end of that worker.
  void deliver(const Pending& pending, const Json& result) {
    try {
      pending.answered(result);
    } catch (const std::exception& failure) {
      pending.failed(Status::worker_lost,
                     fmt::format("The worker's answer to '{}' cannot be read: {}. It was killed.",
                                 pending.method, failure.what()));
      end_worker();
    }
  }

  void on_error(const Json& error) {
    const bool readable = error.is_object() && error.contains("message") && error["message"].is_string();
    const std::string text = readable ? error["message"].get<std::string>() : error.dump();
    const bool refused =
        readable && error.value("code", Json()) == Json(static_cast<int>(protocol::invalid_params));
    if (active_->cancelled) {
      fail(Status::cancelled, "Cancelled.");
    } else if (refused) {
      fail(Status::invalid_configuration, fmt::format("The worker refused the request: {}.", text));
    } else {
      fail(Status::worker_lost, fmt::format("The worker answered with an error: {}.", text));
    }
    after_answer();
  }

  void after_answer() {
    if (leaving_ && state_ == State::ready) {
      state_ = State::ending;
      pid_ = 0;
      worker_->close_input(farewell_patience);
    }
    dispatch();
  }

  void on_rubbish(const std::string& what) {
    if (state_ != State::starting && state_ != State::ready) return;
    lose(fmt::format("The worker '{}' printed {}. It was killed.", command(), what));
  }

  void on_gone(const std::string& how) {
    state_ = State::none;
    pid_ = 0;
    worker_.reset();
    if (shutting_down_) return close_handles();
    if (active_ && active_->cancelled) {
      fail(Status::cancelled, "Cancelled. The worker ended meanwhile: " + how);
    } else if (active_) {
      fail(Status::worker_lost, fmt::format("The worker '{}' was lost. {}", command(), how));
    }
    dispatch();
  }

  void on_time_limit() {
    const std::string words = worker_ ? worker_->last_words() : "";
    end_worker();
    fail(Status::timed_out,
         fmt::format("No answer within {}; the worker was killed.{}", seconds(options_.time_limit),
                     words.empty() ? "" : " It last wrote to stderr: " + words));
  }

  void cancel_here(RequestId id) {
    if (const auto found = waiting_.find(id); found != waiting_.end()) {
      const Pending pending = std::move(found->second);
      waiting_.erase(found);
      pending.failed(Status::cancelled, "Cancelled before it started.");
      return;
    }
    if (!active_ || active_id_ != id || std::exchange(active_->cancelled, true)) return;
    if (state_ == State::starting) {
      // It was not sent yet: the worker goes on starting for the next one.
      fail(Status::cancelled, "Cancelled before it started.");
      return dispatch();
    }
    worker_->send(protocol::notification("cancel", {{"id", id}}));
    start_timer(options_.cancel_grace, &Implementation::on_cancel_grace);
  }

  void on_cancel_grace() {
    end_worker();
    fail(Status::cancelled, fmt::format("Cancelled; the worker did not heed it within {} and was killed.",
                                        seconds(options_.cancel_grace)));
  }

  /// Ends the worker for a fault of its own.
  void lose(const std::string& reason) {
    const std::string words = worker_->last_words();
    end_worker();
    if (active_)
      fail(Status::worker_lost, words.empty() ? reason : reason + " It last wrote to stderr: " + words);
  }

  void end_worker() {
    if (state_ != State::starting && state_ != State::ready) return;
    state_ = State::ending;
    pid_ = 0;
    worker_->kill();
  }

  Pending take_active() {
    uv_timer_stop(&timer_);
    Pending pending = std::move(*active_);
    active_.reset();
    return pending;
  }

  void fail(Status status, std::string reason) {
    const Pending pending = take_active();
    pending.failed(status, std::move(reason));
  }

  void start_timer(std::chrono::milliseconds after, void (Implementation::*then)()) {
    when_timer_ = then;
    const auto on_timer = [](uv_timer_t* timer) {
      Implementation& client = self(timer);
      (client.*client.when_timer_)();
    };
    uv_timer_start(&timer_, on_timer, static_cast<std::uint64_t>(after.count()), 0);
  }

  void shut_down() {
    shutting_down_ = true;
    const bool busy = active_.has_value();
    if (active_) fail(Status::cancelled, "Cancelled: the program ended.");
    for (auto waiting = std::exchange(waiting_, {}); auto& [id, pending] : waiting) {
      pending.failed(Status::cancelled, "Cancelled before it started: the program ended.");
    }
    if (!worker_) return close_handles();
    if (busy || state_ == State::starting) {
      worker_->kill();
    } else if (state_ == State::ready) {
      worker_->close_input(farewell_patience);
    }
  }

  void close_handles() {
    for (uv_handle_t* handle :
         {reinterpret_cast<uv_handle_t*>(&wake_), reinterpret_cast<uv_handle_t*>(&timer_)}) {
      if (!uv_is_closing(handle)) uv_close(handle, nullptr);
    }
  }

  std::string command() const { return fmt::format("{}", fmt::join(options_.command, " ")); }

  static constexpr const char* hello_id = "hello";

  const Options options_;
  uv_loop_t loop_{};
  uv_async_t wake_{};
  uv_timer_t timer_{};
  void (Implementation::*when_timer_)() = nullptr;

  std::mutex mutex_;
  std::deque<std::function<void()>> posted_;  ///< Under the mutex.
  std::atomic<RequestId> next_id_ = 1;
  std::atomic<int> pid_ = 0;

  std::map<RequestId, Pending> waiting_;  ///< Ids count up: its order is that of the requests.
  std::optional<Pending> active_;
  RequestId active_id_ = 0;
  State state_ = State::none;
  std::shared_ptr<WorkerProcess> worker_;
  bool leaving_ = false;
  bool shutting_down_ = false;

  std::thread thread_;
};

WorkerClient::WorkerClient(Options options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
WorkerClient::~WorkerClient() = default;

namespace {

/// A callback that throws would be taken for an unreadable answer and called twice: it ends the program
/// instead.
void tell(const WorkerClient::Done& done, Measurement measurement) noexcept {
  if (done) done(std::move(measurement));
}

}  // namespace

WorkerClient::RequestId WorkerClient::measure(const Experiment& experiment, Done done, Progress progress) {
  const auto shared_done = std::make_shared<const Done>(std::move(done));
  Pending pending;
  pending.method = "measure";
  pending.params = {{"experiment", experiment}};
  pending.answered = [shared_done](const Json& result) {
    Measurement measurement = result.get<Measurement>();
    tell(*shared_done, std::move(measurement));
  };
  pending.failed = [shared_done, experiment](Status status, std::string reason) {
    tell(*shared_done, failed_measurement(experiment, status, std::move(reason)));
  };
  pending.progress = std::move(progress);
  return implementation_->submit(std::move(pending));
}

void WorkerClient::cancel(RequestId id) {
  implementation_->cancel(id);
}

namespace {

std::pair<Pending, std::future<Json>> list_request(std::string method) {
  const auto promise = std::make_shared<std::promise<Json>>();
  Pending pending;
  pending.method = std::move(method);
  pending.params = Json::object();
  pending.answered = [promise](const Json& result) { promise->set_value(result); };
  pending.failed = [promise](Status, const std::string& reason) {
    promise->set_exception(std::make_exception_ptr(std::runtime_error(reason)));
  };
  return {std::move(pending), promise->get_future()};
}

}  // namespace

std::future<Json> WorkerClient::list_devices() {
  auto [pending, answer] = list_request("devices");
  implementation_->submit(std::move(pending));
  return std::move(answer);
}

std::future<Json> WorkerClient::list_kernels() {
  auto [pending, answer] = list_request("kernels");
  implementation_->submit(std::move(pending));
  return std::move(answer);
}

int WorkerClient::worker_pid() const {
  return implementation_->pid();
}

}  // namespace tilescope
