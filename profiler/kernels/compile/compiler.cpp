#include "profiler/kernels/compile/compiler.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "profiler/kernels/compile/cutlass.hpp"
#include "profiler/kernels/compile/hash.hpp"
#include "profiler/kernels/compile/ptxas_log.hpp"
#include "profiler/kernels/compile/redacted_log.hpp"

namespace tilescope {
namespace {

// Changes when the meaning of a cache entry changes.
constexpr const char* cache_format = "tilescope-binary-1";

// `compiler` with its version.
std::string key_of(const std::string& compiler, const KernelSource& source, const std::string& entry,
                   const CompiledKernel& kernel) {
  std::string all = std::string(cache_format) + "\n" + compiler + "\n" + entry + "\n" + source.sha256 + "\n";
  for (const std::string& option : kernel.options) all += option + "\n";
  if (!kernel.library_version.empty()) all += kernel.library_version + "\n";
  return sha256(all);
}

std::vector<std::string> options_for(const std::string& arch, const KernelMacros& macros) {
  std::vector<std::string> options = {"--gpu-architecture=" + arch, "-lineinfo", "--std=c++17",
                                      "--ptxas-options=-v"};
  for (const auto& [name, value] : macros) options.push_back("-D" + name + "=" + value);
  return options;
}

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // "g" alone would be the type __float128
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

// Two cores need more than eight as well: a drag over kernels that NVRTC does not stop soon leaves two at each of them.
std::size_t max_threads(std::size_t limit) {
  return limit > 0 ? limit : 4 * std::max(4U, std::thread::hardware_concurrency());
}

// NVRTC makes the same PTX for compute_89 as for sm_89 (compiler_test compares them), in about 60 % of the time.
std::string for_virtual_architecture(const std::string& option) {
  const std::string real = "--gpu-architecture=sm_", virtual_one = "--gpu-architecture=compute_";
  return option.starts_with(real) ? virtual_one + option.substr(real.size()) : option;
}

CompiledKernel with_code(CompiledKernel known, CompilerOutput output, const Resources& resources,
                         const std::string& entry) {
  known.resources = resources;
  known.resources.sass_sha256 = sass_sha256(output.cubin, entry);
  known.cubin = std::move(output.cubin);
  known.ptx = std::move(output.ptx);
  known.log = std::move(output.log);
  return known;
}

std::vector<std::string> names_of_hashed(const KernelSource& source) {
  std::vector<std::string> names;
  names.reserve(source.file.hashed_headers.size());
  for (const auto& [name, hash] : source.file.hashed_headers) names.push_back(name);
  return names;
}

// NVRTC finds headers only through its options; nvcc brings others, and the host compiler's.
std::vector<std::string> toolkit_folders(KernelCompiler compiler, const std::vector<std::string>& options) {
  if (compiler == KernelCompiler::nvcc) return {"/"};
  std::vector<std::string> folders;
  for (const std::string& option : options) {
    if (option.starts_with("-I"))
      folders.push_back(std::filesystem::path(option.substr(2)).lexically_normal().string());
  }
  return folders;
}

// Says which headers a source from elsewhere came without; "" where it has all of them.
std::string why_incomplete(const KernelSource& source) {
  const std::vector<std::string> missing = missing_headers(source);
  if (missing.empty()) return "";
  std::string names;
  for (const std::string& name : missing) names += (names.empty() ? "\"" : ", \"") + name + "\"";
  return "; the source was carried without the text of " + names +
         ", which lies outside the kernel's folder or is not a header: compile it where that is";
}

// Lists the kernels that the code has, for the message about one that was not found.
std::string describe_entries(const std::vector<std::string>& found) {
  if (found.empty()) return "it has none: write extern \"C\" __global__ before the function";
  std::string text = "it has ";
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string plain = demangled(found[i]);
    text += i == 0 ? "" : ", ";
    text += plain == found[i] ? "'" + plain + "'" : "'" + plain + "' (without extern \"C\")";
  }
  return text;
}

}  // namespace

Compiler::Compiler(Nvrtc nvrtc, Folders folders, Limits limits)
    : nvrtc_(std::move(nvrtc)),
      folders_(std::move(folders)),
      limits_(limits),
      cache_(folders_.cache / "binaries"),
      sources_(folders_.cache / "sources"),
      threads_(max_threads(limits.threads)) {
  cache_.prune(limits_.cache);
}

