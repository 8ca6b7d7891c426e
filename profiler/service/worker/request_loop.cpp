#include "profiler/service/worker/request_loop.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <uv.h>

#include <csignal>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "profiler/installation.hpp"
#include "profiler/service/worker/protocol.hpp"
#include "profiler/service/worker/worker_process.hpp"

namespace tilescope {
namespace {

constexpr const char* hello_id = "hello";

/// For an idle worker to end by itself when it is no longer needed.
constexpr std::chrono::milliseconds farewell_patience{500};

std::string seconds(std::chrono::milliseconds duration) {
  return fmt::format("{:g} s", static_cast<double>(duration.count()) / 1000.0);
}

/// Work of a worker that reported this stage last; "" if unknown.
std::string work_of(const std::string& stage) {
  constexpr std::pair<std::string_view, std::string_view> works[] = {
      {"compile", "The compiler"},
      {"compile variants", "The compilation of other values of the parameters"},
      {"read", "The reading of the file"},
      {"disassemble", "nvdisasm"},
      {"interpret", "The interpreter's execution of the kernel"},
      {"execute", "The interpreter's execution of the points"},
      {"record", "The interpreter's execution of the block"},
      {"check", "The comparison with the reference"},
      {"time", "The timing of the kernel"},
      {"time in turns", "The timing of the two kernels"}};
  for (const auto& [name, work] : works) {
    if (name == stage) return std::string(work);
  }
  return stage.empty() ? "" : "The stage '" + stage + "'";
}

RequestLoop& owner(const void* handle) {
  return *static_cast<RequestLoop*>(static_cast<const uv_handle_t*>(handle)->data);
}

void check(int result, const char* what) {
  if (result == 0) return;
  throw std::runtime_error(fmt::format("the worker's client cannot {}: {}", what, uv_strerror(result)));
}

}  // namespace

struct RequestLoop::Events {
  uv_loop_t loop{};
  uv_async_t wake{};
  /// Limits the start of the worker or the running request, or the grace of its cancel.
  uv_timer_t timer{};
};

RequestLoop::RequestLoop(Options options)
    : options_(std::move(options)), events_(std::make_unique<Events>()) {
  check(uv_loop_init(&events_->loop), "start its event loop");
  check(uv_async_init(&events_->loop, &events_->wake, [](uv_async_t* async) { owner(async).run_posted(); }),
        "make a wake-up");
  uv_timer_init(&events_->loop, &events_->timer);
  events_->wake.data = events_->timer.data = this;
  thread_ = std::thread([this] { run(); });
}

RequestLoop::~RequestLoop() {
  post([this] { shut_down(); });
  thread_.join();
  uv_loop_close(&events_->loop);
}

RequestLoop::RequestId RequestLoop::submit(PendingRequest request) {
  const RequestId id = next_id_++;
  post([this, id, request = std::make_shared<PendingRequest>(std::move(request))] {
    waiting_.emplace(id, std::move(*request));
    dispatch();
  });
  return id;
}

void RequestLoop::cancel(RequestId id) {
  post([this, id] { cancel_here(id); });
}

void RequestLoop::post(std::function<void()> call) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(call));
  }
  uv_async_send(&events_->wake);
}

void RequestLoop::run() {
  // A worker that dies while it is written to is an error of the write, not a signal to the window.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  uv_run(&events_->loop, UV_RUN_DEFAULT);
}

void RequestLoop::run_posted() {
  std::deque<std::function<void()>> calls;
  {
    const std::lock_guard lock(mutex_);
    calls.swap(posted_);
  }
  for (const auto& call : calls) call();
}

void RequestLoop::dispatch() {
  while (!shutting_down_ && !active_ && !waiting_.empty() && state_ != State::ending) {
    active_id_ = waiting_.begin()->first;
    active_.emplace(std::move(waiting_.begin()->second));
    waiting_.erase(waiting_.begin());
    if (state_ == State::ready) send_active();
    if (state_ != State::none)
      continue;  // A worker that is still starting gets the request once it has said hello.
    if (const std::string why = start_worker(); !why.empty()) {
      fail(Status::worker_lost, fmt::format("The worker '{}' cannot be started: {}.", command(), why));
    }
  }
}

