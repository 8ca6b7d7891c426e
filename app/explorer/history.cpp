#include "app/explorer/history.hpp"

#include <iterator>
#include <utility>

namespace tilescope {

namespace {

// More steps than anyone undoes by hand; an experiment is about 1 kB.
constexpr std::size_t most_steps = 10'000;

}  // namespace

void History::push(Experiment experiment) {
  end_drag();
  if (experiment == current()) return;
  steps_.resize(position_ + 1, current());
  steps_.push_back(std::move(experiment));
  if (steps_.size() > most_steps) steps_.erase(steps_.begin());
  position_ = steps_.size() - 1;
}

void History::drag(Experiment experiment) {
  if (drag_) {
    steps_[position_] = std::move(experiment);
    return;
  }
  if (experiment == current()) return;
  const auto after = steps_.begin() + static_cast<std::ptrdiff_t>(position_) + 1;
  drag_ = Drag{current(), {std::make_move_iterator(after), std::make_move_iterator(steps_.end())}};
  steps_.erase(after, steps_.end());
  steps_.push_back(std::move(experiment));
  ++position_;
}

void History::end_drag() {
  if (!drag_) return;
  const Drag drag = *std::exchange(drag_, std::nullopt);
  if (!(current() == drag.start)) return;
  steps_.pop_back();
  --position_;
  steps_.insert(steps_.end(), drag.redoable.begin(), drag.redoable.end());
}

void History::undo() {
  end_drag();
  if (can_undo()) --position_;
}

void History::redo() {
  end_drag();
  if (can_redo()) ++position_;
}

void History::reset(Experiment first) {
  drag_.reset();
  steps_ = {std::move(first)};
  position_ = 0;
}

}  // namespace tilescope
