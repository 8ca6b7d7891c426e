#include "app/explorer/background_tasks.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace tilescope {

struct BackgroundTasks::State {
  void wait_for_tasks() {
    std::unique_lock lock(mutex);
    ended.wait(lock, [this] { return running == 0; });
  }

  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = 0;
};

BackgroundTasks::BackgroundTasks(Mailbox& mailbox) : mailbox_(mailbox), state_(std::make_shared<State>()) {}

BackgroundTasks::~BackgroundTasks() {
  state_->wait_for_tasks();
}

void BackgroundTasks::start(Work work) {
  {
    const std::lock_guard lock(state_->mutex);
    ++state_->running;
  }
  // Counted rather than joined: to join a thread is to wait until it has had a processor for its last steps.
  std::thread([state = state_, mailbox = &mailbox_, work = std::move(work)]() mutable {
    mailbox->put(std::exchange(work, nullptr)());
    {
      const std::lock_guard lock(state->mutex);
      --state->running;
    }
    state->ended.notify_all();
  }).detach();
}

void BackgroundTasks::finish() {
  do {
    state_->wait_for_tasks();
  } while (mailbox_.drain() > 0);
}

void NewestTask::start(BackgroundTasks::Work work) {
  *running_ = ++last_;
  background_.start([work = std::move(work), number = last_,
                     running = std::weak_ptr(running_)]() mutable -> BackgroundTasks::Continuation {
    return [then = std::exchange(work, nullptr)(), number, running] {
      const auto now = running.lock();
      if (!now || *now != number) return;
      *now = 0;
      then();
    };
  });
}

void NewestTask::drop() {
  *running_ = 0;
}

}  // namespace tilescope
