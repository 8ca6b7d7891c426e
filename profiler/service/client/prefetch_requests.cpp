#include "profiler/service/client/prefetch_requests.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "profiler/service/requests/compile_ahead.hpp"

namespace tilescope {
namespace {

// Even on one core the next points wait in line; with many cores an unlimited list would fill the compiler's
// cache with unused binaries.
constexpr std::size_t fewest_ahead = 4, most_ahead = 64;

// A worker of another version refuses the request, one that cannot start fails at each: no further one is sent before a
// point was measured.
constexpr int max_failures_in_a_row = 2;

}  // namespace

std::size_t points_compiled_ahead() {
  return std::clamp<std::size_t>(2 * std::size_t{std::thread::hardware_concurrency()}, fewest_ahead,
                                 most_ahead);
}

/// Answers come on the client's thread.
struct PrefetchRequests::State {
  using Identities = std::set<std::string>;

  std::mutex mutex;
  /// Under the mutex, as all below. The list sent to the worker last.
  std::vector<Experiment> named;
  /// Counts the lists that were sent.
  std::uint64_t sent = 0;
  /// Configurations that the worker may be compiling, also after it was told to stop and before it has read
  /// that.
  Identities at_risk;
  /// Named when a worker died, and of these the ones of the last time.
  Identities blamed, blamed_last;
  /// A point is asked for once more with nothing named.
  bool is_alone = false;
  /// Answers in a row that were failures.
  int failures = 0;

  void take(const CompileAhead::Answer& answer, std::uint64_t serial) {
    const std::lock_guard lock(mutex);
    const bool has_failed = answer.status != Status::ok;
    failures = has_failed ? failures + 1 : 0;
    if (serial != sent) return;
    // Names the list again, perhaps to another worker.
    if (has_failed) named.clear();
    if (named.empty()) at_risk.clear();
  }
};

PrefetchRequests::PrefetchRequests(Client& client) : client_(client), state_(std::make_shared<State>()) {}

void PrefetchRequests::name(std::vector<Experiment> experiments) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->is_alone) return;
    if (!state_->blamed.empty()) {
      std::erase_if(experiments,
                    [&](const Experiment& each) { return state_->blamed.contains(identity(each)); });
    }
    if (experiments.empty() || experiments == state_->named) return;
  }
  send(std::move(experiments));
}

void PrefetchRequests::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->named.empty()) return;
  }
  send({});
}

void PrefetchRequests::send(std::vector<Experiment> experiments) {
  std::uint64_t serial = 0;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->failures >= max_failures_in_a_row) return;
    state_->named = experiments;
    serial = ++state_->sent;
    if (!experiments.empty()) state_->at_risk.clear();
    for (const Experiment& experiment : experiments) state_->at_risk.insert(identity(experiment));
  }
  const auto done = [state = state_, serial](const CompileAhead::Answer& answer) {
    state->take(answer, serial);
  };
  client_.ask<CompileAhead>({std::move(experiments)}, {done, {}, {}});
}

bool PrefetchRequests::take_blame(Status status) {
  const std::lock_guard lock(state_->mutex);
  const bool was_alone = std::exchange(state_->is_alone, false);
  if (status == Status::ok) state_->failures = 0;
  if (status != Status::worker_lost) return false;
  if (was_alone) {
    for (const std::string& each : state_->blamed_last) state_->blamed.erase(each);
    return false;
  }
  state_->named.clear();
  state_->blamed_last = std::exchange(state_->at_risk, {});
  if (state_->blamed_last.empty()) return false;
  state_->blamed.insert(state_->blamed_last.begin(), state_->blamed_last.end());
  state_->is_alone = true;
  return true;
}

void PrefetchRequests::trust_all() {
  const std::lock_guard lock(state_->mutex);
  state_->blamed.clear();
  state_->blamed_last.clear();
}

}  // namespace tilescope
