#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace tilescope {

/// How much of a core a compilation may take from others.
enum class CompilePriority {
  /// Somebody waits for it.
  normal,
  /// Somebody waits for what comes before it, such as the PTX that is interpreted meanwhile.
  later,
  /// Nobody has asked for it yet: what no other thread takes.
  idle,
};

/// Threads of one task each. The destructor waits for all of them.
class CompileThreads {
 public:
  CompileThreads() = default;
  ~CompileThreads();
  CompileThreads(const CompileThreads&) = delete;
  CompileThreads& operator=(const CompileThreads&) = delete;

  /// `task` must not throw.
  void start(CompilePriority priority, std::function<void()> task);
  /// Waits until fewer than `most` tasks run.
  void wait_for_room(std::size_t most);

 private:
  struct Running {
    std::thread thread;
    std::shared_ptr<bool> has_ended = std::make_shared<bool>(false);
  };

  void join_ended();

  std::mutex mutex_;
  std::condition_variable ended_;
  std::list<Running> running_;
};

}  // namespace tilescope
