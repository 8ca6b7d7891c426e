#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// How the elements of a tile lie in it: rows and columns, and the declared index function as a table.
struct TileLayout {
  std::int64_t rows = 0, columns = 0;
  /// [B]
  std::int64_t element_bytes = 0;
  /// [elements] From one row to the next, without a permutation inside the rows.
  std::int64_t pitch = 0;
  /// [rows * columns], row by row: the place of an element, in elements from the start of the tile. No two are equal.
  std::vector<std::uint32_t> index;

  bool operator==(const TileLayout&) const = default;
};

/// The element that lies at a byte of a tile.
struct TilePlace {
  std::int64_t row = 0, column = 0;
  /// Within the element.
  std::int64_t byte = 0;

  bool operator==(const TilePlace&) const = default;
};

/// The inverse of a layout's index function.
class TilePlaces {
 public:
  explicit TilePlaces(const TileLayout& layout);
  /// `offset` [B] from the start of the tile; none for padding and behind the end.
  std::optional<TilePlace> at(std::int64_t offset) const;

 private:
  std::int64_t columns_ = 0;
  std::int64_t element_bytes_ = 0;
  /// By place: row * columns + column, or -1.
  std::vector<std::int64_t> elements_;
};

/// The place of a declared tile for one configuration.
struct TileRange {
  std::string name;
  /// [B] from the start of the dynamic shared memory
  std::int64_t offset = 0;
  /// [B]
  std::int64_t bytes = 0;
  /// None where the declaration has no rows and columns.
  std::optional<TileLayout> layout = std::nullopt;

  bool operator==(const TileRange&) const = default;
};

/// The declared tiles of a configuration, in their order, without tiles of 0 bytes and without layouts. Throws
/// DeclarationError when an expression cannot be evaluated, or when a tile ends after the dynamic shared memory with
/// which the kernel is launched.
std::vector<TileRange> tile_places(const KernelDeclaration& kernel, const Configuration& complete,
                                   const Shape& shape, const DeviceModel& device);

/// The declared tiles with their layouts, where the device has the shared memory for them. Throws DeclarationError also
/// when an index is not a whole number, is outside its tile, or puts two elements at one place.
std::vector<TileRange> tile_ranges(const KernelDeclaration& kernel, const Configuration& complete,
                                   const Shape& shape, const DeviceModel& device);

}  // namespace tilescope
