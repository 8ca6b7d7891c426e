#include "app/shell/background_tasks.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tilescope {

struct BackgroundTasks::State {
  void push(Continuation continuation) {
    {
      const std::lock_guard lock(mutex);
      finished.push_back(std::move(continuation));
    }
    if (wake) wake();
  }

  void wait_for_tasks() {
    std::unique_lock lock(mutex);
    ended.wait(lock, [this] { return running == 0; });
  }

  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = 0;
  std::function<void()> wake;
  std::vector<Continuation> finished;
};

BackgroundTasks::BackgroundTasks(std::function<void()> wake) : state_(std::make_shared<State>()) {
  state_->wake = std::move(wake);
}

BackgroundTasks::~BackgroundTasks() {
  state_->wait_for_tasks();
}

void BackgroundTasks::start(Work work) {
  {
    const std::lock_guard lock(state_->mutex);
    ++state_->running;
  }
  // Counted rather than joined: to join a thread is to wait until it has had a processor for its last steps.
  std::thread([state = state_, work = std::move(work)]() mutable {
    state->push(std::exchange(work, nullptr)());
    {
      const std::lock_guard lock(state->mutex);
      --state->running;
    }
    state->ended.notify_all();
  }).detach();
}

void BackgroundTasks::hand_over(Continuation continuation) {
  state_->push(std::move(continuation));
}

std::size_t BackgroundTasks::drain() {
  std::vector<Continuation> finished;
  {
    const std::lock_guard lock(state_->mutex);
    finished.swap(state_->finished);
  }
  for (const Continuation& continuation : finished) continuation();
  return finished.size();
}

void BackgroundTasks::finish() {
  do {
    state_->wait_for_tasks();
  } while (drain() > 0);
}

}  // namespace tilescope
