#include "profiler/kernels/catalogue/tiles.hpp"

#include <cmath>
#include <utility>

#include "profiler/kernels/catalogue/expression.hpp"

namespace tilescope {

namespace {

std::string place_of(const KernelDeclaration& kernel, std::size_t tile, const char* key = "") {
  return kernel.source_path.string() + ": /tiles/" + std::to_string(tile) + key + ": ";
}

std::string element_text(std::int64_t element, std::int64_t columns) {
  return "row " + std::to_string(element / columns) + ", column " + std::to_string(element % columns);
}

// A layout's index as places of elements; what is wrong with it is a DeclarationError.
class IndexTable {
 public:
  // `places` is how many elements the tile has room for.
  IndexTable(const KernelDeclaration& kernel, std::size_t tile, const TileLayout& layout, std::int64_t places)
      : kernel_(kernel),
        tile_(tile),
        layout_(layout),
        expression_(kernel.tiles[tile].layout->index.empty() ? "ROW * PITCH + COLUMN"
                                                             : kernel.tiles[tile].layout->index),
        element_at_(static_cast<std::size_t>(places), -1) {}

  std::vector<std::uint32_t> checked(const Scope& scope) {
    std::vector<double> values;
    try {
      values = scope.evaluate_index(expression_, layout_.rows, layout_.columns, layout_.pitch);
    } catch (const ExpressionError& error) {
      throw DeclarationError(place_of(kernel_, tile_, "/index") + error.what());
    }
    std::vector<std::uint32_t> index;
    index.reserve(values.size());
    for (std::size_t element = 0; element < values.size(); ++element)
      index.push_back(take(static_cast<std::int64_t>(element), values[element]));
    return index;
  }

 private:
  std::uint32_t take(std::int64_t element, double value) {
    if (!(value >= 0 && value == std::floor(value))) {
      refuse("gives " + std::to_string(value) + " for " + element_text(element, layout_.columns) +
             ", not a whole number >= 0");
    }
    if (value >= static_cast<double>(element_at_.size())) {
      refuse("puts " + element_text(element, layout_.columns) + " at element " +
             std::to_string(static_cast<std::int64_t>(value)) + ", the tile has room for " +
             std::to_string(element_at_.size()));
    }
    std::int64_t& here = element_at_[static_cast<std::size_t>(value)];
    if (here >= 0) {
      refuse("puts " + element_text(here, layout_.columns) + " and " +
             element_text(element, layout_.columns) + " at the same place");
    }
    here = element;
    return static_cast<std::uint32_t>(value);
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw DeclarationError(place_of(kernel_, tile_, "/index") + "'" + expression_ + "' " + what);
  }

  const KernelDeclaration& kernel_;
  std::size_t tile_;
  const TileLayout& layout_;
  std::string expression_;
  // By place: the element, or -1.
  std::vector<std::int64_t> element_at_;
};

// The layout of a tile without its index.
TileLayout extent_of(const Scope& scope, const LayoutDeclaration& declared) {
  TileLayout layout;
  layout.rows = scope.evaluate_count(declared.rows);
  layout.columns = scope.evaluate_count(declared.columns);
  layout.element_bytes =
      scope.evaluate_count(declared.element_bytes.empty() ? "ELEMENT_BYTES" : declared.element_bytes);
  layout.pitch = declared.pitch.empty() ? layout.columns : scope.evaluate_count(declared.pitch);
  return layout;
}

// Why rows and columns do not fit into a tile, "" where they do. An index is only computed for what fits.
std::string why_too_large(const TileRange& tile, const TileLayout& layout) {
  if (layout.rows == 0 || layout.columns == 0 || layout.element_bytes == 0) {
    return "'" + tile.name + "' has " + std::to_string(tile.bytes) +
           " bytes, so its rows, columns and element_bytes must not be 0";
  }
  const double bytes = static_cast<double>(layout.rows) * static_cast<double>(layout.columns) *
                       static_cast<double>(layout.element_bytes);
  if (bytes <= static_cast<double>(tile.bytes)) return "";
  return "'" + tile.name + "' has " + std::to_string(tile.bytes) + " bytes, too few for " +
         std::to_string(layout.rows) + " rows of " + std::to_string(layout.columns) + " elements of " +
         std::to_string(layout.element_bytes) + " bytes";
}

// The declared tiles of a configuration, one by one. Tiles that have the same layout, such as K and V, share the work.
class TileReader {
 public:
  TileReader(const KernelDeclaration& kernel, const Scope& scope, std::int64_t largest_tile)
      : kernel_(kernel),
        scope_(scope),
        largest_tile_(largest_tile),
        shared_(scope.evaluate_count("SHARED_BYTES")) {}

