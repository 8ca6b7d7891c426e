#pragma once

#include <cstdint>
#include <vector>

#include "kernels/reference/attention.hpp"
#include "profiler/measure/interpret/unwritten_rows.hpp"

namespace tilescope {

/// How a result compares with its reference, on the host or on the GPU.
struct ResultCheck {
  reference::Comparison comparison;
  /// Searched for in all rows, also where the reference has only some.
  UnwrittenRows unwritten;
  /// Rows of the reference.
  std::int64_t rows_checked = 0;

  bool is_correct() const { return comparison.within && unwritten.count == 0; }
};

/// On the host. `output` is the whole result, filled with poison_byte before the kernel ran.
inline ResultCheck check_result(const reference::AttentionReference& reference,
                                const reference::AttentionSizes& sizes,
                                const std::vector<std::uint16_t>& output) {
  return {reference::compare(reference, sizes, output), find_poisoned_rows(output, sizes),
          static_cast<std::int64_t>(reference.rows.size())};
}

}  // namespace tilescope
