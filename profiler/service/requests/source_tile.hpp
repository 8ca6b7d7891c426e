#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

/// An array in shared memory as a kernel's source declares it: `__shared__ float tile[TILE][TILE + 1];`
struct SourceTile {
  /// As in RecordingSummary::arrays.
  std::string name;
  /// [B] from the start of the block's shared memory
  std::int64_t offset = 0;
  /// [B]
  std::int64_t bytes = 0;
  /// Type of an element, as written.
  std::string type;
  /// [B]
  std::int64_t element_bytes = 0;
  /// The sizes as the file has them, and their values as compiled; the outermost first.
  std::vector<std::string> sizes;
  std::vector<std::int64_t> counts;
  /// In the last of the counts, beyond the file's size: see added_columns_choice().
  std::int64_t added_columns = 0;
  /// Line of the declaration; 0 where it is not in the opened file itself.
  std::int64_t line = 0;

  /// Whether columns can be added to it, in the text that is compiled: see added_columns_choice().
  bool can_grow = false;

  std::int64_t columns() const { return counts.empty() ? 0 : counts.back(); }
  /// Rows of an array of more than one dimension; else 1.
  std::int64_t rows() const { return columns() == 0 ? 0 : bytes / element_bytes / columns(); }

  bool operator==(const SourceTile&) const = default;
};

/// The name of a choice of OpenFile and ChosenFile: "tile: added columns". Its value is a number of elements by which each
/// row of the array grows in the text that is compiled; the file stays as it is.
std::string added_columns_choice(const std::string& array);
/// The array of such a choice; "" for any other name.
std::string array_of_choice(const std::string& choice);

/// Reading throws DocumentError with the place.
void to_json(Json& json, const SourceTile& tile);
void from_json(const Json& json, SourceTile& tile);

}  // namespace tilescope
