#include "profiler/compile/compiler.hpp"

#include <cxxabi.h>

#include <chrono>
#include <cstdlib>
#include <memory>

#include "profiler/compile/cutlass.hpp"
#include "profiler/compile/hash.hpp"
#include "profiler/compile/ptxas_log.hpp"

namespace tilescope {
namespace {

// Changes when the meaning of a cache entry changes.
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

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // "g" alone would be the type __float128
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

// The value of one of shape_macros().
std::string shape_macro(const std::string& name, const Shape& shape) {
  if (name == "HEAD_DIM") return std::to_string(shape.D);
  if (name == "CAUSAL") return shape.causal ? "1" : "0";
  if (name == "DTYPE") return to_string(shape.dtype);
  throw std::invalid_argument("there is no macro '" + name + "' of the shape");
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
  for (const std::string& name : kernel.macros) macros.emplace_back(name, shape_macro(name, shape));
  return compile_with(kernel.library, source_of(kernel), kernel.entry, macros, arch);
}

CompiledKernel Compiler::compile_file(const std::filesystem::path& cu_file, const std::string& entry,
                                      const std::vector<std::pair<std::string, std::string>>& macros,
                                      const std::string& arch) const {
  return compile_with(KernelLibrary::none, read_kernel_source(cu_file, folders_.kernels), entry, macros,
                      arch);
}

CompiledKernel Compiler::compile_with(KernelLibrary library, const KernelSource& source,
                                      const std::string& entry,
                                      const std::vector<std::pair<std::string, std::string>>& macros,
                                      const std::string& arch) const {
  sources_.keep(source);
  CompiledKernel kernel;
  kernel.source_sha256 = source.sha256;
  kernel.nvrtc_version = nvrtc_.version();
  kernel.options = options_for(arch, macros);
  // The folders of the toolkit's and the library's headers depend on the machine, not on the kernel: the key has their
  // versions instead.
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
      throw EntryNotFound("the code of " + source.file.name + " has no extern \"C\" kernel '" + entry +
                              "': " + describe_entries(compiled_entries(output.log)) +
                              "; the declaration's \"entry\" must be the function's name",
                          output.log, source.sha256);
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
