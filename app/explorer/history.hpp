#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sessions/experiment.hpp"

namespace tilescope {

/// The history of experiments for undo and redo. Holds at least one.
class History {
 public:
  explicit History(Experiment first) : steps_{std::move(first)} {}

  const Experiment& current() const { return steps_[position_]; }

  /// Adds a step and drops the steps to redo. An experiment equal to the current one is not a step.
  void push(Experiment experiment);
  /// While a slider is dragged, the first call adds a step and the next ones replace it until end_drag().
  void drag(Experiment experiment);
  /// A drag that returned to its start leaves no step, and the steps to redo stay.
  void end_drag();
  bool dragging() const { return drag_.has_value(); }

  bool can_undo() const { return position_ > 0; }
  bool can_redo() const { return position_ + 1 < steps_.size(); }
  void undo();
  void redo();

  /// Rewrites the current experiment without a step.
  void amend(Experiment experiment) { steps_[position_] = std::move(experiment); }
  /// Replaces everything, when a session is opened.
  void reset(Experiment first);

 private:
  /// The steps that a drag removed, for one that returns to its start.
  struct Drag {
    Experiment start;
    std::vector<Experiment> redoable;
  };

  std::vector<Experiment> steps_;
  std::size_t position_ = 0;
  std::optional<Drag> drag_;
};

}  // namespace tilescope
