#include "app/explorer/history.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace tilescope {

namespace {

// More steps than anyone undoes by hand; an experiment is about 1 kB.
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

std::string History::undo_text() const {
  return can_undo() ? change_between(steps_[position_ - 1], current()) : "";
}

std::string History::redo_text() const {
  return can_redo() ? change_between(current(), steps_[position_ + 1]) : "";
}

void History::reset(Experiment first) {
  drag_.reset();
  steps_ = {std::move(first)};
  position_ = 0;
}

}  // namespace tilescope
