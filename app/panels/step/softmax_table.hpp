#pragma once

#include <cstdint>
#include <optional>

#include "profiler/views/step/softmax_view.hpp"

namespace tilescope {

/// The tiles of a part as a table, at most `height` [px] high; it scrolls to the tile of the play head with
/// `scroll_there`. Marks "softmax.row.I" and "softmax.now". Returns the slot of a row that was clicked.
std::optional<std::uint64_t> draw_softmax_table(const SoftmaxPart& part, float height, bool scroll_there);
/// The first elements of an output row against float64. Marks "softmax.output".
void draw_softmax_output(const SoftmaxOutput& output);

}  // namespace tilescope