Compiler::~Compiler() {
  ends_ = true;
}

CompilationAsker Compiler::begin(const KernelDeclaration& kernel, const Configuration& complete,
                                 const Shape& shape, const std::string& arch, CompileGoal goal,
                                 KernelCompiler compiler) const {
  const bool is_nvcc = compiler == KernelCompiler::nvcc;
  if (is_nvcc && goal == CompileGoal::ptx_first) goal = CompileGoal::machine_code;
  const KernelMacros macros = macros_of(kernel, complete, shape);
  const auto make = is_nvcc ? &Compiler::make_nvcc_job : &Compiler::make_job;
  const auto job = std::make_shared<const Job>(
      (this->*make)(kernel.library, source_of(kernel), kernel.entry, macros, arch));
  // Before the lock: a thread that compiles ahead may not get to read a file for long while others need the cores.
  std::optional<CompiledKernel> cached = find_cached(*job);
  const std::lock_guard lock(mutex_);
  Running& running = running_[job->known.key];
  if (!cached) {
    if (std::optional<CompilationAsker> asker = join(running, goal)) return std::move(*asker);
    cached = find_latest(job->known.key);  // done since
  }
  const auto compilation = std::make_shared<Compilation>(job->known, limits_.grace);
  CompilationAsker asker = *CompilationAsker::join(compilation, goal);
  if (cached) {
    compilation->set_done(std::move(*cached));
  } else {
    if (goal == CompileGoal::ptx_first && compilation->begin_ptx()) start_ptx(compilation, job);
    running = {compilation, start(compilation, job), job};
  }
  std::erase_if(running_, [](const auto& entry) { return entry.second.compilation.expired(); });
  return asker;
}

std::optional<CompilationAsker> Compiler::join(const Running& running, CompileGoal goal) const {
  const std::shared_ptr<Compilation> shared = running.compilation.lock();
  if (!shared || shared->is_done())
    return std::nullopt;  // A finished compilation is in the cache, unless it
                          // failed.
  if (is_better_begun_again(*shared, running, goal)) {
    shared->cancel();
    return std::nullopt;
  }
  std::optional<CompilationAsker> asker = CompilationAsker::join(shared, goal);
  if (!asker) return std::nullopt;
  if (goal == CompileGoal::ptx_first && shared->begin_ptx()) start_ptx(shared, running.job);
  threads_.adjust_priorities();
  return asker;
}

bool Compiler::is_better_begun_again(const Compilation& compilation, const Running& running,
                                     CompileGoal goal) const {
  if (goal == CompileGoal::prefetch || threads_.can_raise()) return false;
  // The programs that nvcc runs keep the priority with which they started, and their time is not the thread's.
  if (running.job->known.compiler == KernelCompiler::nvcc) return false;
  if (compilation.priority() != CompilePriority::idle) return false;
  const auto used = threads_.cpu_time(running.machine_code);
  return used && *used < limits_.cheap_to_repeat;
}

void Compiler::start_ptx(const std::shared_ptr<Compilation>& compilation,
                         const std::shared_ptr<const Job>& job) const {
  threads_.start([compilation] { return compilation->ptx_priority(); },
                 [this, compilation, job] {
                   try {
                     const auto cancelled = [&] { return ends_ || compilation->stops_ptx(); };
                     if (!cancelled()) compilation->set_ptx(compile_ptx(*job, cancelled));
                   } catch (const CompileCancelled&) {
                     // A request for the PTX after that has it begun again.
                   } catch (const std::exception&) {
                     compilation->set_ptx(std::nullopt);
                   }
                 });
}

CompileThreads::TaskId Compiler::start(const std::shared_ptr<Compilation>& compilation,
                                       const std::shared_ptr<const Job>& job) const {
  return threads_.start([compilation] { return compilation->priority(); },
                        [this, compilation, job] {
                          try {
                            const auto cancelled = [&] { return ends_ || compilation->stops(); };
                            if (cancelled()) throw CompileCancelled();
                            compilation->set_done(compile_job(*job, cancelled));
                          } catch (...) {
                            compilation->set_failed(std::current_exception());
                          }
                        });
}

CompiledKernel Compiler::compile(const KernelDeclaration& kernel, const Configuration& complete,
                                 const Shape& shape, const std::string& arch, const Cancelled& cancelled,
                                 KernelCompiler compiler) const {
  return begin(kernel, complete, shape, arch, CompileGoal::machine_code, compiler)->wait(cancelled);
}

