#include "profiler/service/client/point_source.hpp"

#include <stdexcept>

#include "profiler/kernels/compile/kernel_source.hpp"

namespace tilescope {

std::optional<SourceFile> find_point_source(const Measurement& point, const Installation& installation,
                                            const std::filesystem::path& kernel_file) {
  const std::string& sha256 = point.provenance.source_sha256;
  if (sha256.empty()) return std::nullopt;
  if (auto stored = SourceStore(installation.cache / "sources").find(sha256)) return stored;
  if (kernel_file.empty()) return std::nullopt;
  try {
    KernelSource now = read_kernel_source(kernel_file, installation.kernels);
    if (now.sha256 == sha256) return std::move(now.file);
  } catch (const std::runtime_error&) {
    // The file went away since the point was compiled.
  }
  return std::nullopt;
}

}  // namespace tilescope
