#include "app/explorer/points/shown_point.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/explorer/compare/comparison_pair.hpp"

namespace tilescope {

ShownPoint::ShownPoint(Board& board) : parts_(board.parts), comparison_(board.get<ComparisonPair>()) {}

SharedMeasurement ShownPoint::point() const {
  return shown_ ? shown_ : parts_.jobs.current_point();
}

void ShownPoint::show(const SharedMeasurement& point) {
  const bool is_here = !parts_.points.is_recorded(point) &&
                       point->device.name == parts_.selection.device().name &&
                       parts_.kernels.find(point->kernel) != nullptr;
  if (is_here) parts_.selection.select_point(*point);
  show_as_it_is(point);
}

void ShownPoint::show_as_it_is(const SharedMeasurement& point) {
  shown_ = parts_.jobs.current_point() == point ? nullptr : point;
  parts_.notices.draw_again();
}

void ShownPoint::stop() {
  shown_ = nullptr;
  parts_.notices.draw_again();
}

void ShownPoint::go_to(const Measurement& point) {
  Measurement here = point;
  here.device.name = parts_.selection.device().name;
  parts_.selection.select_point(here);
  stop();
}

void ShownPoint::compare_with(const SharedMeasurement& point) {
  if (point) {
    comparison_.choose_against_sliders(point);
  } else if (compared_ && comparison_.choice(Side::a).point == compared_) {
    comparison_.clear(Side::a);
  }
  compared_ = point;
  compared_from_ = parts_.selection.kernel().name;
  parts_.notices.draw_again();
}

void ShownPoint::remove(const SharedMeasurement& point) {
  if (parts_.points.is_recorded(point) || !parts_.points.remove(point)) return;
  if (shown_ == point) shown_ = nullptr;
  if (compared_ == point) compared_ = nullptr;
  drop_sides();
  parts_.jobs.drop(point);
  removed_ = point;
  // Nothing where another session is open by now, or the point was brought back in another way.
  parts_.notices.offer("1 point removed from the session.", "Undo", [this, point] {
    if (taken_out_.contains(point)) parts_.points.restore(point);
    if (removed_ == point) removed_ = nullptr;
    taken_out_.erase(point);
  });
  taken_out_.insert(point);
}

void ShownPoint::restore() {
  if (!removed_) return;
  taken_out_.erase(removed_);
  parts_.points.restore(std::exchange(removed_, nullptr));
}

void ShownPoint::take_move() {
  shown_ = nullptr;
  removed_ = nullptr;
  if (parts_.selection.kernel().name != compared_from_) compared_ = nullptr;
}

void ShownPoint::take_session() {
  shown_ = nullptr;
  compared_ = nullptr;
  removed_ = nullptr;
  taken_out_.clear();
  drop_sides();
}

void ShownPoint::drop_closed() {
  if (shown_ && is_gone(shown_)) shown_ = nullptr;
  if (compared_ && is_gone(compared_)) compared_ = nullptr;
  drop_sides();
  parts_.notices.draw_again();
}

bool ShownPoint::is_gone(const SharedMeasurement& point) const {
  const std::vector<SharedMeasurement>& own = parts_.points.list();
  return !parts_.points.is_recorded(point) && std::find(own.begin(), own.end(), point) == own.end();
}

void ShownPoint::drop_sides() {
  comparison_.drop_points([this](const SharedMeasurement& point) { return is_gone(point); });
}

}  // namespace tilescope
