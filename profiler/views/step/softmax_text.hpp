#pragma once

#include <cstddef>
#include <string>

#include "profiler/views/step/softmax_view.hpp"

/// The sentences of softmax_view.
namespace tilescope {

/// -inf where all are masked, NaN where none is named.
double largest_score(const RowTile& tile);
/// value_words; "-" for NaN, as of a value that no probe names.
std::string value_or_dash(double value);
/// Effect of a tile on m, l and the output. `before` is nullptr for the first.
std::string tile_text(const RowTile& tile, const RowTile* before, std::size_t number);
NaiveSoftmax naive_softmax(const StepRowHistory& history);

}  // namespace tilescope
