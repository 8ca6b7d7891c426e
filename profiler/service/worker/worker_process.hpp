#pragma once

#include <uv.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/process/supervisor.hpp"
#include "profiler/service/worker/protocol.hpp"

namespace tilescope {

/// One child process on a libuv loop: its lines, its death, and its last words. What it has started ends with it, and it
/// ends with this process. All calls and callbacks are on the loop's thread. It owns itself while it has open handles: after kill() it may be let go of at once.
class WorkerProcess : public std::enable_shared_from_this<WorkerProcess> {
 public:
  struct Callbacks {
    std::function<void(std::string_view)> line;
    /// A line over protocol::line_limit, with its beginning.
    std::function<void(std::string_view)> too_long;
    /// Exactly once, when the process has ended and what it said last is read (or can be waited for no
    /// longer). The sentence says how: "It was ended by signal 11 (Segmentation fault). It last wrote to
    /// stderr: ...".
    std::function<void(std::string)> gone;
  };

  explicit WorkerProcess(Callbacks callbacks) : callbacks_(std::move(callbacks)) {}
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// "" or why the program cannot be started. `gone` is called only after a start that succeeded. `supervised`: false
  /// for a program that ends with its parent, and what it has started with it, without a supervisor.
  std::string start(uv_loop_t& loop, const std::vector<std::string>& command, bool supervised);
  void send(std::string line);
  /// Its end of input is the worker's order to end; it is killed when it has not after `patience`.
  void close_input(std::chrono::milliseconds patience);
  /// At once. `gone` follows when the process has died.
  void kill();

  int pid() const { return pid_; }
  /// The process that has started it: this one, or its supervisor.
  int parent() const;
  /// Its last lines on stderr; "" if it wrote none.
  std::string last_words() const;

 private:
  struct Write {
    uv_write_t request;
    std::string line;
  };

  void read(uv_pipe_t& pipe);
  void on_read(uv_stream_t* stream, ssize_t count);
  void keep_stderr(std::string_view bytes);
  void stream_ended(uv_stream_t* stream);
  void on_exit(std::int64_t exit_code, int signal);
  void finish();
  void give_up_soon(std::string why);
  void give_up();
  void close(uv_handle_t* handle);
  void start_timer(std::chrono::milliseconds after, void (WorkerProcess::*then)());

  template <typename Handle>
  uv_handle_t* as_handle(Handle& handle) {
    return reinterpret_cast<uv_handle_t*>(&handle);
  }

  Callbacks callbacks_;
  /// Until the last handle is closed.
  std::shared_ptr<WorkerProcess> self_;
  std::optional<Supervisor> supervisor_;
  uv_process_t process_{};
  uv_pipe_t input_{}, output_{}, error_{};
  uv_timer_t timer_{};
  void (WorkerProcess::*when_timer_)() = nullptr;
  int open_handles_ = 0;
  /// stdout and stderr
  int open_streams_ = 2;
  int pid_ = 0;
  bool exited_ = false;
  bool finished_ = false;
  std::string ending_;
  std::string why_given_up_;
  std::string buffer_;
  protocol::LineSplitter lines_;
  std::string stderr_tail_;
};

}  // namespace tilescope
