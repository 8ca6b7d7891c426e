#include "profiler/process/child_program.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include <array>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "profiler/process/supervisor.hpp"

namespace tilescope {
namespace {

constexpr std::size_t errors_kept = std::size_t{64} << 10;  // [B]
constexpr std::uint64_t cancel_interval = 20;               // [ms]

/// The variables of this process with the call's, as "NAME=value".
std::vector<std::string> environment_for(const ProgramCall& call) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    if (!call.environment.contains(variable.substr(0, variable.find('=')))) variables.push_back(variable);
  }
  for (const auto& [name, value] : call.environment) variables.push_back(name + "=" + value);
  return variables;
}

std::string memory_text(std::uint64_t bytes) {
  constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;
  return bytes % gibibyte == 0 ? fmt::format("{} GiB", bytes / gibibyte) : fmt::format("{} MiB", bytes >> 20);
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// A file in memory: a program that seeks in its input can open it as /dev/stdin, and nothing is left on the disk.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail();
    while (!bytes.empty()) {
      const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail();
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    lseek(descriptor_, 0, SEEK_SET);
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  [[noreturn]] void fail() const {
    const std::string reason = std::strerror(errno);
    if (descriptor_ >= 0) close(descriptor_);
    throw ProgramFailed("no file can be made in memory: " + reason);
  }
  int descriptor_;
};

/// One run on an event loop of its own.
class Run {
 public:
  explicit Run(const ProgramCall& call)
      : call_(call),
        input_(call.input),
        supervisor_(call.command, call.memory_limit, Supervisor::Leftovers::awaited) {
    if (const int failed = uv_loop_init(&loop_); failed != 0) throw ProgramFailed(uv_strerror(failed));
    uv_pipe_init(&loop_, &output_, 0);
    uv_pipe_init(&loop_, &errors_, 0);
    uv_timer_init(&loop_, &timer_);
    uv_timer_init(&loop_, &cancel_timer_);
    for (uv_handle_t* handle : handles()) handle->data = this;
    process_.data = events_.data = this;
  }
  ~Run() {
    end_supervisor();
    for (uv_handle_t* handle : handles()) close_once(handle);
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  ProgramResult finish() {
    start();
    uv_run(&loop_, UV_RUN_DEFAULT);
    if (is_cancelled_) throw ProgramCancelled(call_.command.front() + " was cancelled");
    if (!failure_.empty()) throw ProgramFailed(failure_);
    return std::move(result_);
  }

 private:
  template <class Handle>
  static uv_handle_t* as_handle(Handle& handle) {
    return reinterpret_cast<uv_handle_t*>(&handle);
  }
  std::array<uv_handle_t*, 4> handles() {
    return {as_handle(output_), as_handle(errors_), as_handle(timer_), as_handle(cancel_timer_)};
  }
  static void close_once(uv_handle_t* handle) {
    if (!uv_is_closing(handle)) uv_close(handle, nullptr);
  }
  static Run& owner(const void* handle) {
    return *static_cast<Run*>(static_cast<const uv_handle_t*>(handle)->data);
  }

  void start() {
    std::vector<char*> arguments = pointers_to(supervisor_.command());
    const std::vector<std::string> variables = environment_for(call_);
    std::vector<char*> environment = pointers_to(variables);
    uv_stdio_container_t streams[4] = {};
    streams[0].flags = UV_INHERIT_FD;
    streams[0].data.fd = input_.descriptor();
    for (const auto& [place, pipe] : {std::pair(1, &output_), std::pair(2, &errors_)}) {
      streams[place].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
      streams[place].data.stream = reinterpret_cast<uv_stream_t*>(pipe);
    }
    streams[3].flags = UV_INHERIT_FD;
    streams[3].data.fd = supervisor_.child_end();
    uv_process_options_t options{};
    options.file = arguments.front();
    options.args = arguments.data();
    options.env = environment.data();
    if (!call_.folder.empty()) options.cwd = call_.folder.c_str();
    // In a process group of its own, so that the programs that it starts can be killed with it.
    options.flags = UV_PROCESS_DETACHED;
    options.stdio = streams;
    options.stdio_count = supervisor_.is_there() ? 4 : 3;
    options.exit_cb = [](uv_process_t* process, std::int64_t exit_code, int signal) {
      owner(process).process_ended(exit_code, signal);
    };
    if (const int failed = uv_spawn(&loop_, &process_, &options); failed != 0) {
      close_once(as_handle(process_));
      cannot_start(failed);
    }
    if (const int error = supervisor_.wait_for_start(); error != 0)
      cannot_start(uv_translate_sys_error(error));
    read(output_);
    read(errors_);
    read_events();
    limit_time();
  }

  [[noreturn]] void cannot_start(int error) const {
    throw ProgramFailed(fmt::format("{} cannot be started: {}", call_.command.front(), uv_strerror(error)));
  }

  void read_events() {
    if (!supervisor_.is_there()) return;
    uv_poll_init(&loop_, &events_, supervisor_.socket());
    has_events_ = true;
    uv_poll_start(&events_, UV_READABLE, [](uv_poll_t* poll, int, int) { owner(poll).take_events(); });
  }

  void take_events() {
    for (;;) {
      const std::optional<Supervisor::Event> event = supervisor_.next_event();
      if (!event) break;
      if (event->kind == Supervisor::EventKind::ended) {
        const int status = event->value;
        ended(WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
      } else if (event->kind == Supervisor::EventKind::over_memory) {
        give_up(fmt::format("{} took more than {} of memory and was killed", call_.command.front(),
                            memory_text(call_.memory_limit)));
      }
    }
  }

  void limit_time() {
    const auto late = [](uv_timer_t* timer) {
      Run& run = owner(timer);
      run.give_up(fmt::format("{} did not end within {} s", run.call_.command.front(),
                              std::chrono::duration<double>(run.call_.time_limit).count()));
    };
    uv_timer_start(&timer_, late, static_cast<std::uint64_t>(call_.time_limit.count()), 0);
    // They limit how long the pipes stay open too, but the loop does not wait for them alone.
    uv_unref(as_handle(timer_));
    if (!call_.cancelled) return;
    const auto ask = [](uv_timer_t* timer) {
      Run& run = owner(timer);
      if (!run.call_.cancelled()) return;
      run.is_cancelled_ = true;
      run.stop();
    };
    uv_timer_start(&cancel_timer_, ask, 0, cancel_interval);
    uv_unref(as_handle(cancel_timer_));
  }

  void read(uv_pipe_t& pipe) {
    const auto allocate = [](uv_handle_t* handle, std::size_t suggested, uv_buf_t* buffer) {
      std::string& bytes = owner(handle).buffer_;
      bytes.resize(suggested);
      *buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
    };
    const auto on_bytes = [](uv_stream_t* stream, ssize_t count, const uv_buf_t*) {
      owner(stream).take(stream, count);
    };
    uv_read_start(reinterpret_cast<uv_stream_t*>(&pipe), allocate, on_bytes);
  }

  void take(uv_stream_t* stream, ssize_t count) {
    if (count < 0) {
      close_once(reinterpret_cast<uv_handle_t*>(stream));
      return end_leftovers();
    }
    const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(count));
    if (stream == reinterpret_cast<uv_stream_t*>(&errors_)) {
      result_.errors += bytes.substr(0, errors_kept - result_.errors.size());
    } else if (result_.output.size() + bytes.size() > call_.output_limit) {
      give_up(fmt::format("{} wrote more than {} MB", call_.command.front(), call_.output_limit >> 20));
    } else {
      result_.output += bytes;
    }
  }

  void give_up(std::string why) {
    if (failure_.empty()) failure_ = std::move(why);
    stop();
  }

  void stop() {
    // Also where the program itself has ended: what it started may still hold the pipes open.
    if (supervisor_.is_there()) {
      end_supervisor();
    } else {
      kill(-process_.pid, SIGKILL);
    }
    for (uv_handle_t* handle : handles()) close_once(handle);
  }

  void end_supervisor() {
    if (std::exchange(has_events_, false)) uv_close(as_handle(events_), nullptr);
    supervisor_.end();
  }

  void ended(std::int64_t exit_code, int signal) {
    has_ended_ = true;
    result_.exit_code = exit_code;
    result_.signal = signal;
    end_leftovers();
  }

  /// A program may leave others running: those that still write are waited for, others are ended.
  void end_leftovers() {
    if (has_ended_ && uv_is_closing(as_handle(output_)) && uv_is_closing(as_handle(errors_)))
      end_supervisor();
  }

  /// The supervisor, which ends as the program did, or the program itself.
  void process_ended(std::int64_t exit_code, int signal) {
    take_events();
    if (!has_ended_) ended(exit_code, signal);
    end_supervisor();
    close_once(as_handle(process_));
  }

  const ProgramCall& call_;
  MemoryFile input_;
  Supervisor supervisor_;
  uv_loop_t loop_{};
  uv_process_t process_{};
  uv_pipe_t output_{}, errors_{};
  uv_timer_t timer_{}, cancel_timer_{};
  uv_poll_t events_{};
  bool has_events_ = false, has_ended_ = false;
  std::string buffer_;
  ProgramResult result_;
  std::string failure_;
  bool is_cancelled_ = false;
};

}  // namespace

ProgramResult run_program(const ProgramCall& call) {
  try {
    return Run(call).finish();
  } catch (const std::system_error& error) {
    throw ProgramFailed(fmt::format("{} cannot be started: {}", call.command.front(), error.what()));
  }
}

}  // namespace tilescope
