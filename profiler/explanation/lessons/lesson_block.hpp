#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "profiler/explanation/lessons/lesson.hpp"

namespace tilescope {

/// A fenced block of a lesson that the program runs.
struct LessonBlock {
  /// "configure", "open", "step", "question"
  std::string kind;
  /// JSON
  std::string text;
  /// Line of the fence.
  std::size_t line = 0;
};

/// Reads it. `in_force` is the configuration that the text has set so far, and is set by a block `configure`.
/// An unreadable block becomes a LessonProblem with the line of the mistake.
LessonElement read_lesson_block(const LessonBlock& block, std::optional<LessonConfiguration>& in_force);

}  // namespace tilescope