  void read(std::size_t index) {
    const TileDeclaration& tile = kernel_.tiles[index];
    const std::int64_t offset = tile.offset.empty() ? end_ : scope_.evaluate_count(tile.offset);
    TileRange range{tile.name, offset, scope_.evaluate_count(tile.bytes), std::nullopt};
    end_ = offset + range.bytes;
    if (end_ > shared_) {
      throw ExpressionError("'" + tile.name + "' ends at byte " + std::to_string(end_) +
                            ", the dynamic shared memory at " + std::to_string(shared_) +
                            ": correct its bytes or its offset");
    }
    if (range.bytes == 0) return;
    if (tile.layout && range.bytes <= largest_tile_) range.layout = layout_of(index, range);
    ranges.push_back(std::move(range));
  }

  std::vector<TileRange> ranges;

 private:
  TileLayout layout_of(std::size_t index, const TileRange& range) {
    const LayoutDeclaration& declared = *kernel_.tiles[index].layout;
    const TileLayout* const same = find_same(range.bytes, declared);
    if (same != nullptr) return *same;
    TileLayout layout = extent_of(scope_, declared);
    if (const std::string why = why_too_large(range, layout); !why.empty()) throw ExpressionError(why);
    layout.index = IndexTable(kernel_, index, layout, range.bytes / layout.element_bytes).checked(scope_);
    computed_.emplace_back(&declared, ranges.size());
    return layout;
  }
  const TileLayout* find_same(std::int64_t bytes, const LayoutDeclaration& declared) const {
    for (const auto& [other, range] : computed_) {
      if (*other == declared && ranges[range].bytes == bytes) return &*ranges[range].layout;
    }
    return nullptr;
  }

  const KernelDeclaration& kernel_;
  const Scope& scope_;
  std::int64_t largest_tile_;
  std::int64_t shared_;
  std::int64_t end_ = 0;
  // Declared layouts, and the range that each belongs to.
  std::vector<std::pair<const LayoutDeclaration*, std::size_t>> computed_;
};

std::vector<TileRange> read_tiles(const KernelDeclaration& kernel, const Configuration& complete,
                                  const Shape& shape, const DeviceModel& device,
                                  std::int64_t largest_layout) {
  if (kernel.tiles.empty()) return {};
  const Scope scope(kernel, complete, shape, device);
  TileReader reader(kernel, scope, largest_layout);
  for (std::size_t index = 0; index < kernel.tiles.size(); ++index) {
    try {
      reader.read(index);
    } catch (const ExpressionError& error) {
      throw DeclarationError(place_of(kernel, index) + error.what());
    }
  }
  return std::move(reader.ranges);
}

}  // namespace

std::vector<TileRange> tile_places(const KernelDeclaration& kernel, const Configuration& complete,
                                   const Shape& shape, const DeviceModel& device) {
  return read_tiles(kernel, complete, shape, device, 0);
}

std::vector<TileRange> tile_ranges(const KernelDeclaration& kernel, const Configuration& complete,
                                   const Shape& shape, const DeviceModel& device) {
  return read_tiles(kernel, complete, shape, device, device.shared_bytes_per_block_optin);
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
