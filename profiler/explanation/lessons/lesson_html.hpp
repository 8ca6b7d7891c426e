#pragma once

#include <functional>
#include <optional>
#include <string>

#include "profiler/explanation/lessons/lesson.hpp"

namespace tilescope {

/// A panel as a handout shows it.
struct HandoutPicture {
  std::string panel;
  LessonConfiguration configuration;
  /// Place of the play head, if there is one.
  std::optional<LessonStep> step;
  /// Line of the kernel's file.
  std::optional<std::uint32_t> line;
};

/// Draws one: the text of an SVG, or "" where there is none.
using DrawHandoutPicture = std::function<std::string(const HandoutPicture&)>;

/// The lesson as a page on its own, which loads nothing: its text, the pictures of the panels that it opens and steps
/// in, and its questions with room for an answer.
std::string lesson_html(const Lesson& lesson, const DrawHandoutPicture& draw);

}  // namespace tilescope
