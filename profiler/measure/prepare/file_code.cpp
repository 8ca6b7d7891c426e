#include "profiler/measure/prepare/file_code.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/measure/workbench.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* virtual_architecture = "compute_89";

std::vector<std::string> options_for(const Nvrtc& nvrtc, const fs::path& file,
                                     const std::string& architecture) {
  std::vector<std::string> options = {"--gpu-architecture=" + architecture, "-lineinfo", "--std=c++17"};
  std::error_code ignored;
  if (fs::is_directory(file.parent_path(), ignored))
    options.push_back("--include-path=" + file.parent_path().string());
  if (!nvrtc.toolkit_headers().empty())
    options.push_back("--include-path=" + nvrtc.toolkit_headers().string());
  return options;
}

}  // namespace

FileCode code_of_file(Workbench& bench, const SentFile& file, const std::string& architecture,
                      const MeasureControl& control) {
  std::string contents = contents_of(file);
  const InputFile form = input_file_of(contents);
  if (form != InputFile::cuda) return {std::move(contents), form, ""};
  control.report({"compile", 0.1});
  const Nvrtc& nvrtc = bench.compiler().nvrtc();
  const fs::path path(file.path);
  const std::string target = architecture.empty() ? virtual_architecture : architecture;
  try {
    CompilerOutput output = nvrtc.compile(path.filename().string(), contents, {},
                                          options_for(nvrtc, path, target), control.cancelled);
    const std::string note = fmt::format("Compiled with NVRTC {} for {}.", nvrtc.version(), target);
    if (architecture.empty()) return {std::move(output.ptx), InputFile::ptx, note};
    return {std::string(output.cubin.begin(), output.cubin.end()), InputFile::cubin, note};
  } catch (const CompileFailed& failed) {
    throw UnusableFile(fmt::format(
        "it is CUDA C++ that NVRTC does not compile, which takes device code alone. Give the PTX (`nvcc -ptx "
        "-lineinfo -arch=sm_89 {}`) or a cubin (`nvcc -cubin -lineinfo -arch=sm_89 {}`) of a file with host "
        "code. "
        "NVRTC says:\n{}",
        path.filename().string(), path.filename().string(), failed.what()));
  }
}

}  // namespace tilescope
