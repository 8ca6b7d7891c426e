#pragma once

#include <set>
#include <string>

#include "app/explorer/board.hpp"
#include "app/explorer/compare/side_choice.hpp"
#include "profiler/service/client/point_store.hpp"

namespace tilescope {

class ComparisonPair;

/// The point that panels show in full, a second one beside it, and the last one that was removed.
class ShownPoint {
 public:
  explicit ShownPoint(Board& board);

  /// The one that was clicked, else that under the sliders; nullptr while that is being made.
  SharedMeasurement point() const;
  /// Whether that is not the point under the sliders.
  bool is_another() const { return shown_ != nullptr; }
  /// A click on a point, anywhere. The sliders go to a point of the open session that is of the chosen device. A
  /// recorded one, or one of another device, is shown as it is; sliders and device stay.
  void show(const SharedMeasurement& point);
  /// A point as it is; the sliders stay. Under the sliders there may be a newer point of the same configuration.
  void show_as_it_is(const SharedMeasurement& point);
  /// Back to the point under the sliders.
  void stop();
  /// The sliders take the kernel, the configuration and the shape of a point; the device stays. Undoable.
  void go_to(const Measurement& point);

  /// A second point, to be shown beside the first; nullptr for none. It ends when another kernel is chosen. It is also
  /// side A of the comparison, with the sliders as B, until another side is chosen there.
  SharedMeasurement compared() const { return compared_; }
  void compare_with(const SharedMeasurement& point);

  /// Takes it out of the open session, and offers to take that back. Not a recorded one.
  void remove(const SharedMeasurement& point);
  /// Until something else is done, undo brings a removed point back.
  bool can_restore() const { return removed_ != nullptr; }
  void restore();
  void forget_removed() { removed_ = nullptr; }

  /// The selection changed.
  void take_move();
  /// Another session is open: nothing of the former one is shown.
  void take_session();
  /// Recorded sessions were closed.
  void drop_closed();

 private:
  bool is_gone(const SharedMeasurement& point) const;
  void drop_sides();

  Board::Parts parts_;
  ComparisonPair& comparison_;
  SharedMeasurement shown_;
  SharedMeasurement compared_;
  SharedMeasurement removed_;
  /// From the open session, and not yet brought back.
  std::set<SharedMeasurement> taken_out_;
  /// Experiment under the sliders when the comparison began.
  std::string compared_from_;
};

}  // namespace tilescope
