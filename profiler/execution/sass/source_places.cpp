#include "profiler/execution/sass/source_places.hpp"

#include <algorithm>
#include <utility>

namespace tilescope::sass {

SourcePlaces::SourcePlaces(const Disassembly& disassembly) {
  for (const std::vector<Place>& chain : disassembly.chains) {
    std::uint32_t outer = simt::no_index;
    for (auto place = chain.rbegin(); place != chain.rend(); ++place) {
      simt::Location location;
      location.file = file_number(place->file);
      location.line = place->line;
      location.inlined_at = outer;
      outer = static_cast<std::uint32_t>(locations_.size());
      locations_.push_back(std::move(location));
    }
    innermost_.push_back(outer);
  }
}

std::uint32_t SourcePlaces::location(std::uint32_t chain) const {
  return chain < innermost_.size() ? innermost_[chain] : simt::no_index;
}

std::uint32_t SourcePlaces::file_number(const std::string& path) {
  const auto known = std::ranges::find(files_, path, &simt::SourceFileName::path);
  if (known != files_.end()) return known->number;
  const auto number = static_cast<std::uint32_t>(files_.size() + 1);
  files_.push_back({number, path});
  return number;
}

}  // namespace tilescope::sass
