#include "app/explorer/points/point_sources.hpp"

#include <filesystem>

#include "app/explorer/board.hpp"
#include "app/explorer/kernel_file/compared_files.hpp"
#include "app/explorer/kernel_list.hpp"
#include "app/explorer/points/points.hpp"
#include "profiler/service/client/point_source.hpp"

namespace tilescope {

const SourceFile* PointSources::find(const Measurement& point) {
  const std::string& sha256 = point.provenance.source_sha256;
  if (sha256.empty()) return nullptr;
  if (const SourceFile* source = board_.parts.points.find_source(sha256)) return source;
  if (const SourceFile* source = board_.get<ComparedFiles>().find_source(sha256)) return source;
  const auto known = read_.find(sha256);
  if (known != read_.end()) return known->second ? &*known->second : nullptr;
  const KernelDeclaration* kernel = board_.parts.kernels.find(point.kernel);
  const std::filesystem::path file = kernel == nullptr ? std::filesystem::path() : kernel->source_path;
  const auto& source = read_[sha256] = find_point_source(point, board_.parts.installation, file);
  return source ? &*source : nullptr;
}

}  // namespace tilescope
