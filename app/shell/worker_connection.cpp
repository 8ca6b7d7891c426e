#include "app/shell/worker_connection.hpp"

#include <map>
#include <thread>
#include <utility>

namespace tilescope {

struct WorkerConnection::State {
  /// The newest request of a tag.
  struct Slot {
    std::uint64_t serial = 0;
    WorkerClient::RequestId id = 0;
    bool id_known = false;  ///< The client may answer before measure() returned the id.
    std::string stage;      ///< "" while it waits.
  };

  void answer(std::function<void()> callback) {
    {
      const std::lock_guard lock(mutex);
      answers.push_back(std::move(callback));
    }
    if (wake) wake();
  }

  void finish(const std::string& tag, std::uint64_t serial, const Done& done, Measurement measurement) {
    bool superseded = true;
    {
      const std::lock_guard lock(mutex);
      const auto slot = slots.find(tag);
      if (slot != slots.end() && slot->second.serial == serial) {
        slots.erase(slot);
        superseded = false;
      }
    }
    // A point that was finished before its cancel was heard is a point all the same.
    if (superseded && measurement.status == Status::cancelled) return;
    answer([done, point = std::make_shared<const Measurement>(std::move(measurement))] { done(point); });
  }

  void progress(const std::string& tag, std::uint64_t serial, const std::string& stage) {
    {
      const std::lock_guard lock(mutex);
      const auto slot = slots.find(tag);
      if (slot == slots.end() || slot->second.serial != serial || slot->second.stage == stage) return;
      slot->second.stage = stage;
    }
    if (wake) wake();
  }

  mutable std::mutex mutex;
  std::function<void()> wake;
  std::map<std::string, Slot> slots;
  std::uint64_t last_serial = 0;
  std::vector<std::function<void()>> answers;
  std::vector<std::jthread> waiting;  ///< For the worker's lists, whose futures have no callback.
};

WorkerConnection::WorkerConnection(Options options, std::function<void()> wake)
    : state_(std::make_shared<State>()), client_(std::make_unique<WorkerClient>(std::move(options))) {
  state_->wake = std::move(wake);
}

WorkerConnection::~WorkerConnection() {
  if (!state_) return;
  // Ending the client breaks the promises that the waiting threads hold on to; only then can they be joined.
  client_.reset();
  std::vector<std::jthread> waiting;
  {
    const std::lock_guard lock(state_->mutex);
    waiting.swap(state_->waiting);
  }
}

void WorkerConnection::request(const std::string& tag, const Experiment& experiment, Done done) {
  cancel(tag);
  std::uint64_t serial = 0;
  {
    const std::lock_guard lock(state_->mutex);
    serial = ++state_->last_serial;
    state_->slots[tag].serial = serial;
  }
  const auto id = client_->measure(
      experiment,
      [state = state_, tag, serial, done = std::move(done)](Measurement measurement) {
        state->finish(tag, serial, done, std::move(measurement));
      },
      [state = state_, tag, serial](const MeasureProgress& progress) {
        state->progress(tag, serial, progress.stage);
      });
  const std::lock_guard lock(state_->mutex);
  const auto slot = state_->slots.find(tag);
  if (slot != state_->slots.end() && slot->second.serial == serial) {
    slot->second.id = id;
    slot->second.id_known = true;
  }
}

void WorkerConnection::cancel(const std::string& tag) {
  WorkerClient::RequestId id = 0;
  {
    const std::lock_guard lock(state_->mutex);
    const auto slot = state_->slots.find(tag);
    if (slot == state_->slots.end()) return;
    const bool known = slot->second.id_known;
    id = slot->second.id;
    state_->slots.erase(slot);
    if (!known) return;
  }
  client_->cancel(id);
}

void WorkerConnection::list_devices(std::function<void(Json, std::string)> done) {
  auto answer = [state = state_, future = client_->list_devices().share(), done = std::move(done)] {
    Json devices;
    std::string reason;
    try {
      devices = future.get();
    } catch (const std::exception& error) {
      reason = error.what();
    }
    state->answer([done, devices, reason] { done(devices, reason); });
  };
  const std::lock_guard lock(state_->mutex);
  state_->waiting.emplace_back(std::move(answer));
}

std::size_t WorkerConnection::drain() {
  std::vector<std::function<void()>> answers;
  {
    const std::lock_guard lock(state_->mutex);
    answers.swap(state_->answers);
  }
  for (const auto& answer : answers) answer();
  return answers.size();
}

std::string WorkerConnection::activity() const {
  const std::lock_guard lock(state_->mutex);
  for (const auto& [tag, slot] : state_->slots) {
    if (!slot.stage.empty()) return tag + ": " + slot.stage;
  }
  return state_->slots.empty() ? "" : state_->slots.begin()->first;
}

bool WorkerConnection::pending(const std::string& tag) const {
  const std::lock_guard lock(state_->mutex);
  return state_->slots.contains(tag);
}

int WorkerConnection::worker_pid() const {
  return client_->worker_pid();
}

}  // namespace tilescope
