#include "app/explorer/history.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace tilescope {

namespace {

// More steps than anyone undoes by hand; an experiment is about 1 kB, and a step holds up to three.
constexpr std::size_t most_steps = 10'000;

/// Collects "NAME before -> after".
class Changes {
 public:
  void compare(const std::string& name, const std::string& before, const std::string& after) {
    if (before == after) return;
    ++count_;
    last_ = fmt::format("{} {} -> {}", name, before, after);
  }
  std::string text() const { return count_ < 2 ? last_ : fmt::format("{} settings", count_); }

 private:
  int count_ = 0;
  std::string last_;
};

void compare_shapes(const Shape& before, const Shape& after, Changes& changes) {
  const auto compare = [&](const char* name, std::int64_t Shape::*size) {
    changes.compare(name, std::to_string(before.*size), std::to_string(after.*size));
  };
  compare("B", &Shape::B);
  compare("Hq", &Shape::Hq);
  compare("Hkv", &Shape::Hkv);
  compare("Sq", &Shape::Sq);
  compare("Sk", &Shape::Sk);
  compare("D", &Shape::D);
  changes.compare("dtype", to_string(before.dtype), to_string(after.dtype));
  changes.compare("causal", before.causal ? "on" : "off", after.causal ? "on" : "off");
}

}  // namespace

std::string change_between(const Experiment& before, const Experiment& after) {
  // Another kernel has other parameters: they are not worth counting.
  if (before.kernel != after.kernel) return fmt::format("kernel {} -> {}", before.kernel, after.kernel);
  Changes changes;
  for (const auto& [name, value] : after.parameters) {
    const auto found = before.parameters.find(name);
    changes.compare(name, found == before.parameters.end() ? "default" : to_string(found->second),
                    to_string(value));
  }
  compare_shapes(before.shape, after.shape, changes);
  const auto device_name = [](const Experiment& experiment) {
    return experiment.device.empty() ? "default" : experiment.device;
  };
  changes.compare("device", device_name(before), device_name(after));
  changes.compare("blocks", to_string(before.blocks), to_string(after.blocks));
  return changes.text();
}

std::string change_between(const Choices& before, const Choices& after) {
  const std::string text = change_between(before.experiment, after.experiment);
  return text.empty() ? change_between(before.sides, after.sides) : text;
}

void History::push(Choices choices) {
  end_drag();
  if (choices == steps_[position_]) return;
  steps_.resize(position_ + 1);
  steps_.push_back(std::move(choices));
  if (steps_.size() > most_steps) steps_.erase(steps_.begin());
  position_ = steps_.size() - 1;
}

void History::drag(Choices choices) {
  if (drag_) {
    steps_[position_] = std::move(choices);
    return;
  }
  if (choices == steps_[position_]) return;
  const auto after = steps_.begin() + static_cast<std::ptrdiff_t>(position_) + 1;
  drag_ = Drag{steps_[position_], {std::make_move_iterator(after), std::make_move_iterator(steps_.end())}};
  steps_.erase(after, steps_.end());
  steps_.push_back(std::move(choices));
  ++position_;
}

void History::end_drag() {
  if (!drag_) return;
  const Drag drag = *std::exchange(drag_, std::nullopt);
  if (!(steps_[position_] == drag.start)) return;
  steps_.pop_back();
  --position_;
  steps_.insert(steps_.end(), drag.redoable.begin(), drag.redoable.end());
}

void History::amend_sides(const std::function<void(SideChoices&)>& amend) {
  end_drag();
  for (Choices& step : steps_) amend(step.sides);
  drop_equal_steps();
}

void History::drop_equal_steps() {
  std::vector<Choices> kept;
  kept.reserve(steps_.size());
  std::size_t position = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (kept.empty() || !(kept.back() == steps_[i])) kept.push_back(std::move(steps_[i]));
    if (i == position_) position = kept.size() - 1;
  }
  steps_ = std::move(kept);
  position_ = position;
}

void History::undo() {
  end_drag();
  if (can_undo()) --position_;
}

void History::redo() {
  end_drag();
  if (can_redo()) ++position_;
}

std::string History::undo_text() const {
  return can_undo() ? change_between(steps_[position_ - 1], steps_[position_]) : "";
}

std::string History::redo_text() const {
  return can_redo() ? change_between(steps_[position_], steps_[position_ + 1]) : "";
}

void History::reset(Experiment first) {
  drag_.reset();
  steps_ = {Choices{std::move(first), SideChoices(sides())}};
  position_ = 0;
}

}  // namespace tilescope
