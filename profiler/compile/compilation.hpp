#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/compile/nvrtc.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// A kernel as machine code.
struct CompiledKernel {
  std::vector<char> cubin;
  std::string ptx;
  std::string log;
  /// dynamic_shared_bytes is 0: it comes from the launch geometry.
  Resources resources;
  /// Cache key: the hash of everything that went in.
  std::string key;
  std::string source_sha256;
  std::string nvrtc_version;
  /// "CUTLASS 4.2.0", "" for a kernel without a library's headers.
  std::string library_version;
  std::vector<std::string> options;
  bool from_cache = false;
  /// [ms] spent in NVRTC, 0 from the cache.
  double compile_ms = 0;
};

/// The code of a source has no kernel with the entry's name. The message names those that it has.
class EntryNotFound : public CompileFailed {
 public:
  using CompileFailed::CompileFailed;
};

using Cancelled = std::function<bool()>;

/// A kernel that is being compiled on other threads, or was: those who ask for the same one share it. From any thread.
class Compilation {
 public:
  /// `known`: key, hashes, versions and options.
  explicit Compilation(CompiledKernel known) : kernel_(std::move(known)) {}

  /// Waits for the PTX, which comes before the machine code where that was asked for; the kernel then has neither
  /// machine code nor resources nor log. Nothing where `cancelled` says so, or where there is none: wait() says why.
  std::optional<CompiledKernel> wait_for_ptx(const Cancelled& cancelled);
  /// Waits for all of it. Throws CompileFailed and EntryNotFound with the log, and CompileCancelled where `cancelled`
  /// says so.
  CompiledKernel wait(const Cancelled& cancelled);
  bool is_done() const;

  // --- for the threads that compile ---
  /// Nobody waits for it any more.
  bool is_abandoned() const { return askers_ == 0; }
  /// nothing: the source has no PTX, and the machine code's failure says why.
  void set_ptx(std::optional<std::string> ptx);
  void set_done(CompiledKernel kernel);
  void set_failed(std::exception_ptr error);

 private:
  friend class CompilationAsker;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  /// Under the mutex, as all below: what is known, and once it is done all of it.
  CompiledKernel kernel_;
  bool has_tried_ptx_ = false;
  bool is_done_ = false;
  std::exception_ptr error_;
  std::atomic<int> askers_ = 0;
};

/// One who waits for a compilation. When the last of them goes, it is cancelled.
class CompilationAsker {
 public:
  /// The first one.
  explicit CompilationAsker(std::shared_ptr<Compilation> asked);
  /// One more; nothing where the last one has gone: it is being cancelled.
  static std::optional<CompilationAsker> join(const std::shared_ptr<Compilation>& asked);
  ~CompilationAsker();
  CompilationAsker(CompilationAsker&&) noexcept = default;
  CompilationAsker& operator=(CompilationAsker&&) = delete;

  Compilation& operator*() const { return *asked_; }
  Compilation* operator->() const { return asked_.get(); }

 private:
  struct Joined {};
  CompilationAsker(std::shared_ptr<Compilation> asked, Joined) : asked_(std::move(asked)) {}

  std::shared_ptr<Compilation> asked_;
};

}  // namespace tilescope
