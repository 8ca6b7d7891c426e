#pragma once

#include "app/widgets/parameter_slider.hpp"

namespace tilescope {

/// Both in pixels, to place them.
float sweep_pill_height();
float sweep_pills_width(const SliderView& slider);

/// A pill that takes a parameter into the sweep and, while it is part of it, one that says how many of its values are
/// ("3 of 5") and opens a list to choose them. Marks "vary.NAME", "vary.NAME.values" and, in the list, "vary.NAME.all",
/// "vary.NAME.none" and "vary.NAME.VALUE".
SweepAction sweep_pills(const SliderView& slider);

}  // namespace tilescope
