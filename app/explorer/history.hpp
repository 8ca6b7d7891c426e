#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sessions/experiment.hpp"

namespace tilescope {

/// The experiments that the sliders went through: undo and redo. Holds at least one.
class History {
 public:
  explicit History(Experiment first) : steps_{std::move(first)} {}

  const Experiment& current() const { return steps_[position_]; }

  /// One step; drops what could have been redone. An experiment equal to the current one is no step.
  void push(Experiment experiment);
  /// While a slider is dragged: the first call is a step, the next ones replace it until end_drag().
  void drag(Experiment experiment);
  /// A drag that came back to where it began leaves no step, and what could be redone stays redoable.
  void end_drag();
  bool dragging() const { return drag_.has_value(); }

  bool can_undo() const { return position_ > 0; }
  bool can_redo() const { return position_ + 1 < steps_.size(); }
  void undo();
  void redo();

  /// The current experiment as it now has to be written: no step of the person's.
  void amend(Experiment experiment) { steps_[position_] = std::move(experiment); }
  /// Replaces everything: a session was opened.
  void reset(Experiment first);

 private:
  /// What a drag took away, for one that ends where it began.
  struct Drag {
    Experiment start;
    std::vector<Experiment> redoable;
  };

  std::vector<Experiment> steps_;
  std::size_t position_ = 0;
  std::optional<Drag> drag_;
};

}  // namespace tilescope
