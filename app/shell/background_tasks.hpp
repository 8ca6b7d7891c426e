#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace tilescope {

/// Work that would hold up a frame: each task on a thread of its own, its result taken on the window's thread.
class BackgroundTasks {
 public:
  /// Runs on the window's thread, in drain().
  using Continuation = std::function<void()>;
  /// Runs on the task's thread and must not throw.
  using Work = std::function<Continuation()>;

  /// `wake` is called from another thread whenever there is something to drain.
  explicit BackgroundTasks(std::function<void()> wake);
  /// Waits for what runs; what was not drained is dropped.
  ~BackgroundTasks();
  BackgroundTasks(const BackgroundTasks&) = delete;
  BackgroundTasks& operator=(const BackgroundTasks&) = delete;

  void start(Work work);
  /// From any thread, for what runs elsewhere: `continuation` is run by drain().
  void hand_over(Continuation continuation);
  /// Returns how many continuations ran. A continuation may start further tasks.
  std::size_t drain();
  /// Waits for all tasks and drains them, those that they start included.
  void finish();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tilescope
