#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "profiler/service/client/mailbox.hpp"

namespace tilescope {

/// Work that would hold up a frame: each task on a thread of its own, its result taken on the window's thread, through
/// the mailbox.
class BackgroundTasks {
 public:
  /// Runs on the window's thread, when the mailbox is drained.
  using Continuation = std::function<void()>;
  /// Runs on the task's thread and must not throw.
  using Work = std::function<Continuation()>;

  /// `mailbox` must outlive it.
  explicit BackgroundTasks(Mailbox& mailbox);
  /// Waits for what runs; what was not drained is left to the mailbox.
  ~BackgroundTasks();
  BackgroundTasks(const BackgroundTasks&) = delete;
  BackgroundTasks& operator=(const BackgroundTasks&) = delete;

  void start(Work work);
  /// Waits for all tasks and drains the mailbox, until no task has started another.
  void finish();

 private:
  struct State;
  Mailbox& mailbox_;
  std::shared_ptr<State> state_;
};

/// The tasks that one owner starts, of which the newest wins: what an earlier one continues with is dropped, and
/// nothing is continued after the owner has gone.
class NewestTask {
 public:
  /// `background` must outlive it.
  explicit NewestTask(BackgroundTasks& background) : background_(background) {}

  void start(BackgroundTasks::Work work);
  void drop();
  /// Whether one runs that was not dropped.
  bool runs() const { return *running_ != 0; }

 private:
  BackgroundTasks& background_;
  std::uint64_t last_ = 0;
  /// The number of the one that runs; 0 for none.
  std::shared_ptr<std::uint64_t> running_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace tilescope
