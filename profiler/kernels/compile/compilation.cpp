#include "profiler/kernels/compile/compilation.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tilescope {
namespace {

// How soon a cancel is heard; what is waited for wakes at once.
constexpr std::chrono::milliseconds poll_interval{2};

template <class Condition>
bool wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                const Cancelled& cancelled, Condition condition) {
  while (!changed.wait_for(lock, poll_interval, condition)) {
    lock.unlock();
    const bool gives_up = cancelled && cancelled();
    lock.lock();
    if (gives_up) return condition();
  }
  return true;
}

CompilePriority priority_for(CompileGoal goal) {
  switch (goal) {
    case CompileGoal::machine_code:
      return CompilePriority::normal;
    case CompileGoal::ptx_first:
      return CompilePriority::later;
    case CompileGoal::prefetch:
      break;
  }
  return CompilePriority::idle;
}

}  // namespace

std::optional<CompiledKernel> Compilation::wait_for_ptx(const Cancelled& cancelled) {
  std::unique_lock lock(mutex_);
  const bool is_there =
      wait_until(changed_, lock, cancelled, [this] { return has_tried_ptx_ || is_done_ || error_; });
  if (!is_there || error_ || kernel_.ptx.empty()) return std::nullopt;
  return kernel_;
}

CompiledKernel Compilation::wait(const Cancelled& cancelled) {
  std::unique_lock lock(mutex_);
  if (!wait_until(changed_, lock, cancelled, [this] { return is_done_ || error_; })) throw CompileCancelled();
  if (error_) std::rethrow_exception(error_);
  return kernel_;
}

bool Compilation::is_done() const {
  const std::lock_guard lock(mutex_);
  return is_done_ || error_;
}

bool Compilation::has_failed() const {
  const std::lock_guard lock(mutex_);
  return error_ != nullptr;
}

void Compilation::cancel() {
  const std::lock_guard lock(mutex_);
  is_cancelled_ = true;
  if (!is_done_ && !error_) error_ = std::make_exception_ptr(CompileCancelled());
  changed_.notify_all();
}

bool Compilation::has_askers() const {
  return std::any_of(askers_.begin(), askers_.end(), [](int count) { return count > 0; });
}

bool Compilation::is_left_for(std::chrono::milliseconds grace) const {
  return !has_askers() && std::chrono::steady_clock::now() - left_at_ >= grace;
}

bool Compilation::is_lowered() const {
  return is_cancelled_ || is_left_for(grace_.until_lowered);
}

CompilePriority Compilation::priority() const {
  const std::lock_guard lock(mutex_);
  return is_lowered() ? CompilePriority::idle : priority_for(goal_);
}

CompilePriority Compilation::ptx_priority() const {
  const std::lock_guard lock(mutex_);
  return is_lowered() ? CompilePriority::idle : CompilePriority::normal;
}

bool Compilation::begin_ptx() {
  const std::lock_guard lock(mutex_);
  if (is_ptx_running_ || has_tried_ptx_ || is_done_ || error_) return false;
  is_ptx_running_ = true;
  return true;
}

bool Compilation::stops() {
  const std::lock_guard lock(mutex_);
  is_cancelled_ = is_cancelled_ || is_left_for(grace_.until_cancelled);
  return is_cancelled_;
}

bool Compilation::stops_ptx() {
  const std::lock_guard lock(mutex_);
  const bool is_unwanted = is_cancelled_ || is_done_ || error_ || is_left_for(grace_.until_cancelled);
  if (is_unwanted) is_ptx_running_ = false;
  return is_unwanted;
}

void Compilation::set_ptx(std::optional<std::string> ptx) {
  const std::lock_guard lock(mutex_);
  if (is_done_) return;
  has_tried_ptx_ = true;
  if (ptx) kernel_.ptx = std::move(*ptx);
  changed_.notify_all();
}

void Compilation::set_done(CompiledKernel kernel) {
  const std::lock_guard lock(mutex_);
  kernel_ = std::move(kernel);
  is_done_ = true;
  changed_.notify_all();
}

void Compilation::set_failed(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  error_ = std::move(error);
  changed_.notify_all();
}

std::optional<CompilationAsker> CompilationAsker::join(const std::shared_ptr<Compilation>& asked,
                                                       CompileGoal goal) {
  const std::lock_guard lock(asked->mutex_);
  if (asked->is_cancelled_) return std::nullopt;
  asked->goal_ = asked->has_askers() ? std::min(asked->goal_, goal) : goal;
  ++asked->askers_.at(static_cast<std::size_t>(goal));
  return CompilationAsker(asked, goal);
}

CompilationAsker::~CompilationAsker() {
  if (!asked_) return;
  const std::lock_guard lock(asked_->mutex_);
  std::array<int, 3>& askers = asked_->askers_;
  --askers.at(static_cast<std::size_t>(goal_));
  const auto most_urgent = std::find_if(askers.begin(), askers.end(), [](int count) { return count > 0; });
  if (most_urgent == askers.end()) {
    asked_->left_at_ = std::chrono::steady_clock::now();
  } else {
    asked_->goal_ = static_cast<CompileGoal>(most_urgent - askers.begin());
  }
}

}  // namespace tilescope
