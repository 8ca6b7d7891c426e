#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiler/explanation/lessons/lesson.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// How a check runs the blocks of a lesson.
struct LessonRuns {
  std::function<Measurement(const LessonConfiguration& configuration, bool runs_checkers, bool is_measured)>
      point;
  /// Runs a specimen with the checkers.
  std::function<Measurement(const std::string& source, const LessonConfiguration& configuration)> specimen;
  /// The text of a kernel's file.
  std::function<std::string(const std::string& kernel)> source;
  /// Why a step cannot be made, a sentence; "" where the play head gets there.
  std::function<std::string(const LessonConfiguration& configuration, const LessonStep& step)> step;
};

/// One thing that is wrong in a lesson, or that could not be looked at.
struct LessonRemark {
  /// In the file, from 1.
  std::size_t line = 0;
  std::string text;

  bool operator==(const LessonRemark&) const = default;
};

struct LessonCheck {
  std::size_t blocks = 0, questions = 0;
  std::vector<LessonRemark> faults;
  /// The answer to each question that was judged, by its id.
  std::vector<std::pair<std::string, double>> answers;
  /// Questions about latencies where there is no GPU.
  std::vector<LessonRemark> not_checked;
};

/// Runs every block, judges each question's own answer and its `sample_wrong`, and looks for what links name.
/// `panels` are the ids of the panels.
LessonCheck check_lesson(const Lesson& lesson, const std::set<std::string>& panels, const LessonRuns& runs);

}  // namespace tilescope
