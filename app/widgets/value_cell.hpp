#pragma once

#include <string>

#include "app/widgets/parameter_slider.hpp"

namespace tilescope {

/// A slider as high as a line, for tables: the value, and below it a place for each value that the parameter may take.
/// Dragged, clicked on a place, or moved with left and right while it has the keyboard focus. An invalid value is
/// crossed out and cannot be chosen; its tooltip has the reason. `id` is unique in its window; marks "ID" and
/// "ID.VALUE" for tests. `is_marked` makes the text stand out.
SliderAction value_cell(const std::string& id, const SliderView& slider, bool is_marked);

}  // namespace tilescope