std::string RequestLoop::start_worker() {
  WorkerProcess::Callbacks callbacks;
  callbacks.line = [this](std::string_view line) { on_line(line); };
  callbacks.too_long = [this](std::string_view beginning) {
    on_malformed_output(fmt::format("a line of more than {} MiB: {}", protocol::line_limit >> 20,
                                    protocol::excerpt(beginning)));
  };
  callbacks.gone = [this](const std::string& how) { on_gone(how); };
  worker_ = std::make_shared<WorkerProcess>(std::move(callbacks));
  if (std::string why = worker_->start(events_->loop, options_.command, !options_.is_own_worker);
      !why.empty()) {
    worker_.reset();
    return why;
  }
  pid_ = worker_->pid();
  state_ = State::starting;
  leaving_ = false;
  shares_files_ = false;
  if (options_.notice && options_.start_patience < options_.start_limit) {
    start_timer(options_.start_patience, &RequestLoop::on_slow_start);
  } else {
    start_timer(options_.start_limit, &RequestLoop::on_start_limit);
  }
  worker_->send(protocol::request(hello_id, "hello",
                                  {{"version", tilescope_version()},
                                   {"protocol", protocol::version},
                                   {"pid", worker_->parent()},
                                   {"folder", protocol::folder_identity(options_.shared_folder)}}));
  return "";
}

void RequestLoop::send_active() {
  Json params;
  stage_.clear();
  active_->write_params(params, shares_files_);
  params["time_limit_s"] = std::chrono::duration<double>(active_->time_limit).count();
  worker_->send(protocol::request(active_id_, active_->method, params));
  start_timer(active_->time_limit, &RequestLoop::on_time_limit);
}

void RequestLoop::on_line(std::string_view line) {
  if (state_ != State::starting && state_ != State::ready) return;
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  Json message;
  try {
    message = parse_json(line);
  } catch (const JsonError& error) {
    return on_malformed_output(
        fmt::format("what is not JSON-RPC: {} ({})", protocol::excerpt(line), error.what()));
  }
  if (!message.is_object() || message.value("jsonrpc", Json()) != "2.0") {
    return on_malformed_output("what is not JSON-RPC: " + protocol::excerpt(line));
  }
  if (message.contains("method")) return on_notification(message);
  const Json id = message.value("id", Json());
  if (state_ == State::starting && id == Json(hello_id)) return on_hello(message);
  if (state_ == State::ready && active_ && id == Json(active_id_)) return on_answer(message);
  on_malformed_output("an answer to what was not asked: " + protocol::excerpt(line));
}

void RequestLoop::on_notification(const Json& message) {
  const Json params = message.value("params", Json());
  if (message["method"] == "leaving") leaving_ = true;
  if (!active_ || !params.is_object()) return;
  if (params.value("id", Json()) != Json(active_id_) || active_->is_dropped()) return;
  if (message["method"] == "part" && active_->part && params.contains("part")) {
    active_->part(params["part"]);
  }
  if (message["method"] != "progress") return;
  const Json stage = params.value("stage", Json());
  const Json fraction = params.value("fraction", Json());
  if (!stage.is_string() || !fraction.is_number()) return;
  stage_ = stage.get<std::string>();
  if (active_->progress) active_->progress({stage_, fraction});
}

void RequestLoop::on_hello(const Json& message) {
  const Json answer = message.value("result", Json::object());
  const Json spoken = answer.is_object() ? answer.value("protocol", Json()) : Json();
  if (spoken != Json(protocol::version)) {
    const Json version = answer.is_object() ? answer.value("version", Json()) : Json();
    return lose(
        fmt::format("The worker '{}' does not match this program: it is Tilescope {} with protocol {}, this "
                    "is Tilescope {} with protocol {}. Install the same version on both sides.",
                    command(), version.is_string() ? version.get<std::string>() : "of an unknown version",
                    spoken.is_number() ? spoken.dump() : "unknown", tilescope_version(), protocol::version));
  }
  state_ = State::ready;
  shares_files_ = answer.value("shares_files", Json()) == Json(true);
  uv_timer_stop(&events_->timer);
  if (active_) {
    send_active();
  } else {
    dispatch();
  }
}

void RequestLoop::on_answer(const Json& message) {
  if (message.contains("error")) return on_error(message["error"]);
  if (!message.contains("result"))
    return on_malformed_output("an answer without a result: " + protocol::excerpt(message.dump()));
  if (active_->is_dropped()) {
    fail(Status::cancelled, "Cancelled.");
  } else {
    deliver(take_active(), message["result"]);
  }
  after_answer();
}

void RequestLoop::deliver(const PendingRequest& request, const Json& result) {
  try {
    request.answered(result);
  } catch (const std::exception& failure) {
    request.failed(Status::worker_lost,
                   fmt::format("The worker's answer to '{}' cannot be read: {}. It was killed.",
                               request.method, failure.what()));
    end_worker();
  }
}

