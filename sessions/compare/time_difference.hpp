#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sessions/compare/part_causes.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Contribution of one part of the predicted times to a difference of latencies.
struct DifferencePart {
  /// "bank conflicts", as in Prediction::parts.
  std::string name;
  /// [us] B's part minus A's: below 0 where B takes less.
  double microseconds = 0;
  /// Share of the whole difference: above 0 where the part goes the same way. None where shares say nothing, see
  /// TimeDifference::has_shares.
  std::optional<double> share;
  /// The counts' explanation of it, see CountReason; "" if they explain nothing.
  std::string text;
  /// In the kernel's file.
  std::vector<std::int64_t> lines;
  /// Whether the side that spends more on it says what it would take without causes: then it is a cause of the difference
  /// only if one of them carries it.
  bool is_tested = false;
  /// None where no counterfactual carries it.
  std::optional<CarryingCause> carrying{};

  /// "A" or "B": the side that spends more on it.
  const char* side() const { return microseconds < 0 ? "A" : "B"; }
  bool operator==(const DifferencePart&) const = default;
};

/// A part, or a cause, below this share of the difference is left to the table.
inline constexpr double notable_part_share = 0.1;

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
  /// Whether it is known which side is faster. If not, the parts have no shares and no reasons.
  bool is_decided = false;
  /// Whether the parts' shares explain the difference: not where the residual is more than a third of it, and not where
  /// the parts mostly cancel each other.
  bool has_shares = false;

  /// Whether the residual is at most a third of the difference.
  bool is_explained() const;
  double microseconds() const { return b_us - a_us; }
  bool operator==(const TimeDifference&) const = default;
};

TimeDifference time_difference(const Measurement& a, const Measurement& b, double a_us, double b_us,
                               bool is_decided);

/// Into TimeDifference::parts, the largest time first.
std::vector<std::size_t> parts_by_size(const TimeDifference& difference);

}  // namespace tilescope
