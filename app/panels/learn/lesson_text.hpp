#pragma once

#include <optional>
#include <string>

#include "profiler/explanation/lessons/lesson.hpp"

namespace tilescope {

/// A heading, a paragraph, a list, a table or code, wrapped at the right edge of the panel. Returns the file of another
/// lesson whose link was clicked.
std::optional<std::string> draw_lesson_text(const LessonElement& element);

}  // namespace tilescope
