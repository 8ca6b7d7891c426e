#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/reference/attention.hpp"
#include "profiler/execution/memory/output_writes.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// The value of every byte of a result before the kernel runs: a NaN in every half, bfloat16 and float.
inline constexpr std::uint8_t poison_byte = 0xFF;

/// Rows of a result that were not written, or only partly.
struct UnwrittenRows {
  std::int64_t count = 0;
  /// Number of these rows of which some elements were written.
  std::int64_t in_part = 0;
  /// The first of them.
  std::int64_t first = 0;
  /// Rows of the result.
  std::int64_t total = 0;
};

/// "16 of 128 rows of the output were not written, the first at batch 0, head 0, query 3"; "" when all were.
std::string describe(const UnwrittenRows& rows, const Shape& shape);

/// Finds them from the stores; `written` is joined.
UnwrittenRows find_unwritten_rows(const std::vector<ElementRange>& written,
                                  const reference::AttentionSizes& sizes);
/// Finds them by the fill value that is left in the result. A kernel never computes these bits: the NaN of a GPU has
/// another sign.
UnwrittenRows find_poisoned_rows(const std::vector<std::uint16_t>& output,
                                 const reference::AttentionSizes& sizes);

/// The number of elements written in each row.
std::vector<std::int64_t> written_by_row(const std::vector<ElementRange>& written,
                                         const reference::AttentionSizes& sizes);

}  // namespace tilescope
