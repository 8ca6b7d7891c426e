#include "profiler/execution/ptx/tests/hardware/case_compiler.hpp"

#include <cstdlib>

namespace tilescope::hardware {
namespace {

Nvrtc open_nvrtc(const std::filesystem::path& dependencies) {
  const char* toolkit = std::getenv("TILESCOPE_CUDA");
  return Nvrtc::open(
      {.toolkit = toolkit != nullptr ? toolkit : "", .dependencies = dependencies, .driver_cuda = {}});
}

}  // namespace

CaseCompiler::CaseCompiler(std::filesystem::path root, const std::filesystem::path& dependencies,
                           const std::filesystem::path& cache)
    : root_(std::move(root)),
      compiler_(open_nvrtc(dependencies), {.kernels = root_ / "kernels", .cache = cache}) {}

std::string CaseCompiler::ptx(const KernelText& kernel) const {
  try {
    return compiler_.compile_file(root_ / kernel.file, kernel.entry, kernel.macros, kernel.arch).ptx;
  } catch (const CompileFailed& failed) {
    std::string which = kernel.file;
    for (const auto& [name, value] : kernel.macros) which += " " + name + "=" + value;
    throw CompileFailed(which + ": " + failed.what(), failed.log);
  }
}

}  // namespace tilescope::hardware
