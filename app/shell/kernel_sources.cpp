#include "app/shell/kernel_sources.hpp"

#include <stdexcept>

#include "profiler/compile/kernel_source.hpp"

namespace tilescope {

std::map<std::string, SourceFile> sources_of(const Measurement& point,
                                             const std::vector<KernelDeclaration>& kernels,
                                             const Installation& installation) {
  const std::string& sha256 = point.provenance.source_sha256;
  if (sha256.empty()) return {};
  if (auto stored = SourceStore(installation.cache / "sources").find(sha256))
    return {{sha256, *std::move(stored)}};
  for (const KernelDeclaration& kernel : kernels) {
    if (kernel.name != point.kernel) continue;
    try {
      KernelSource here = read_kernel_source(kernel.source_path, installation.kernels);
      if (here.sha256 == sha256) return {{sha256, std::move(here.file)}};
    } catch (const std::runtime_error&) {
      // The file went away since the catalogue was read; the point stands without its text.
    }
  }
  return {};
}

}  // namespace tilescope
