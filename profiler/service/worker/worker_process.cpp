#include "profiler/service/worker/worker_process.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/json.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t stderr_kept = 4096;  // [B]
constexpr std::size_t stderr_lines_told = 12;
constexpr std::chrono::milliseconds drain_patience{300};  // Between a process's end and the end of its pipes.
constexpr std::chrono::milliseconds exit_patience{500};   // Between the end of its pipes and its own.
constexpr std::chrono::milliseconds kill_patience{
    3000};  // A process in the driver's hands can take a while to die.

WorkerProcess& owner(const void* handle) {
  return *static_cast<WorkerProcess*>(static_cast<const uv_handle_t*>(handle)->data);
}

}  // namespace

std::string WorkerProcess::start(uv_loop_t& loop, const std::vector<std::string>& command, bool supervised) {
  if (command.empty()) return "no program is given";
  try {
    if (supervised) {
      supervisor_.emplace(command, 0, Supervisor::Leftovers::killed);
    } else {
      supervisor_.emplace(command);
    }
  } catch (const std::system_error& error) {
    return error.what();
  }
  for (uv_pipe_t* pipe : {&input_, &output_, &error_}) uv_pipe_init(&loop, pipe, 0);
  uv_timer_init(&loop, &timer_);
  for (uv_handle_t* handle : {as_handle(input_), as_handle(output_), as_handle(error_), as_handle(timer_)}) {
    handle->data = this;
    ++open_handles_;
  }
  process_.data = this;
  ++open_handles_;
  self_ = shared_from_this();

  const auto pipe_end = [](uv_pipe_t& pipe, unsigned direction) {
    uv_stdio_container_t end{};
    end.flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | direction);
    end.data.stream = reinterpret_cast<uv_stream_t*>(&pipe);
    return end;
  };
  uv_stdio_container_t streams[] = {pipe_end(input_, UV_READABLE_PIPE),
                                    pipe_end(output_, UV_WRITABLE_PIPE),
                                    pipe_end(error_, UV_WRITABLE_PIPE),
                                    {}};
  streams[3].flags = UV_INHERIT_FD;
  streams[3].data.fd = supervisor_->child_end();
  std::vector<char*> arguments;
  arguments.reserve(supervisor_->command().size() + 1);
  for (const std::string& argument : supervisor_->command())
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  uv_process_options_t options{};
  options.file = arguments.front();
  options.args = arguments.data();
  options.stdio = streams;
  options.stdio_count = supervisor_->is_there() ? 4 : 3;
  options.exit_cb = [](uv_process_t* process, std::int64_t exit_code, int signal) {
    owner(process).on_exit(exit_code, signal);
  };
  if (const int failed = uv_spawn(&loop, &process_, &options); failed != 0) {
    callbacks_ = {};
    finish();
    return uv_strerror(failed);
  }
  if (const int error = supervisor_->wait_for_start(); error != 0) {
    callbacks_ = {};
    open_streams_ = 0;  // nothing is read: the end of the supervisor is the end
    supervisor_->end();
    return uv_strerror(uv_translate_sys_error(error));
  }
  pid_ = supervisor_->is_there() ? supervisor_->program() : process_.pid;
  read(output_);
  read(error_);
  return "";
}

int WorkerProcess::parent() const {
  return supervisor_ && supervisor_->is_there() ? process_.pid : ::getpid();
}

void WorkerProcess::read(uv_pipe_t& pipe) {
  const auto allocate = [](uv_handle_t* handle, std::size_t suggested, uv_buf_t* buffer) {
    std::string& bytes = owner(handle).buffer_;
    bytes.resize(suggested);
    *buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
  };
  const auto on_bytes = [](uv_stream_t* stream, ssize_t count, const uv_buf_t*) {
    owner(stream).on_read(stream, count);
  };
  uv_read_start(reinterpret_cast<uv_stream_t*>(&pipe), allocate, on_bytes);
}

void WorkerProcess::on_read(uv_stream_t* stream, ssize_t count) {
  if (count == 0) return;
  const std::shared_ptr<WorkerProcess> alive = self_;  // A callback may end this process.
  if (count < 0) return stream_ended(stream);
  const std::string bytes = buffer_.substr(0, static_cast<std::size_t>(count));
  if (stream == reinterpret_cast<uv_stream_t*>(&error_)) return keep_stderr(bytes);
  lines_.feed(
      bytes,
      [this](std::string_view line) {
        if (callbacks_.line) callbacks_.line(line);
      },
      [this](std::string_view beginning) {
        if (callbacks_.too_long) callbacks_.too_long(beginning);
      });
}

