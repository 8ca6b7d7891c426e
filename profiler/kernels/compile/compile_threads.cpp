#include "profiler/kernels/compile/compile_threads.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace tilescope {
namespace {

constexpr std::chrono::milliseconds adjusting_interval{10};

constexpr int nice_later = 10, nice_idle = 19;

int nice_value(CompilePriority priority, int normal) {
  switch (priority) {
    case CompilePriority::normal:
      return normal;
    case CompilePriority::later:
      return std::max(normal, nice_later);
    case CompilePriority::idle:
      break;
  }
  return nice_idle;
}

pid_t own_system_id() {
  return static_cast<pid_t>(::syscall(SYS_gettid));
}

// Linux has a nice value for each thread.
bool set_nice(pid_t thread, int value) {
  return ::setpriority(PRIO_PROCESS, static_cast<id_t>(thread), value) == 0;
}

// Found by trying, on a thread that ends: the rights come from a capability, a limit or a security module.
bool can_raise_to(int nice) {
  bool can = false;
  std::thread([nice, &can] {
    const pid_t self = own_system_id();
    can = set_nice(self, nice_idle) && set_nice(self, nice);
  }).join();
  return can;
}

}  // namespace

void make_this_thread_idle() {
  set_nice(own_system_id(), nice_idle);
}

CompileThreads::CompileThreads(std::size_t max_running, MakeThread make_thread)
    : max_running_(max_running),
      make_thread_(std::move(make_thread)),
      nice_(::getpriority(PRIO_PROCESS, 0)),
      can_raise_(can_raise_to(nice_)),
      keeper_([this] { keep(); }) {}

CompileThreads::~CompileThreads() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  keeper_.join();
}

CompileThreads::TaskId CompileThreads::start(Priority priority, Task task) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({last_id_ + 1, std::move(priority), std::move(task)});
  changed_.notify_all();
  return ++last_id_;
}

std::optional<std::chrono::nanoseconds> CompileThreads::cpu_time(TaskId task) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(running_.begin(), running_.end(), [&](const Running& one) { return one.id == task; });
  timespec used{};
  if (found == running_.end() || found->system_id == 0 || found->has_ended ||
      ::clock_gettime(found->cpu_clock, &used) != 0)
    return std::nullopt;
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

bool CompileThreads::is_idle() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && running_.empty() && !runs_one_here_;
}

void CompileThreads::keep() {
  std::unique_lock lock(mutex_);
  while (true) {
    join_ended();
    start_waiting(lock);
    for (Running& running : running_) adjust_priority(running);
    if (!running_.empty()) {
      changed_.wait_for(lock, adjusting_interval);
    } else {
      if (ends_ && waiting_.empty()) return;
      changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    }
  }
}

void CompileThreads::join_ended() {
  for (auto running = running_.begin(); running != running_.end();) {
    const auto here = running++;
    if (!here->has_ended) continue;
    here->thread.join();
    running_.erase(here);
  }
}

void CompileThreads::start_waiting(std::unique_lock<std::mutex>& lock) {
  while (!waiting_.empty() && running_.size() < max_running_) {
    const auto next = std::min_element(
        waiting_.begin(), waiting_.end(),
        [](const auto& one, const auto& other) { return one.priority() < other.priority(); });
    try {
      start_thread(*next);
      waiting_.erase(next);
    } catch (const std::system_error&) {
      if (!running_.empty()) return;
      const Task task = std::move(next->task);
      waiting_.erase(next);
      runs_one_here_ = true;
      lock.unlock();
      task();
      lock.lock();
      runs_one_here_ = false;
    }
  }
}

void CompileThreads::start_thread(Waiting& next) {
  Running& started = running_.emplace_back(Running{next.id, next.priority});
  try {
    started.thread = make_thread_([this, &started, task = next.task] {
      {
        const std::lock_guard lock(mutex_);
        if (::pthread_getcpuclockid(::pthread_self(), &started.cpu_clock) == 0)
          started.system_id = own_system_id();
        adjust_priority(started);
      }
      task();
      const std::lock_guard lock(mutex_);
      started.has_ended = true;
      changed_.notify_all();
    });
  } catch (...) {
    running_.pop_back();
    throw;
  }
}

void CompileThreads::adjust_priority(Running& running) const {
  if (running.system_id == 0 || running.has_ended) return;
  const CompilePriority wanted = running.priority();
  if (wanted != running.has && set_nice(running.system_id, nice_value(wanted, nice_))) running.has = wanted;
}

}  // namespace tilescope
