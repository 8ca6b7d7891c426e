#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernels/reference/attention.hpp"
#include "profiler/kernels/catalogue/tiles.hpp"
#include "profiler/service/requests/step.hpp"

namespace tilescope {

/// Finds which rows of Q, K and V lie in shared memory, by their bytes: whatever the kernel meant to put there.
class TileRows {
 public:
  TileRows(const reference::AttentionSizes& sizes, const reference::AttentionInputs& inputs);

  /// The rows of a tile in a block's shared memory. `tile` has a layout, and its offset counts from the start of `shared`.
  std::vector<TileRowStop> rows_in(const TileRange& tile, std::span<const std::byte> shared) const;

 private:
  struct Row {
    char tensor = 'K';
    std::int64_t row = 0;
  };
  void add(char tensor, const std::vector<std::uint16_t>& values, std::int64_t rows_of_head);

  std::int64_t columns_ = 0;
  std::unordered_multimap<std::string_view, Row> rows_;
};

/// [rows * columns] The numbers of a tile: floats of 4 bytes, or elements of `format`; NaN for elements of
/// other sizes.
std::vector<double> values_in(const TileRange& tile, std::span<const std::byte> shared,
                              reference::Format format);

}  // namespace tilescope
