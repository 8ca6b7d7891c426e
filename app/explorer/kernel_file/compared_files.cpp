#include "app/explorer/kernel_file/compared_files.hpp"

#include <memory>

#include "app/explorer/compare/comparison_pair.hpp"
#include "profiler/views/kernel_file/file_measurement.hpp"

namespace tilescope {

void ComparedFiles::choose(Side side, const OpenedPoint& point, const std::string& file,
                           const std::map<std::string, std::string>& chosen, const SourceFile& source) {
  sources_.insert_or_assign(point.provenance.source_sha256, source);
  board_.get<ComparisonPair>().choose(
      side, std::make_shared<const Measurement>(file_measurement(point, file, chosen)));
}

const SourceFile* ComparedFiles::find_source(const std::string& sha256) const {
  const auto found = sources_.find(sha256);
  return found == sources_.end() ? nullptr : &found->second;
}

}  // namespace tilescope