void RequestLoop::on_error(const Json& error) {
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

void RequestLoop::after_answer() {
  if (leaving_ && state_ == State::ready) {
    state_ = State::ending;
    pid_ = 0;
    worker_->close_input(farewell_patience);
  }
  dispatch();
}

void RequestLoop::on_malformed_output(const std::string& what) {
  if (state_ != State::starting && state_ != State::ready) return;
  lose(fmt::format("The worker '{}' printed {}. It was killed.", command(), what));
}

void RequestLoop::on_gone(const std::string& how) {
  uv_timer_stop(&events_->timer);
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

void RequestLoop::on_slow_start() {
  options_.notice(fmt::format("The worker '{}' has not answered for {}; it has {} to start.", command(),
                              seconds(options_.start_patience), seconds(options_.start_limit)));
  start_timer(options_.start_limit - options_.start_patience, &RequestLoop::on_start_limit);
}

void RequestLoop::on_start_limit() {
  on_limit(fmt::format("The worker '{}' did not answer within {} of its start; it was killed.", command(),
                       seconds(options_.start_limit)));
}

void RequestLoop::on_time_limit() {
  const std::string work = work_of(stage_);
  on_limit(fmt::format("{} within {}; the worker was killed.",
                       work.empty() ? "No answer" : work + " did not end", seconds(active_->time_limit)));
}

void RequestLoop::on_limit(const std::string& what) {
  const Status status = state_ == State::starting ? Status::worker_lost : Status::timed_out;
  const std::string words = worker_ ? worker_->last_words() : "";
  end_worker();
  if (active_) fail(status, words.empty() ? what : what + " It last wrote to stderr: " + words);
}

void RequestLoop::cancel_here(RequestId id) {
  if (const auto found = waiting_.find(id); found != waiting_.end()) {
    const PendingRequest pending = std::move(found->second);
    waiting_.erase(found);
    pending.failed(Status::cancelled, "Cancelled before it started.");
    return;
  }
  if (!active_ || active_id_ != id || std::exchange(active_->cancelled, true)) return;
  if (state_ == State::starting) {
    // It was not sent yet: the worker goes on starting for the next one, within its own limit.
    const PendingRequest pending = std::move(*std::exchange(active_, std::nullopt));
    pending.failed(Status::cancelled, "Cancelled before it started.");
    return dispatch();
  }
  worker_->send(protocol::notification("cancel", {{"id", id}}));
  start_timer(options_.cancel_grace, &RequestLoop::on_cancel_grace);
}

void RequestLoop::on_cancel_grace() {
  end_worker();
  fail(Status::cancelled, fmt::format("Cancelled; the worker did not stop within {} and was killed.",
                                      seconds(options_.cancel_grace)));
}

void RequestLoop::lose(const std::string& reason) {
  const std::string words = worker_->last_words();
  end_worker();
  if (active_)
    fail(Status::worker_lost, words.empty() ? reason : reason + " It last wrote to stderr: " + words);
}

void RequestLoop::end_worker() {
  if (state_ != State::starting && state_ != State::ready) return;
  uv_timer_stop(&events_->timer);
  state_ = State::ending;
  pid_ = 0;
  worker_->kill();
}

PendingRequest RequestLoop::take_active() {
  uv_timer_stop(&events_->timer);
  PendingRequest pending = std::move(*active_);
  active_.reset();
  return pending;
}

void RequestLoop::fail(Status status, std::string reason) {
  const PendingRequest pending = take_active();
  pending.failed(status, std::move(reason));
}

void RequestLoop::start_timer(std::chrono::milliseconds after, void (RequestLoop::*then)()) {
  when_timer_ = then;
  const auto on_timer = [](uv_timer_t* timer) {
    RequestLoop& client = owner(timer);
    (client.*client.when_timer_)();
  };
  uv_timer_start(&events_->timer, on_timer, static_cast<std::uint64_t>(after.count()), 0);
}

void RequestLoop::shut_down() {
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

void RequestLoop::close_handles() {
  for (uv_handle_t* handle :
       {reinterpret_cast<uv_handle_t*>(&events_->wake), reinterpret_cast<uv_handle_t*>(&events_->timer)}) {
    if (!uv_is_closing(handle)) uv_close(handle, nullptr);
  }
}

std::string RequestLoop::command() const {
  return fmt::format("{}", fmt::join(options_.command, " "));
}

}  // namespace tilescope
