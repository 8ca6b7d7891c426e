#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sessions/compare/comparison.hpp"

namespace tilescope {

/// One bar on the way from A's time to B's.
struct WaterfallBar {
  enum class Kind { side_a, part, others, residual, side_b };
  Kind kind = Kind::part;
  /// "A", "bank conflicts", "others", "residual", "B"
  std::string name;
  /// [us] Where it begins and ends: of a side from 0, of a part from where the parts before it end. It ends before it
  /// begins where B takes less.
  double from_us = 0, to_us = 0;
  /// "62.1 %" of the whole difference; "" of a side, and where shares say nothing.
  std::string share;
  /// The counts' explanation of a part; "" if they explain nothing.
  std::string text;
  /// In the kernel's file.
  std::vector<std::int64_t> lines;
  /// Parts that `others` sums up: "launch +0.020 µs".
  std::vector<std::string> summed;

  double change_us() const { return to_us - from_us; }
};

/// The parts of a difference as bars, each beginning where the one before it ends. All times in [us].
struct Waterfall {
  /// A first, B last.
  std::vector<WaterfallBar> bars;
  /// Range of the axis. It begins above 0 if the difference is small beside the times.
  double begin_us = 0, end_us = 1;
  /// The interval of the ratio as one of B's time; B's time twice where there is none.
  double b_low_us = 0, b_high_us = 0;
  std::vector<double> ticks;
};

/// Parts below this share of the longer time are one bar, `others`.
inline constexpr double least_part_share = 0.005;

/// Without bars where the comparison has no difference; the sides alone where it was not decided.
Waterfall waterfall(const Comparison& comparison);

/// A line for each bar: its name, where it begins and ends [us], its change, its share and what the counts say.
std::string waterfall_csv(const Waterfall& waterfall);

}  // namespace tilescope