void WorkerProcess::keep_stderr(std::string_view bytes) {
  stderr_tail_.append(bytes);
  if (stderr_tail_.size() > stderr_kept) stderr_tail_.erase(0, stderr_tail_.size() - stderr_kept);
}

std::string WorkerProcess::last_words() const {
  std::string_view text = stderr_tail_;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  std::size_t start = text.size();
  for (std::size_t line = 0; line < stderr_lines_told && start != std::string_view::npos && start > 0;
       ++line) {
    start = text.rfind('\n', start - 1);
  }
  if (start != std::string_view::npos && start > 0) text.remove_prefix(start + 1);
  // Into UTF-8 and back: a crash may write anything, and this text goes into a session file.
  return Json::parse(Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace));
}

void WorkerProcess::stream_ended(uv_stream_t* stream) {
  close(reinterpret_cast<uv_handle_t*>(stream));
  --open_streams_;
  if (exited_) {
    if (open_streams_ == 0) finish();
  } else if (stream == reinterpret_cast<uv_stream_t*>(&output_)) {
    give_up_soon("It closed its output but did not end, and was killed.");
  }
}

void WorkerProcess::on_exit(std::int64_t exit_code, int signal) {
  exited_ = true;
  pid_ = 0;
  if (ending_.empty() && signal != 0) {
    ending_ = fmt::format("It was ended by signal {} ({}).", signal, ::strsignal(signal));
  } else if (ending_.empty()) {
    ending_ = fmt::format("It ended with exit code {}.", exit_code);
  }
  if (open_streams_ == 0) return finish();
  start_timer(drain_patience, &WorkerProcess::finish);  // A grandchild may hold the pipes open.
}

void WorkerProcess::send(std::string line) {
  if (finished_ || uv_is_closing(as_handle(input_))) return;
  auto* write = new Write{{}, std::move(line)};
  write->request.data = write;
  const uv_buf_t buffer = uv_buf_init(write->line.data(), static_cast<unsigned>(write->line.size()));
  const auto written = [](uv_write_t* request, int status) {
    auto* done = static_cast<Write*>(request->data);
    WorkerProcess& process = owner(request->handle);
    // A worker that no longer reads is ending or useless: its exit shows which.
    if (status < 0 && status != UV_ECANCELED && !process.exited_) {
      process.give_up_soon("It no longer reads requests but did not end, and was killed.");
    }
    delete done;
  };
  if (uv_write(&write->request, reinterpret_cast<uv_stream_t*>(&input_), &buffer, 1, written) != 0) {
    delete write;
    give_up_soon("It cannot be written to and was killed.");
  }
}

void WorkerProcess::close_input(std::chrono::milliseconds patience) {
  close(as_handle(input_));
  if (!exited_) start_timer(patience, &WorkerProcess::kill);
}

void WorkerProcess::kill() {
  if (finished_ || exited_) return;
  if (supervisor_->is_there()) {
    supervisor_->end();  // which also ends what the worker has started
  } else {
    uv_process_kill(&process_, SIGKILL);
  }
  start_timer(kill_patience, &WorkerProcess::finish);
}

void WorkerProcess::give_up_soon(std::string why) {
  if (finished_ || exited_) return;
  why_given_up_ = std::move(why);
  start_timer(exit_patience, &WorkerProcess::give_up);
}

void WorkerProcess::give_up() {
  ending_ = why_given_up_;
  kill();
}

void WorkerProcess::start_timer(std::chrono::milliseconds after, void (WorkerProcess::*then)()) {
  if (finished_) return;
  when_timer_ = then;
  const auto on_timer = [](uv_timer_t* timer) {
    WorkerProcess& process = owner(timer);
    (process.*process.when_timer_)();
  };
  uv_timer_start(&timer_, on_timer, static_cast<std::uint64_t>(after.count()), 0);
}

void WorkerProcess::finish() {
  if (std::exchange(finished_, true)) return;
  if (ending_.empty()) ending_ = "It does not end although it was killed.";
  const auto gone = std::exchange(callbacks_, {}).gone;
  pid_ = 0;
  for (uv_handle_t* handle :
       {as_handle(process_), as_handle(input_), as_handle(output_), as_handle(error_), as_handle(timer_)}) {
    close(handle);
  }
  if (!gone) return;
  const std::string words = last_words();
  gone(words.empty() ? ending_ : ending_ + " It last wrote to stderr: " + words);
}

void WorkerProcess::close(uv_handle_t* handle) {
  if (uv_is_closing(handle)) return;
  uv_close(handle, [](uv_handle_t* closed) {
    WorkerProcess& process = owner(closed);
    if (--process.open_handles_ == 0) process.self_.reset();
  });
}

}  // namespace tilescope
