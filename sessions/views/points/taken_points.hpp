#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "sessions/shared_measurement.hpp"

namespace tilescope {

/// The number of points of a list that a view takes in one frame: a few milliseconds, so that a session of 10,000 takes
/// ten frames.
inline constexpr std::size_t points_at_a_time = 1000;

/// How much of a list a view has taken, and whether the list is still the one that it was taken from.
class TakenPoints {
 public:
  std::size_t count() const { return count_; }
  /// False after points were removed or the list was replaced: the view then starts over.
  bool continues(const PointList& list) const {
    if (count_ == 0) return true;
    return list.size() >= count_ && list.front().get() == first_ && list[count_ - 1].get() == last_;
  }
  /// The points before `end` have been taken.
  void advance(const PointList& list, std::size_t end) {
    count_ = end;
    first_ = end == 0 ? nullptr : list.front().get();
    last_ = end == 0 ? nullptr : list[end - 1].get();
  }

 private:
  std::size_t count_ = 0;
  const Measurement* first_ = nullptr;
  const Measurement* last_ = nullptr;
};

}  // namespace tilescope
