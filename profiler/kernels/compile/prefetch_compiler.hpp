#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "profiler/kernels/compile/compiler.hpp"

namespace tilescope {

/// Compiles likely next configurations into the compiler's cache, as many at a time as there are cores, eight
/// at most, and at idle priority. A failure is skipped: the request for that configuration reports it.
class PrefetchCompiler {
 public:
  struct Wish {
    KernelDeclaration kernel;
    Configuration complete;
    Shape shape;
    std::string arch;
  };

  /// The compiler must outlive it. Starts no thread before there is a wish.
  explicit PrefetchCompiler(const Compiler& compiler, unsigned cores = std::thread::hardware_concurrency());
  /// Cancels what is being compiled.
  ~PrefetchCompiler();
  PrefetchCompiler(const PrefetchCompiler&) = delete;
  PrefetchCompiler& operator=(const PrefetchCompiler&) = delete;

  /// The likeliest first. Waiting compilations of an earlier list are dropped; running ones are finished,
  /// unless the list is empty: then the caller needs the cores.
  void replace(std::vector<Wish> wishes);
  /// How many wait or are being compiled.
  std::size_t pending() const;

 private:
  void work();
  /// `stops` as it was when the wish was taken.
  void compile(const Wish& wish, std::uint64_t stops) const;

  const Compiler& compiler_;
  const unsigned cores_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  /// Under the mutex, as all below.
  std::deque<Wish> waiting_;
  std::size_t being_compiled_ = 0;
  bool ends_ = false;
  /// Counts the empty lists: what was begun before the last one is cancelled.
  std::uint64_t stops_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace tilescope
