#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/kernels/compile/compile_threads.hpp"
#include "profiler/kernels/compile/compiler_output.hpp"
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
  KernelCompiler compiler = KernelCompiler::nvrtc;
  /// "13.0"
  std::string compiler_version;
  /// "CUTLASS 4.2.0", "" for a kernel without a library's headers.
  std::string library_version;
  std::vector<std::string> options;
  /// Headers that the source includes without carrying their text: SourceFile::hashed_headers.
  std::vector<std::string> hashed_headers{};
  bool from_cache = false;
  /// [ms] spent in the compiler, 0 from the cache.
  double compile_ms = 0;
};

/// The code of a source has no kernel with the entry's name. The message names those that it has.
class EntryNotFound : public CompileFailed {
 public:
  using CompileFailed::CompileFailed;
};

using Cancelled = std::function<bool()>;

/// Goal that a compilation is awaited for. The most urgent first.
enum class CompileGoal {
  machine_code,
  /// The PTX alone is compiled beside the machine code, on a thread of its own.
  ptx_first,
  /// No caller waits: see CompilePriority::idle.
  prefetch,
};

/// How long a compilation goes on as before when its last caller has left. A move to a kernel that is being compiled
/// ahead, or back to the one before, leaves it without a caller for some milliseconds; NVRTC may hear of a cancel only
/// seconds later.
struct CompileGrace {
  /// From then on it takes only what no other thread takes.
  std::chrono::milliseconds until_lowered{20};
  /// From then on NVRTC is asked to stop, and until it hears that the compilation can be asked for again.
  std::chrono::milliseconds until_cancelled{150};
};

/// A kernel that is being compiled on other threads, or was: requests for an equal kernel share it. From any
/// thread.
class Compilation {
 public:
  /// `known`: key, hashes, versions and options.
  explicit Compilation(CompiledKernel known, CompileGrace grace = {})
      : kernel_(std::move(known)), grace_(grace) {}

  /// Waits for the PTX, which comes before the machine code where that was asked for; the kernel then has neither
  /// machine code nor resources nor log. Nothing where `cancelled` says so, or where there is none: wait() says why.
  std::optional<CompiledKernel> wait_for_ptx(const Cancelled& cancelled);
  /// Waits for all of it. Throws CompileFailed and EntryNotFound with the log, and CompileCancelled where `cancelled`
  /// says so.
  CompiledKernel wait(const Cancelled& cancelled);
  bool is_done() const;
  /// It ended without machine code: wait() throws.
  bool has_failed() const;

  // --- for the compiler ---
  /// Ends it for all waiting threads, which get CompileCancelled.
  void cancel();
  /// Priority of the machine code: the most urgent waiting request's, or the last ones' that waited.
  CompilePriority priority() const;
  CompilePriority ptx_priority() const;
  /// Whether the PTX has to be compiled for a request that comes now, on a thread that the caller starts then.
  bool begin_ptx();

  // --- for the threads that compile ---
  /// Whether no caller has waited for it for the time of grace. The compilation is cancelled once the machine code's
  /// thread has heard that; the PTX can be begun again.
  bool stops();
  bool stops_ptx();
  /// nothing: the source has no PTX, and the machine code's failure says why.
  void set_ptx(std::optional<std::string> ptx);
  void set_done(CompiledKernel kernel);
  void set_failed(std::exception_ptr error);

 private:
  friend class CompilationAsker;

  bool has_askers() const;
  bool is_left_for(std::chrono::milliseconds grace) const;
  bool is_lowered() const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  /// Under the mutex, as all below but the grace: what is known, and once it is done all of it.
  CompiledKernel kernel_;
  const CompileGrace grace_;
  bool is_ptx_running_ = false;
  bool has_tried_ptx_ = false;
  bool is_done_ = false;
  bool is_cancelled_ = false;
  std::exception_ptr error_;
  /// By their goal.
  std::array<int, 3> askers_{};
  /// Goal of the most urgent waiting request, or of the last ones that waited.
  CompileGoal goal_ = CompileGoal::prefetch;
  /// Time at which the last waiting request left.
  std::chrono::steady_clock::time_point left_at_ = std::chrono::steady_clock::now();
};

/// A request that waits for a compilation. When the last of them leaves, it is cancelled after a time of
/// grace.
class CompilationAsker {
 public:
  /// Nothing where the compilation has been cancelled.
  static std::optional<CompilationAsker> join(const std::shared_ptr<Compilation>& asked, CompileGoal goal);
  ~CompilationAsker();
  CompilationAsker(CompilationAsker&&) noexcept = default;
  CompilationAsker& operator=(CompilationAsker&&) = delete;

  Compilation& operator*() const { return *asked_; }
  Compilation* operator->() const { return asked_.get(); }

 private:
  CompilationAsker(std::shared_ptr<Compilation> asked, CompileGoal goal)
      : asked_(std::move(asked)), goal_(goal) {}

  std::shared_ptr<Compilation> asked_;
  CompileGoal goal_;
};

}  // namespace tilescope
