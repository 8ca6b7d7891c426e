#include "profiler/kernels/compile/prefetch_compiler.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilescope {
namespace {

// Each takes memory, and what is compiled ahead is seldom more than this before the next list comes.
constexpr unsigned max_at_a_time = 8;

}  // namespace

PrefetchCompiler::PrefetchCompiler(const Compiler& compiler, unsigned cores)
    : compiler_(compiler), cores_(std::clamp(cores, 1U, max_at_a_time)) {}

PrefetchCompiler::~PrefetchCompiler() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    waiting_.clear();
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void PrefetchCompiler::replace(std::vector<Wish> wishes) {
  const std::lock_guard lock(mutex_);
  if (wishes.empty()) ++stops_;
  waiting_.assign(std::make_move_iterator(wishes.begin()), std::make_move_iterator(wishes.end()));
  while (threads_.size() < std::min<std::size_t>(cores_, waiting_.size())) {
    threads_.emplace_back([this] { work(); });
  }
  changed_.notify_all();
}

std::size_t PrefetchCompiler::pending() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() + being_compiled_;
}

void PrefetchCompiler::work() {
  // Sources are read and hashed here.
  make_this_thread_idle();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    const Wish wish = std::move(waiting_.front());
    waiting_.pop_front();
    ++being_compiled_;
    const std::uint64_t stops = stops_;
    lock.unlock();
    compile(wish, stops);
    lock.lock();
    --being_compiled_;
  }
}

void PrefetchCompiler::compile(const Wish& wish, std::uint64_t stops) const {
  try {
    const auto ends = [this, stops] {
      const std::lock_guard lock(mutex_);
      return ends_ || stops_ != stops;
    };
    compiler_.begin(wish.kernel, wish.complete, wish.shape, wish.arch, CompileGoal::prefetch)->wait(ends);
  } catch (const std::exception&) {
    // Only prefetched: the request for it reports the error.
  }
}

}  // namespace tilescope
