#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sessions/experiment.hpp"

namespace tilescope {

/// What differs, in a few words: "BLOCK_M 32 -> 64", "kernel tiled -> mma", "3 settings"; "" where nothing does.
std::string change_between(const Experiment& before, const Experiment& after);

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
  /// The change that undo() takes back, and the one that redo() makes again; "" for none.
  std::string undo_text() const;
  std::string redo_text() const;

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
