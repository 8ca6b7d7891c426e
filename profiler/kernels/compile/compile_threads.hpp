#pragma once

#include <sys/types.h>
#include <time.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace tilescope {

/// How much of a core a compilation may take from others. The most urgent first.
enum class CompilePriority {
  /// A caller waits for it: the program's own priority.
  normal,
  /// A caller waits for what comes before it, such as the PTX that is interpreted meanwhile.
  later,
  /// Not requested yet, or no caller waits for it any more: it takes what no other thread takes.
  idle,
};

/// Makes the calling thread, and the threads that it makes from then on, idle.
void make_this_thread_idle();

/// Threads of one task each, with a limit to how many run at once. A thread of its own starts them and adjusts their
/// priorities, so that no caller ever waits here.
class CompileThreads {
 public:
  using Task = std::function<void()>;
  /// Asked again and again while its task waits or runs.
  using Priority = std::function<CompilePriority()>;
  using TaskId = std::uint64_t;
  /// Throws std::system_error where the system has no thread left.
  using MakeThread = std::function<std::thread(Task)>;

  explicit CompileThreads(
      std::size_t max_running,
      MakeThread make_thread = [](Task task) { return std::thread(std::move(task)); });
  /// Waits for all tasks, those in line included.
  ~CompileThreads();
  CompileThreads(const CompileThreads&) = delete;
  CompileThreads& operator=(const CompileThreads&) = delete;

  /// Runs `task`, which must not throw, once fewer than the limit run; of those in line the most urgent first. Where the
  /// system has no thread left, it runs when another one has ended, or on the thread that starts the others.
  TaskId start(Priority priority, Task task);
  /// A priority has changed. Without this call it is noticed within some 10 ms.
  void adjust_priorities() { changed_.notify_all(); }
  /// Processor time of a task; nothing if it has not begun, or has ended.
  std::optional<std::chrono::nanoseconds> cpu_time(TaskId task) const;
  /// Linux lets any process lower the priority of a thread, but raise it again only with CAP_SYS_NICE or a fitting
  /// RLIMIT_NICE.
  bool can_raise() const { return can_raise_; }
  /// No task runs or waits.
  bool is_idle() const;

 private:
  struct Waiting {
    TaskId id;
    Priority priority;
    Task task;
  };
  struct Running {
    TaskId id;
    Priority priority;
    std::thread thread{};
    /// 0 until the thread has begun.
    pid_t system_id = 0;
    clockid_t cpu_clock{};
    CompilePriority has = CompilePriority::normal;
    bool has_ended = false;
  };

  void keep();
  void join_ended();
  /// Called with the lock held, which it may release for the time of a task.
  void start_waiting(std::unique_lock<std::mutex>& lock);
  void start_thread(Waiting& next);
  void adjust_priority(Running& running) const;

  const std::size_t max_running_;
  const MakeThread make_thread_;
  /// The nice value of CompilePriority::normal: inherited, for the whole program may run at a lower priority.
  const int nice_;
  const bool can_raise_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  /// Under the mutex, as all below.
  std::list<Waiting> waiting_;
  std::list<Running> running_;
  TaskId last_id_ = 0;
  bool runs_one_here_ = false;
  bool ends_ = false;
  /// Made with the object: a thread inherits the priority of the one that makes it, and those that call start() may be
  /// of a low one.
  std::thread keeper_;
};

}  // namespace tilescope
