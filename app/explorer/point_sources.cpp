#include "app/explorer/point_sources.hpp"

#include <filesystem>

#include "app/explorer/explorer.hpp"
#include "profiler/client/point_source.hpp"

namespace tilescope {

const SourceFile* PointSources::find(const Explorer& explorer, const Measurement& point) {
  const std::string& sha256 = point.provenance.source_sha256;
  if (sha256.empty()) return nullptr;
  if (const SourceFile* source = explorer.points().find_source(sha256)) return source;
  const auto known = read_.find(sha256);
  if (known != read_.end()) return known->second ? &*known->second : nullptr;
  const KernelDeclaration* kernel = explorer.kernels().find(point.kernel);
  const std::filesystem::path file = kernel == nullptr ? std::filesystem::path() : kernel->source_path;
  const auto& source = read_[sha256] = find_point_source(point, explorer.installation(), file);
  return source ? &*source : nullptr;
}

}  // namespace tilescope
