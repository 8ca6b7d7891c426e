#pragma once

#include "app/explorer/explorer.hpp"
#include "profiler/explanation/lessons/lesson.hpp"

namespace tilescope {

/// A block `museum` of the panel Lesson: plants a specimen, takes the lines of a repair and shows what running it gave.
void draw_museum(Explorer& explorer, const LessonMuseum& block);

}  // namespace tilescope
