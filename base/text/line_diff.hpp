#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

enum class DiffKind {
  same,
  /// Machine code that is equal but for the numbers of registers, predicates and labels. A line of a source that is
  /// equal, but names a macro whose value differs.
  renamed,
  /// In the left text alone.
  removed,
  /// In the right text alone.
  added,
};

/// A line of both texts, or of one.
struct DiffRow {
  DiffKind kind = DiffKind::same;
  /// Counted from 0; none where the line is in the other text alone.
  std::optional<std::uint32_t> left, right;
};

/// Compares two texts line by line: rows that are the same, removed or added. In order; where the texts differ first
/// what is in the left one, then what is in the right one.
std::vector<DiffRow> line_diff(const std::vector<std::string>& left, const std::vector<std::string>& right);

/// Whether a row is in one text alone.
inline bool is_one_sided(DiffKind kind) {
  return kind == DiffKind::removed || kind == DiffKind::added;
}

}  // namespace tilescope
