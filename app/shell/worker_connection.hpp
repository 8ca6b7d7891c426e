#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "profiler/worker/client.hpp"

namespace tilescope {

/// The window's side of the worker. A request carries a tag; the newest replaces a waiting one of the same
/// tag and cancels a running one, which keeps a dragged slider smooth. Answers are queued and drained once
/// per frame.
class WorkerConnection {
 public:
  using Options = WorkerClient::Options;
  /// Called from drain(), on the window's thread.
  using Done = std::function<void(std::shared_ptr<const Measurement>)>;

  /// `wake` is called from another thread whenever there is something to drain (glfwPostEmptyEvent).
  WorkerConnection(Options options, std::function<void()> wake);
  ~WorkerConnection();
  WorkerConnection(const WorkerConnection&) = delete;
  WorkerConnection& operator=(const WorkerConnection&) = delete;

  /// A replaced request's `done` is called only if its point was finished before the cancel was heard: it is
  /// a point all the same.
  void request(const std::string& tag, const Experiment& experiment, Done done);
  void cancel(const std::string& tag);
  /// `done` gets the worker's list, or null and the reason why there is none.
  void list_devices(std::function<void(Json, std::string)> done);
  /// Runs the waiting answers' callbacks, swapped out under the lock and run unlocked. Returns how many ran.
  std::size_t drain();
  /// Tag and stage of what runs now, for the status line; "" when idle.
  std::string activity() const;
  /// Whether a request of this tag waits or runs.
  bool pending(const std::string& tag) const;
  /// 0 when no worker runs.
  int worker_pid() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::unique_ptr<WorkerClient> client_;
};

}  // namespace tilescope
