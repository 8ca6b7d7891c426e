#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/compare/side_choice.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// The difference in a few words: "BLOCK_M 32 -> 64", "kernel tiled -> mma", "3 settings"; "" if they are
/// equal.
std::string change_between(const Experiment& before, const Experiment& after);

/// The user's choices: the configuration under the sliders, and the two sides of the comparison.
struct Choices {
  Experiment experiment;
  /// Nothing is A, and B follows the sliders.
  SideChoices sides{SideChoice{}, SideChoice{SideChoice::Kind::sliders}};

  bool operator==(const Choices&) const = default;
};
/// The difference between the experiments, or between the sides if the experiments are equal.
std::string change_between(const Choices& before, const Choices& after);

/// The history of choices for undo and redo. Holds at least one.
class History {
 public:
  explicit History(Experiment first) : steps_{Choices{std::move(first)}} {}

  const Experiment& current() const { return steps_[position_].experiment; }
  const SideChoices& sides() const { return steps_[position_].sides; }

  /// Adds a step and drops the steps to redo. Choices equal to the current ones are not a step.
  void push(Choices choices);
  /// With the sides as they are.
  void push(Experiment experiment) { push(Choices{std::move(experiment), sides()}); }
  /// While a slider is dragged, the first call adds a step and the next ones replace it until end_drag().
  void drag(Choices choices);
  void drag(Experiment experiment) { drag(Choices{std::move(experiment), sides()}); }
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
  void amend(Experiment experiment) { steps_[position_].experiment = std::move(experiment); }
  /// Rewrites the sides of every step: what they name is gone. Steps that are then equal to the one before are dropped.
  void amend_sides(const std::function<void(SideChoices&)>& amend);
  /// Replaces everything, when a session is opened; the sides stay.
  void reset(Experiment first);

 private:
  /// The steps that a drag removed, for one that returns to its start.
  struct Drag {
    Choices start;
    std::vector<Choices> redoable;
  };

  void drop_equal_steps();

  std::vector<Choices> steps_;
  std::size_t position_ = 0;
  std::optional<Drag> drag_;
};

}  // namespace tilescope
