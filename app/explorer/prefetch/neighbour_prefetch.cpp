#include "app/explorer/prefetch/neighbour_prefetch.hpp"

#include <utility>

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

// On battery, the frames of the window ask again: an adapter may have been plugged in.
constexpr std::chrono::seconds battery_patience{1};

}  // namespace

NeighbourPrefetch::NeighbourPrefetch(Parts parts) : parts_(parts), before_(parts.selection.experiment()) {}

void NeighbourPrefetch::enable(bool enabled) {
  if (std::exchange(enabled_, enabled) == enabled || enabled) return;
  round_ = nullptr;
  preparing_ = false;
  parts_.jobs.stop_neighbours();
}

void NeighbourPrefetch::note_move() {
  const Experiment& now = parts_.selection.experiment();
  last_move_ = slider_move(parts_.selection.kernel(), std::exchange(before_, now), now);
  round_ = nullptr;
}

NeighbourPrefetch::Center NeighbourPrefetch::center() const {
  const Experiment& here = parts_.selection.experiment();
  const auto source = parts_.kernels.sources().find(here.kernel);
  return {parts_.selection.complete(here), source == parts_.kernels.sources().end() ? "" : source->second,
          parts_.kernels.revision(), parts_.selection.device().present};
}

bool NeighbourPrefetch::has_center() const {
  const SharedMeasurement current = parts_.jobs.current_point();
  // A worker that failed at this point is not asked for more.
  return current && !is_about_the_machine(current->status) && parts_.selection.declaration_error().empty();
}

void NeighbourPrefetch::update() {
  preparing_ = false;
  if (!enabled_) return;
  if (!parts_.jobs.is_idle()) {
    was_idle_ = false;
    preparing_ = parts_.jobs.is_measuring_neighbour();
    if (round_ && !preparing_) round_->is_named = false;
    return;
  }
  if (!has_center()) return;
  if (Center now = center(); !round_ || round_->center != now) return begin_round(std::move(now));
  if (round_->is_found) go_on();
}

/// Hundreds of expressions are evaluated: not on the window's thread.
void NeighbourPrefetch::begin_round(Center center) {
  round_ = std::make_shared<Round>();
  round_->center = std::move(center);
  is_battery_used_.reset();
  parts_.background.start([this, round = round_, kernel = parts_.selection.kernel(),
                           device = parts_.selection.device(), move = last_move_] {
    auto found = std::make_shared<std::vector<Neighbour>>(
        neighbours_of(kernel, device, round->center.experiment, move));
    return [this, round, found] {
      round->neighbours = std::move(*found);
      round->is_found = true;
      parts_.notices.draw_again();
    };
  });
}

std::string NeighbourPrefetch::fatal_key(const Experiment& neighbour) const {
  return identity(neighbour) + " " + round_->center.source;
}

bool NeighbourPrefetch::is_settled(const Experiment& neighbour) const {
  return fatal_.contains(fatal_key(neighbour)) || parts_.jobs.find_known(neighbour) != nullptr;
}

void NeighbourPrefetch::ask_for_supply() {
  if (std::exchange(asks_for_supply_, true)) return;
  supply_asked_at_ = Clock::now();
  parts_.background.start([this, is_battery_used = on_battery] {
    return [this, answer = is_battery_used()] {
      asks_for_supply_ = false;
      is_battery_used_ = answer;
      if (!answer) return parts_.notices.draw_again();
      if (round_) round_->is_named = false;
      parts_.jobs.stop_neighbours();
    };
  });
}

bool NeighbourPrefetch::is_on_mains() {
  const bool knows = is_battery_used_.has_value();
  const bool is_battery = is_battery_used_.value_or(false);
  if (knows && is_battery && Clock::now() - supply_asked_at_ < battery_patience) return false;
  if (!knows || is_battery) {
    ask_for_supply();
    return false;
  }
  return true;
}

void NeighbourPrefetch::go_on() {
  if (round_->center.device_present && round_->is_named) return;
  std::size_t& next = round_->next;
  const std::vector<Neighbour>& neighbours = round_->neighbours;
  while (next < neighbours.size() && is_settled(neighbours[next].experiment)) ++next;
  const bool looks = looks_for_effects();
  if (next == neighbours.size() && !looks) return;
  // Shown as preparing between two counts and while the power supply is being read.
  preparing_ = round_->is_named && !is_battery_used_.value_or(false);
  if (!is_on_mains()) return;
  // One frame for panels to ask in: for alternatives of the point that is shown, for what they draw of it.
  const bool is_counted = !round_->center.device_present;
  const bool waits = !was_idle_ && (looks || !is_counted || !neighbours[next].is_of_last_move);
  if (is_counted && !looks && !round_->is_named) compile_rest();
  preparing_ = is_counted && !looks;
  if (waits) {
    was_idle_ = true;
    return parts_.notices.draw_again();
  }
  is_battery_used_.reset();
  if (looks) return look_for_effects();
  if (is_counted) return count_next();
  compile_rest();
}

bool NeighbourPrefetch::looks_for_effects() const {
  const bool is_next = round_->center.device_present || round_->next == round_->neighbours.size();
  const SharedMeasurement current = parts_.jobs.current_point();
  return !round_->has_effects && is_next && current && current->status == Status::ok;
}

void NeighbourPrefetch::look_for_effects() {
  round_->has_effects = true;
  parts_.jobs.add_parameter_effects([round = round_](bool found_out) { round->has_effects = found_out; });
}

void NeighbourPrefetch::compile_rest() {
  round_->is_named = true;
  std::vector<Experiment> rest;
  for (std::size_t i = round_->next; i < round_->neighbours.size(); ++i) {
    const Experiment& experiment = round_->neighbours[i].experiment;
    if (!is_settled(experiment)) rest.push_back(experiment);
  }
  parts_.jobs.prefetch_code(std::move(rest));
}

void NeighbourPrefetch::count_next() {
  const Experiment& next = round_->neighbours[round_->next].experiment;
  parts_.jobs.prefetch(Jobs::Prefetch::neighbour, next,
                       [this, round = round_, key = fatal_key(next)](const SharedMeasurement& point) {
                         if (!point) return;  // Dropped: it is asked for again once there is time.
                         if (point->status == Status::worker_lost) fatal_.insert(key);
                         // A worker that dies of one neighbour is not sacrificed for the others.
                         round->next =
                             is_about_the_machine(point->status) ? round->neighbours.size() : round->next + 1;
                       });
}

}  // namespace tilescope