CompiledKernel Compiler::compile_file(const std::filesystem::path& cu_file, const std::string& entry,
                                      const std::vector<std::pair<std::string, std::string>>& macros,
                                      const std::string& arch) const {
  const Job job =
      make_job(KernelLibrary::none, read_kernel_source(cu_file, folders_.kernels), entry, macros, arch);
  if (std::optional<CompiledKernel> cached = find_cached(job)) return std::move(*cached);
  return compile_job(job, {});
}

CompiledKernel Compiler::compile_for_stepping(const KernelDeclaration& kernel, const Configuration& complete,
                                              const Shape& shape, const std::string& arch,
                                              const Cancelled& cancelled) const {
  KernelMacros macros = macros_of(kernel, complete, shape);
  macros.emplace_back("TILESCOPE_STEP", "1");
  const Job job = make_job(kernel.library, source_of(kernel), kernel.entry, macros, arch);
  if (std::optional<CompiledKernel> latest = find_latest(job.known.key)) return std::move(*latest);
  CompiledKernel compiled = job.known;
  if (std::optional<CompilerOutput> cached = cache_.find(job.known.key)) {
    compiled.ptx = std::move(cached->ptx);
    compiled.from_cache = true;
  } else {
    try {
      compiled.ptx = compile_ptx(job, cancelled);
    } catch (CompileFailed& failed) {
      failed.source_sha256 = job.source.sha256;
      throw;
    }
    CompilerOutput output;
    output.ptx = compiled.ptx;
    keep(job.known.key, output);
  }
  remember(compiled);
  return compiled;
}

Compiler::Job Compiler::make_job(KernelLibrary library, KernelSource source, const std::string& entry,
                                 const KernelMacros& macros, const std::string& arch) const {
  sources_.keep(source);
  Job job{std::move(source), entry, {}, {}};
  job.known.source_sha256 = job.source.sha256;
  job.known.hashed_headers = names_of_hashed(job.source);
  job.known.compiler_version = nvrtc_.version();
  job.known.options = options_for(arch, macros);
  // The folders of the toolkit's and the library's headers depend on the machine, not on the kernel: the key has their
  // versions instead.
  job.options = job.known.options;
  if (!nvrtc_.toolkit_headers().empty()) job.options.push_back("-I" + nvrtc_.toolkit_headers().string());
  if (library == KernelLibrary::cutlass) {
    const Cutlass cutlass = find_cutlass(folders_.dependencies, nvrtc_.toolkit_headers());
    job.known.library_version = cutlass.version;
    job.options.insert(job.options.end(), cutlass.options.begin(), cutlass.options.end());
  }
  job.known.key = key_of(job.known.compiler_version, job.source, entry, job.known);
  return job;
}

Compiler::Job Compiler::make_nvcc_job(KernelLibrary library, KernelSource source, const std::string& entry,
                                      const KernelMacros& macros, const std::string& arch) const {
  sources_.keep(source);
  const Nvcc& compiler = nvcc();
  Job job{std::move(source), entry, {}, options_for(arch, macros)};
  job.known.source_sha256 = job.source.sha256;
  job.known.hashed_headers = names_of_hashed(job.source);
  job.known.compiler = KernelCompiler::nvcc;
  job.known.compiler_version = compiler.version();
  job.known.options = job.options;
  // nvcc adds them by itself.
  for (std::string& option : Nvcc::options_from_environment()) job.known.options.push_back(std::move(option));
  if (library == KernelLibrary::cutlass) {
    const Cutlass cutlass = find_cutlass_for_nvcc(folders_.dependencies);
    job.known.library_version = cutlass.version;
    job.options.insert(job.options.end(), cutlass.options.begin(), cutlass.options.end());
  }
  job.known.key = key_of("nvcc " + compiler.full_version(), job.source, entry, job.known);
  return job;
}

const Nvcc& Compiler::nvcc() const {
  const std::lock_guard lock(nvcc_mutex_);
  if (!nvcc_) nvcc_ = Nvcc::find(folders_.nvcc);
  return *nvcc_;
}

