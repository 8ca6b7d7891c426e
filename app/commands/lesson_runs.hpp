#pragma once

#include <map>
#include <string>

#include "profiler/explanation/lessons/lesson_check.hpp"
#include "profiler/explanation/lessons/lesson_html.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/service/client/client.hpp"

namespace tilescope {

/// Runs the blocks of lessons with one worker, each configuration once.
class LessonRunner {
 public:
  /// `device`: for which GPU; "" for this machine's, or the L4 without one.
  LessonRunner(const Installation& installation, std::string device);

  /// Throws WrongUsage for a device that is not known.
  LessonRuns runs();
  /// A panel of a configuration as an SVG, by the window's program. Throws CannotRun.
  std::string draw(const HandoutPicture& picture);

 private:
  const Measurement& point(const LessonConfiguration& configuration, bool runs_checkers, bool is_measured);
  Measurement specimen(const std::string& source, const LessonConfiguration& configuration);
  std::string step(const LessonConfiguration& configuration, const LessonStep& step);
  /// A kernel as the lesson names it, with all of its parameters.
  Experiment complete_experiment(const LessonConfiguration& configuration) const;

  Installation installation_;
  std::string device_;
  Catalogue catalogue_;
  Client client_;
  /// By the experiment as JSON, and what ran.
  std::map<std::string, Measurement> points_;
};

}  // namespace tilescope
