#include "profiler/compile/compiler.hpp"

#include <chrono>

#include "profiler/compile/cubin.hpp"
#include "profiler/compile/cutlass.hpp"
#include "profiler/compile/hash.hpp"
#include "profiler/compile/ptxas_log.hpp"

namespace tilescope {
namespace {

// Changes when an entry of the cache means something else than it did.
constexpr const char* cache_format = "tilescope-binary-1";

std::string key_of(const KernelSource& source, const std::string& entry, const CompiledKernel& kernel) {
  std::string all =
      std::string(cache_format) + "\n" + kernel.nvrtc_version + "\n" + entry + "\n" + source.sha256 + "\n";
  for (const std::string& option : kernel.options) all += option + "\n";
  if (!kernel.library_version.empty()) all += kernel.library_version + "\n";
  return sha256(all);
}

std::vector<std::string> options_for(const std::string& arch,
                                     const std::vector<std::pair<std::string, std::string>>& macros) {
  std::vector<std::string> options = {"--gpu-architecture=" + arch, "-lineinfo", "--std=c++17",
                                      "--ptxas-options=-v"};
  for (const auto& [name, value] : macros) options.push_back("-D" + name + "=" + value);
  return options;
}

}  // namespace

Compiler::Compiler(Nvrtc nvrtc, Folders folders)
    : nvrtc_(std::move(nvrtc)),
      folders_(std::move(folders)),
      cache_(folders_.cache / "binaries"),
      sources_(folders_.cache / "sources") {
  constexpr std::uintmax_t cache_limit = std::uintmax_t{1} << 30;  // [B] some 4,000 configurations
  cache_.prune(cache_limit);
}

CompiledKernel Compiler::compile(const KernelDeclaration& kernel, const Configuration& complete,
                                 const Shape& shape, const std::string& arch) const {
  std::vector<std::pair<std::string, std::string>> macros;
  for (const auto& [name, value] : complete) macros.emplace_back(name, to_string(value));
  macros.emplace_back("HEAD_DIM", std::to_string(shape.D));
  macros.emplace_back("CAUSAL", shape.causal ? "1" : "0");
  macros.emplace_back("DTYPE", to_string(shape.dtype));
  return compile_with(kernel.library, kernel.source_path, kernel.entry, macros, arch);
}

CompiledKernel Compiler::compile_file(const std::filesystem::path& cu_file, const std::string& entry,
                                      const std::vector<std::pair<std::string, std::string>>& macros,
                                      const std::string& arch) const {
  return compile_with(KernelLibrary::none, cu_file, entry, macros, arch);
}

CompiledKernel Compiler::compile_with(KernelLibrary library, const std::filesystem::path& cu_file,
                                      const std::string& entry,
                                      const std::vector<std::pair<std::string, std::string>>& macros,
                                      const std::string& arch) const {
  const KernelSource source = read_kernel_source(cu_file, folders_.kernels);
  sources_.keep(source);
  CompiledKernel kernel;
  kernel.source_sha256 = source.sha256;
  kernel.nvrtc_version = nvrtc_.version();
  kernel.options = options_for(arch, macros);
  // The folders of the toolkit's and the library's headers are the machine's, not the kernel's: their versions in the key
  // stand for them.
  std::vector<std::string> options = kernel.options;
  if (!nvrtc_.toolkit_headers().empty()) options.push_back("-I" + nvrtc_.toolkit_headers().string());
  if (library == KernelLibrary::cutlass) {
    const Cutlass cutlass = find_cutlass(folders_.dependencies, nvrtc_.toolkit_headers());
    kernel.library_version = cutlass.version;
    options.insert(options.end(), cutlass.options.begin(), cutlass.options.end());
  }
  kernel.key = key_of(source, entry, kernel);

  NvrtcOutput output;
  std::optional<Resources> resources;
  if (std::optional<NvrtcOutput> cached = cache_.find(kernel.key)) {
    output = std::move(*cached);
    resources = parse_ptxas_log(output.log, entry);
    kernel.from_cache = resources.has_value();
  }
  if (!resources) {
    const auto start = std::chrono::steady_clock::now();
    try {
      output = nvrtc_.compile(source.file.name, source.file.text,
                              {source.file.headers.begin(), source.file.headers.end()}, options);
    } catch (CompileFailed& failed) {
      failed.source_sha256 = source.sha256;
      throw;
    }
    kernel.compile_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    resources = parse_ptxas_log(output.log, entry);
    if (!resources) {
      CompileFailed failed(source.file.name + " compiles, but has no extern \"C\" kernel named '" + entry +
                               "': its declaration's entry and its function must have one name",
                           output.log);
      failed.source_sha256 = source.sha256;
      throw failed;
    }
    cache_.keep(kernel.key, output);
  }
  kernel.resources = *resources;
  kernel.resources.sass_sha256 = sass_sha256(output.cubin, entry);
  kernel.cubin = std::move(output.cubin);
  kernel.ptx = std::move(output.ptx);
  kernel.log = std::move(output.log);
  return kernel;
}

std::string Compiler::keep_source(const std::filesystem::path& file) const {
  const KernelSource source = read_kernel_source(file, folders_.kernels);
  sources_.keep(source);
  return source.sha256;
}

}  // namespace tilescope
