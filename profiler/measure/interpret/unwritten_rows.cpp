#include "profiler/measure/interpret/unwritten_rows.hpp"

#include <algorithm>

namespace tilescope {
namespace {

UnwrittenRows rows_short_of(const std::vector<std::int64_t>& written, std::int64_t columns) {
  UnwrittenRows rows;
  rows.total = static_cast<std::int64_t>(written.size());
  for (std::int64_t row = 0; row < rows.total; ++row) {
    const std::int64_t here = written[static_cast<std::size_t>(row)];
    if (here == columns) continue;
    if (rows.count++ == 0) rows.first = row;
    if (here > 0) ++rows.in_part;
  }
  return rows;
}

}  // namespace

std::string describe(const UnwrittenRows& rows, const Shape& shape) {
  if (rows.count == 0) return "";
  const std::string how = rows.in_part == 0            ? "were not written"
                          : rows.in_part == rows.count ? "were written only in part"
                                                       : "were not written, or only in part";
  return std::to_string(rows.count) + " of " + std::to_string(rows.total) + " rows of the output " + how +
         ", the first at batch " + std::to_string(rows.first / (shape.Sq * shape.Hq)) + ", head " +
         std::to_string(rows.first / shape.Sq % shape.Hq) + ", query " +
         std::to_string(rows.first % shape.Sq);
}

std::vector<std::int64_t> written_by_row(const std::vector<ElementRange>& written,
                                         const reference::AttentionSizes& sizes) {
  const std::int64_t columns = sizes.result_columns();
  std::vector<std::int64_t> by_row(static_cast<std::size_t>(sizes.rows()), 0);
  for (const ElementRange& range : written) {
    for (std::int64_t row = range.first / columns; row * columns < range.end; ++row) {
      by_row[static_cast<std::size_t>(row)] +=
          std::min(range.end, (row + 1) * columns) - std::max(range.first, row * columns);
    }
  }
  return by_row;
}

UnwrittenRows find_unwritten_rows(const std::vector<ElementRange>& written,
                                  const reference::AttentionSizes& sizes) {
  return rows_short_of(written_by_row(written, sizes), sizes.result_columns());
}

UnwrittenRows find_poisoned_rows(const std::vector<std::uint16_t>& output,
                                 const reference::AttentionSizes& sizes) {
  constexpr std::uint16_t poison = poison_byte << 8 | poison_byte;
  const std::int64_t columns = sizes.result_columns();
  std::vector<std::int64_t> by_row(static_cast<std::size_t>(sizes.rows()));
  for (std::size_t row = 0; row < by_row.size(); ++row) {
    const auto first = output.begin() + static_cast<std::int64_t>(row) * columns;
    by_row[row] = columns - std::count(first, first + columns, poison);
  }
  return rows_short_of(by_row, columns);
}

}  // namespace tilescope
