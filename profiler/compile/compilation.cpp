#include "profiler/compile/compilation.hpp"

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

CompilationAsker::CompilationAsker(std::shared_ptr<Compilation> asked) : asked_(std::move(asked)) {
  ++asked_->askers_;
}

std::optional<CompilationAsker> CompilationAsker::join(const std::shared_ptr<Compilation>& asked) {
  int askers = asked->askers_;
  while (askers > 0) {
    if (asked->askers_.compare_exchange_weak(askers, askers + 1)) return CompilationAsker(asked, Joined{});
  }
  return std::nullopt;
}

CompilationAsker::~CompilationAsker() {
  if (asked_) --asked_->askers_;
}

}  // namespace tilescope
