#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/explanation/diagnose/parameter_change.hpp"
#include "profiler/explanation/tries/found_layouts.hpp"

namespace tilescope {

/// A layout of one tile in which its accesses take fewer wavefronts. All figures are of one block.
struct LayoutAnswer {
  std::string tile;
  /// "pad 16 B", "swizzle 3 bits, base 4, shift 3"
  std::string layout;
  /// "Swizzle<3, 4, 3> on bytes, Swizzle<3, 3, 3> on elements"; "" where CuTe has no name for it.
  std::string swizzle;
  /// See index_expression; "" where there is none.
  std::string index;
  /// Wavefronts now, the fewest that the accesses need, and with the layout as the solver promises them.
  std::int64_t before = 0, minimum = 0, promised = 0;
  /// The change of the kernel that has this layout; none where it has none.
  std::optional<ParameterChange> change{};
  /// The declaration of a file's array with this padding, and the columns that it adds; "" for another layout, and where
  /// the source declares no such array.
  std::string declaration{};
  std::int64_t added_columns = 0;
  /// [elements] A row that nothing declares, from the distance between lanes: `index` takes row = i / row_elements and
  /// column = i % row_elements; 0 where rows are declared or not named.
  std::int64_t row_elements = 0;
  /// Whether the layout is one for a file's kernel, which has no parameters.
  bool is_of_file = false;
  /// Wavefronts of the tile as a block of that change executed them; none until it is recorded.
  std::optional<std::int64_t> counted{};

  bool operator==(const LayoutAnswer&) const = default;
};

/// Tiles of the block that have conflicts to speak of, the worst first: at most four.
std::vector<std::string> conflicting_tiles(const FoundLayouts& found);

/// Layouts that take fewer wavefronts than the present one, by the solver's rank: the best padding, the best swizzle, the
/// best of all, and those that the kernel has.
std::vector<LayoutAnswer> layout_answers(const FoundLayouts& found);

/// The array that a file's source declares under the tile's name; nullptr where there is none.
const SourceTile* source_tile(const FoundLayouts& found);
/// The columns that a layout adds to each row of the array that a file's source declares; none where it has no such array,
/// and where the layout is more than a padding.
std::optional<std::int64_t> added_columns(const FoundLayouts& found, std::size_t layout);

/// One layout in words, for all tiles that it repairs.
struct LayoutWords {
  /// "swizzle 3 bits, base 4, shift 3: SMEM_LAYOUT=xor_swizzle"
  std::string layout;
  /// "K: 4,224 wavefronts instead of 32,896, as promised and counted"
  std::vector<std::string> tiles;
  /// See LayoutAnswer.
  std::string swizzle, index;
};
std::vector<LayoutWords> words_of(const std::vector<LayoutAnswer>& answers);

/// As sessions/schema.json has it.
void to_json(Json& json, const LayoutAnswer& answer);

}  // namespace tilescope
