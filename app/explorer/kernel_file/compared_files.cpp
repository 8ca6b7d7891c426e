#include "app/explorer/kernel_file/compared_files.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "app/explorer/compare/comparison_pair.hpp"
#include "profiler/views/kernel_file/file_measurement.hpp"

namespace tilescope {

void ComparedFiles::choose(Side side, const OpenedPoint& point, const std::string& file,
                           const std::map<std::string, std::string>& chosen, const SourceFile& source,
                           std::optional<ChosenFile> subject) {
  constexpr std::size_t most_kept = 4;
  sources_.insert_or_assign(point.provenance.source_sha256, source);
  const auto measurement = std::make_shared<const Measurement>(file_measurement(point, file, chosen));
  if (subject) files_.emplace_back(measurement, std::move(*subject));
  if (files_.size() > most_kept) files_.erase(files_.begin());
  board_.get<ComparisonPair>().choose(side, measurement);
}

const ChosenFile* ComparedFiles::find_file(const SharedMeasurement& point) const {
  const auto found = std::ranges::find(files_, point, &std::pair<SharedMeasurement, ChosenFile>::first);
  return found == files_.end() ? nullptr : &found->second;
}

const SourceFile* ComparedFiles::find_source(const std::string& sha256) const {
  const auto found = sources_.find(sha256);
  return found == sources_.end() ? nullptr : &found->second;
}

}  // namespace tilescope
