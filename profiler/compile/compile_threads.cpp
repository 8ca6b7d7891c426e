#include "profiler/compile/compile_threads.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace tilescope {
namespace {

int nice_value(CompilePriority priority) {
  switch (priority) {
    case CompilePriority::normal:
      return 0;
    case CompilePriority::later:
      return 10;
    case CompilePriority::idle:
      break;
  }
  return 19;
}

// Linux has a nice value for each thread. One that cannot be lowered is no error: the machine is slower then.
void lower_priority(CompilePriority priority) {
  if (priority == CompilePriority::normal) return;
  const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
  ::setpriority(PRIO_PROCESS, thread, nice_value(priority));
}

}  // namespace

CompileThreads::~CompileThreads() {
  for (Running& running : running_) running.thread.join();
}

void CompileThreads::start(CompilePriority priority, std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  join_ended();
  Running& started = running_.emplace_back();
  started.thread = std::thread([this, priority, task = std::move(task), has_ended = started.has_ended] {
    lower_priority(priority);
    task();
    const std::lock_guard ending(mutex_);
    *has_ended = true;
    ended_.notify_all();
  });
}

void CompileThreads::wait_for_room(std::size_t most) {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] {
    join_ended();
    return running_.size() < most;
  });
}

void CompileThreads::join_ended() {
  for (auto running = running_.begin(); running != running_.end();) {
    const auto here = running++;
    if (!*here->has_ended) continue;
    here->thread.join();
    running_.erase(here);
  }
}

}  // namespace tilescope
