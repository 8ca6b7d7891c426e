#include "profiler/catalogue/tiles.hpp"

#include "profiler/catalogue/expression.hpp"

namespace tilescope {

std::vector<TileRange> tile_ranges(const KernelDeclaration& kernel, const Configuration& complete,
                                   const Shape& shape, const DeviceModel& device) {
  std::vector<TileRange> ranges;
  if (kernel.tiles.empty()) return ranges;
  const Scope scope(kernel, complete, shape, device);
  const std::int64_t shared = scope.evaluate_count("SHARED_BYTES");
  std::int64_t end = 0;
  for (std::size_t index = 0; index < kernel.tiles.size(); ++index) {
    const TileDeclaration& tile = kernel.tiles[index];
    std::string why;
    try {
      const std::int64_t offset = tile.offset.empty() ? end : scope.evaluate_count(tile.offset);
      const std::int64_t bytes = scope.evaluate_count(tile.bytes);
      end = offset + bytes;
      if (bytes > 0) ranges.push_back({tile.name, offset, bytes, std::nullopt});
      if (end > shared) {
        why = "'" + tile.name + "' ends at byte " + std::to_string(end) + ", the dynamic shared memory at " +
              std::to_string(shared) + ": correct its bytes or its offset";
      }
    } catch (const ExpressionError& error) {
      why = error.what();
    }
    if (!why.empty()) {
      throw DeclarationError(kernel.source_path.string() + ": /tiles/" + std::to_string(index) + ": " + why);
    }
  }
  return ranges;
}

TilePlaces::TilePlaces(const TileLayout& layout)
    : columns_(layout.columns), element_bytes_(layout.element_bytes) {
  for (std::size_t element = 0; element < layout.index.size(); ++element) {
    const std::size_t place = layout.index[element];
    if (place >= elements_.size()) elements_.resize(place + 1, -1);
    elements_[place] = static_cast<std::int64_t>(element);
  }
}

std::optional<TilePlace> TilePlaces::at(std::int64_t offset) const {
  if (offset < 0 || element_bytes_ == 0) return std::nullopt;
  const auto place = static_cast<std::size_t>(offset / element_bytes_);
  if (place >= elements_.size() || elements_[place] < 0) return std::nullopt;
  const std::int64_t element = elements_[place];
  return TilePlace{element / columns_, element % columns_, offset % element_bytes_};
}

}  // namespace tilescope
