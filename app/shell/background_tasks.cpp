#include "app/shell/background_tasks.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace tilescope {

struct BackgroundTasks::State {
  void push(std::thread::id id, Continuation continuation) {
    {
      const std::lock_guard lock(mutex);
      finished.emplace_back(id, std::move(continuation));
    }
    if (wake) wake();
  }

  std::mutex mutex;
  std::function<void()> wake;
  std::vector<std::pair<std::thread::id, Continuation>> finished;
};

BackgroundTasks::BackgroundTasks(std::function<void()> wake) : state_(std::make_shared<State>()) {
  state_->wake = std::move(wake);
}

BackgroundTasks::~BackgroundTasks() = default;

void BackgroundTasks::start(Work work) {
  running_.emplace_back(
      [state = state_, work = std::move(work)] { state->push(std::this_thread::get_id(), work()); });
}

void BackgroundTasks::hand_over(Continuation continuation) {
  state_->push({}, std::move(continuation));
}

std::size_t BackgroundTasks::drain() {
  std::vector<std::pair<std::thread::id, Continuation>> finished;
  {
    const std::lock_guard lock(state_->mutex);
    finished.swap(state_->finished);
  }
  for (const auto& [id, continuation] : finished) {
    // Its thread has nothing left to do but to wake the window.
    running_.remove_if([&id = id](const std::jthread& thread) { return thread.get_id() == id; });
    continuation();
  }
  return finished.size();
}

void BackgroundTasks::finish() {
  while (!running_.empty()) {
    for (std::jthread& thread : running_) {
      if (thread.joinable()) thread.join();
    }
    running_.remove_if([](const std::jthread& thread) { return !thread.joinable(); });
    drain();
  }
}

}  // namespace tilescope
