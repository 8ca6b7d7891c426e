#pragma once

#include <string>
#include <vector>

#include "sessions/views/points/ladder.hpp"

namespace tilescope {

/// Quantity shown by the length of a ladder's bars.
enum class LadderQuantity {
  /// [TFLOP/s] longer is better
  speed,
  /// [us] p50, shorter is better
  latency,
};

/// The axis under the bars of a group.
struct LadderAxis {
  struct Tick {
    double value = 0;
    std::string label;
  };

  LadderQuantity quantity = LadderQuantity::speed;
  bool log = false;
  /// In the quantity's unit; where bars begin.
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;

  /// The place of a value, 0 at `low` to 1 at `high`, also for values beyond.
  double place(double value) const;
};

/// An axis that holds values from `smallest` to `largest`, of any quantity; a linear one begins at 0.
LadderAxis make_scaled_axis(double smallest, double largest, bool log);

/// A bar's value with the ends of its spread, ascending.
struct LadderExtent {
  double value = 0;
  double low = 0;
  double high = 0;
};
LadderExtent extent_of(const LadderBar& bar, LadderQuantity quantity);

/// An axis that holds all bars and baselines of a group; linear ones begin at 0.
LadderAxis make_ladder_axis(const LadderGroup& group, LadderQuantity quantity, bool log);

}  // namespace tilescope