std::optional<CompiledKernel> Compiler::find_cached(const Job& job) const {
  if (std::optional<CompiledKernel> latest = find_latest(job.known.key)) return latest;
  std::optional<CompilerOutput> cached = cache_.find(job.known.key);
  if (!cached) return std::nullopt;
  const std::optional<Resources> resources = parse_ptxas_log(cached->log, job.entry);
  if (!resources) return std::nullopt;
  CompiledKernel kernel = with_code(job.known, std::move(*cached), *resources, job.entry);
  kernel.from_cache = true;
  remember(kernel);
  return kernel;
}

std::optional<CompiledKernel> Compiler::find_latest(const std::string& key) const {
  const std::lock_guard lock(latest_mutex_);
  const auto known = std::find_if(latest_.begin(), latest_.end(),
                                  [&](const CompiledKernel& kernel) { return kernel.key == key; });
  if (known == latest_.end()) return std::nullopt;
  latest_.splice(latest_.begin(), latest_, known);
  return latest_.front();
}

void Compiler::keep(const std::string& key, const CompilerOutput& output) const {
  cache_.keep(key, output);
  if (++kept_ % limits_.kept_between_prunes != 0) return;
  threads_.start([] { return CompilePriority::idle; }, [this] { cache_.prune(limits_.cache); });
}

void Compiler::remember(CompiledKernel kernel) const {
  constexpr std::size_t most = 64;  // some 100 KB each
  kernel.from_cache = true;
  kernel.compile_ms = 0;
  const std::lock_guard lock(latest_mutex_);
  latest_.push_front(std::move(kernel));
  if (latest_.size() > most) latest_.pop_back();
}

CompilerOutput Compiler::output_of(const Job& job, const Cancelled& cancelled) const {
  const std::vector<std::string> folders = toolkit_folders(job.known.compiler, job.options);
  const auto without_private_texts = [&](const std::string& log) {
    return redacted_log(log, job.source, folders);
  };
  try {
    const SourceFile file = job.source.complete_file();
    CompilerOutput output =
        job.known.compiler == KernelCompiler::nvcc
            ? nvcc().compile(file, job.options, cancelled)
            : nvrtc_.compile(file.name, file.text, {file.headers.begin(), file.headers.end()}, job.options,
                             cancelled);
    output.log = without_private_texts(output.log);
    return output;
  } catch (const CompileFailed& failed) {
    const std::string log = without_private_texts(failed.log);
    std::string sentence = log == failed.log ? failed.what() : first_error(log);
    if (sentence.empty()) sentence = "the source does not compile";
    throw CompileFailed(sentence + why_incomplete(job.source), log, job.source.sha256);
  }
}

CompiledKernel Compiler::compile_job(const Job& job, const Cancelled& cancelled) const {
  const auto start = std::chrono::steady_clock::now();
  CompilerOutput output;
  try {
    output = output_of(job, cancelled);
  } catch (CompileFailed& failed) {
    failed.source_sha256 = job.source.sha256;
    throw;
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  const std::optional<Resources> resources = parse_ptxas_log(output.log, job.entry);
  if (!resources) {
    throw EntryNotFound("the code of " + job.source.file.name + " has no extern \"C\" kernel '" + job.entry +
                            "': " + describe_entries(compiled_entries(output.log)) +
                            "; the declaration's \"entry\" must be the function's name",
                        output.log, job.source.sha256);
  }
  keep(job.known.key, output);
  CompiledKernel kernel = with_code(job.known, std::move(output), *resources, job.entry);
  kernel.compile_ms = took.count();
  remember(kernel);
  return kernel;
}

std::string Compiler::compile_ptx(const Job& job, const Cancelled& cancelled) const {
  std::vector<std::string> options = job.options;
  for (std::string& option : options) option = for_virtual_architecture(option);
  // Without what no kernel here needs (textures, launches from the device), NVRTC takes some 3 % less for the same PTX.
  // A kernel that does need it has no PTX before its machine code.
  if (nvrtc_.has_minimal_language()) options.emplace_back("--minimal");
  const SourceFile file = job.source.complete_file();
  return nvrtc_.compile(file.name, file.text, {file.headers.begin(), file.headers.end()}, options, cancelled)
      .ptx;
}

KernelSource Compiler::source_of(const KernelDeclaration& kernel) const {
  return kernel.carried_source ? kernel_source_of(*kernel.carried_source)
                               : read_kernel_source(kernel.source_path, folders_.kernels);
}

std::string Compiler::keep_source(const KernelDeclaration& kernel) const {
  const KernelSource source = source_of(kernel);
  sources_.keep(source);
  return source.sha256;
}

}  // namespace tilescope
