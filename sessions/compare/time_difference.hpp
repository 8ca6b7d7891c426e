#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// Contribution of one part of the predicted times to a difference of latencies.
struct DifferencePart {
  /// "bank conflicts", as in Prediction::parts.
  std::string name;
  /// [us] B's part minus A's: below 0 where B takes less.
  double microseconds = 0;
  /// Share of the whole difference: above 0 where the part goes the same way. None where there is no difference.
  std::optional<double> share;
  /// The counts' explanation of it, see CountReason; "" if they explain nothing.
  std::string text;
  /// In the kernel's file.
  std::vector<std::int64_t> lines;

  bool operator==(const DifferencePart&) const = default;
};

/// The way from A's latency to B's: a_us + all parts + residual_us = b_us.
struct TimeDifference {
  /// [us] The two latencies that are compared.
  double a_us = 0, b_us = 0;
  /// In the model's order, without those that take no time in either.
  std::vector<DifferencePart> parts;
  /// [us] Part of a measured difference that the model does not explain: never spread over the parts.
  double residual_us = 0;
  /// Why there are no parts, in a sentence; "" where there are.
  std::string why_no_parts;

  double microseconds() const { return b_us - a_us; }
  bool operator==(const TimeDifference&) const = default;
};

TimeDifference time_difference(const Measurement& a, const Measurement& b, double a_us, double b_us);

/// Into TimeDifference::parts, the largest time first.
std::vector<std::size_t> parts_by_size(const TimeDifference& difference);

}  // namespace tilescope
