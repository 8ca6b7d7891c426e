#include "profiler/execution/step/tile_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

namespace tilescope {
namespace {

// Shared memory holds these bytes until it is written (simt/block_start.cpp).
constexpr char unwritten{'\xff'};

std::span<const std::byte> bytes_of(const TileRange& tile, std::span<const std::byte> shared) {
  const auto offset = static_cast<std::size_t>(tile.offset);
  if (offset >= shared.size()) return {};
  return shared.subspan(offset, std::min(static_cast<std::size_t>(tile.bytes), shared.size() - offset));
}

// The elements of a row, side by side; shorter where the tile ends before.
std::string gather(const TileLayout& layout, std::span<const std::byte> tile, std::int64_t row) {
  const auto element = static_cast<std::size_t>(layout.element_bytes);
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(layout.columns) * element);
  for (std::int64_t column = 0; column < layout.columns; ++column) {
    const std::size_t at = layout.index[static_cast<std::size_t>(row * layout.columns + column)] * element;
    if (at + element > tile.size()) return bytes;
    bytes.append(reinterpret_cast<const char*>(tile.data()) + at, element);
  }
  return bytes;
}

}  // namespace

TileRows::TileRows(const reference::AttentionSizes& sizes, const reference::AttentionInputs& inputs)
    : columns_(sizes.D) {
  add('Q', inputs.q, sizes.Sq);
  add('K', inputs.k, sizes.Sk);
  add('V', inputs.v, sizes.Sk);
}

void TileRows::add(char tensor, const std::vector<std::uint16_t>& values, std::int64_t rows_of_head) {
  const auto columns = static_cast<std::size_t>(columns_);
  for (std::size_t row = 0; (row + 1) * columns <= values.size(); ++row) {
    const std::string_view bytes(reinterpret_cast<const char*>(values.data() + row * columns), columns * 2);
    rows_.emplace(bytes, Row{tensor, static_cast<std::int64_t>(row) % rows_of_head});
  }
}

std::vector<TileRowStop> TileRows::rows_in(const TileRange& tile, std::span<const std::byte> shared) const {
  std::vector<TileRowStop> rows;
  if (!tile.layout) return rows;
  const TileLayout& layout = *tile.layout;
  const std::span<const std::byte> bytes = bytes_of(tile, shared);
  rows.resize(static_cast<std::size_t>(layout.rows));
  for (std::int64_t r = 0; r < layout.rows; ++r) {
    TileRowStop& row = rows[static_cast<std::size_t>(r)];
    const std::string content = gather(layout, bytes, r);
    row.is_unwritten = std::ranges::all_of(content, [](char byte) { return byte == unwritten; });
    if (row.is_unwritten || layout.columns != columns_ || layout.element_bytes != 2) continue;
    const auto [first, last] = rows_.equal_range(content);
    if (first == last) continue;
    // Among rows with equal bytes, take the row of the tensor that the tile is named after.
    auto found = std::find_if(first, last,
                              [&](const auto& entry) { return tile.name.front() == entry.second.tensor; });
    if (found == last) found = first;
    row.tensor = std::string(1, found->second.tensor);
    row.row = found->second.row;
  }
  return rows;
}

std::vector<double> values_in(const TileRange& tile, std::span<const std::byte> shared,
                              reference::Format format) {
  std::vector<double> values;
  if (!tile.layout) return values;
  const TileLayout& layout = *tile.layout;
  const std::span<const std::byte> bytes = bytes_of(tile, shared);
  values.reserve(static_cast<std::size_t>(layout.rows * layout.columns));
  for (std::int64_t row = 0; row < layout.rows; ++row) {
    const std::string content = gather(layout, bytes, row);
    for (std::int64_t column = 0; column < layout.columns; ++column) {
      const auto at = static_cast<std::size_t>(column * layout.element_bytes);
      const bool is_there = at + static_cast<std::size_t>(layout.element_bytes) <= content.size();
      double value = std::numeric_limits<double>::quiet_NaN();
      if (is_there && layout.element_bytes == 4) {
        float number = 0;
        std::memcpy(&number, content.data() + at, sizeof number);
        value = number;
      } else if (is_there && layout.element_bytes == 2) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, content.data() + at, sizeof bits);
        value = reference::to_float(bits, format);
      }
      values.push_back(value);
    }
  }
  return values;
}

}  // namespace tilescope
