#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "profiler/kernels/catalogue/kernel_macros.hpp"
#include "profiler/kernels/compile/binary_cache.hpp"
#include "profiler/kernels/compile/compilation.hpp"
#include "profiler/kernels/compile/compile_threads.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"
#include "profiler/kernels/compile/nvcc.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Compiles kernels through the cache: with NVRTC, or with nvcc where that is asked for. From any thread.
class Compiler {
 public:
  struct Folders {
    /// Where #include "device/..." is found.
    std::filesystem::path kernels;
    /// Folder for binaries/ and sources/.
    std::filesystem::path cache;
    /// The downloaded packages, for kernels made with CUTLASS.
    std::filesystem::path dependencies{};
    /// Looked for when the first kernel asks for it.
    NvccSearch nvcc{};
  };
  struct Limits {
    CompileGrace grace{};
    /// [B] of binaries/: some 4,000 configurations.
    std::uintmax_t cache = std::uintmax_t{1} << 30;
    /// How many binaries are kept between two looks at the folder's size.
    std::size_t kept_between_prunes = 64;
    /// Threads of one compilation each. 0: four for each core.
    std::size_t threads = 0;
    /// One that has had less of a core than this loses little by being begun again.
    std::chrono::milliseconds cheap_to_repeat{50};
  };
  /// Its threads inherit the priority of the one that calls.
  Compiler(Nvrtc nvrtc, Folders folders) : Compiler(std::move(nvrtc), std::move(folders), Limits()) {}
  Compiler(Nvrtc nvrtc, Folders folders, Limits limits);
  /// Waits for what is being compiled, which is cancelled.
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  /// Compiles a configuration of a kernel for a real architecture ("sm_89"), on other threads. Every parameter becomes
  /// a macro with its value as written, and so do the kernel's `macros` with the values of the shape. Callers that ask
  /// for the same kernel share its compilation; a compilation without callers is cancelled after a time of grace. Does
  /// not wait for other compilations, however many run. nvcc makes no PTX before the machine code, whatever the goal.
  /// Throws CutlassUnavailable, NvccUnavailable, or std::runtime_error when the source cannot be read.
  CompilationAsker begin(const KernelDeclaration& kernel, const Configuration& complete, const Shape& shape,
                         const std::string& arch, CompileGoal goal,
                         KernelCompiler compiler = KernelCompiler::nvrtc) const;

  /// Begins a compilation and waits for it. Throws also what Compilation::wait throws.
  CompiledKernel compile(const KernelDeclaration& kernel, const Configuration& complete, const Shape& shape,
                         const std::string& arch, const Cancelled& cancelled = {},
                         KernelCompiler compiler = KernelCompiler::nvrtc) const;

  /// The PTX alone of a build whose probes name values (kernels/device/probe.cuh, macro TILESCOPE_STEP), with NVRTC, here:
  /// no machine code is made, so that it is there soon. Cached like others. Throws the same.
  CompiledKernel compile_for_stepping(const KernelDeclaration& kernel, const Configuration& complete,
                                      const Shape& shape, const std::string& arch,
                                      const Cancelled& cancelled = {}) const;

  /// Compiles any other source with NVRTC, here: a probe or a microbenchmark with its own macros. Throws the same.
  CompiledKernel compile_file(const std::filesystem::path& cu_file, const std::string& entry,
                              const std::vector<std::pair<std::string, std::string>>& macros,
                              const std::string& arch) const;

  /// Stores the file of a kernel that is not compiled here with the sources, and returns its hash. Throws
  /// std::runtime_error when it cannot be read.
  std::string keep_source(const KernelDeclaration& kernel) const;

  /// A source that was compiled or stored here, by its hash; nothing when the cache does not have it any more.
  std::optional<SourceFile> find_source(const std::string& sha256) const { return sources_.find(sha256); }

  const Nvrtc& nvrtc() const { return nvrtc_; }
  /// Nothing is being compiled, and nothing that was cancelled still runs.
  bool is_idle() const { return threads_.is_idle(); }

 private:
  /// Input of a compiler.
  struct Job {
    KernelSource source;
    std::string entry;
    /// Without code: key, hashes, versions and options.
    CompiledKernel known;
    /// The options and the folders of headers.
    std::vector<std::string> options;
  };
  struct Running {
    std::weak_ptr<Compilation> compilation;
    CompileThreads::TaskId machine_code = 0;
    std::shared_ptr<const Job> job;
  };

  KernelSource source_of(const KernelDeclaration& kernel) const;
  Job make_job(KernelLibrary library, KernelSource source, const std::string& entry,
               const KernelMacros& macros, const std::string& arch) const;
  Job make_nvcc_job(KernelLibrary library, KernelSource source, const std::string& entry,
                    const KernelMacros& macros, const std::string& arch) const;
  /// Found at the first call. Throws NvccUnavailable.
  const Nvcc& nvcc() const;
  /// Compiled before, by this process or another one.
  std::optional<CompiledKernel> find_cached(const Job& job) const;
  /// The newest binary with this key, without a look at the folder.
  std::optional<CompiledKernel> find_latest(const std::string& key) const;
  void keep(const std::string& key, const CompilerOutput& output) const;
  void remember(CompiledKernel kernel) const;
  CompilerOutput output_of(const Job& job, const Cancelled& cancelled) const;
  CompiledKernel compile_job(const Job& job, const Cancelled& cancelled) const;
  std::string compile_ptx(const Job& job, const Cancelled& cancelled) const;
  std::optional<CompilationAsker> join(const Running& running, CompileGoal goal) const;
  /// Whether only prefetching loses anything if it is begun again, at a priority that it cannot have now.
  bool is_better_begun_again(const Compilation& compilation, const Running& running, CompileGoal goal) const;
  CompileThreads::TaskId start(const std::shared_ptr<Compilation>& compilation,
                               const std::shared_ptr<const Job>& job) const;
  void start_ptx(const std::shared_ptr<Compilation>& compilation,
                 const std::shared_ptr<const Job>& job) const;

  Nvrtc nvrtc_;
  Folders folders_;
  const Limits limits_;
  BinaryCache cache_;
  SourceStore sources_;
  mutable std::mutex nvcc_mutex_;
  /// Under its mutex.
  mutable std::optional<Nvcc> nvcc_;
  mutable std::mutex mutex_;
  /// Under the mutex: what is being compiled, by its key.
  mutable std::map<std::string, Running> running_;
  mutable std::mutex latest_mutex_;
  /// Under its mutex: what was compiled or read last, newest first, for a cache folder that is slow or full.
  mutable std::list<CompiledKernel> latest_;
  mutable std::atomic<std::size_t> kept_ = 0;
  mutable std::atomic<bool> ends_ = false;
  mutable CompileThreads threads_;
};

}  // namespace tilescope
