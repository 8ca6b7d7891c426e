#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sessions/compare/paired_series.hpp"
#include "sessions/compare/time_difference.hpp"
#include "sessions/verdict/verdict.hpp"

namespace tilescope {

/// The kind of latencies that a comparison rests on.
enum class Basis {
  /// One GPU ran both in turns.
  interleaved,
  /// Both were timed, each by itself: in this run, or as recorded.
  apart,
  /// The model predicted both.
  predicted,
  /// They have no latencies of one kind.
  none,
};
std::string to_string(Basis basis);

/// Two points side by side. The verdict is about B.
struct Comparison {
  Measurement a, b;
  Basis basis = Basis::none;
  Verdict verdict = Verdict::undecided;
  /// Why this verdict, in a sentence.
  std::string reason;
  /// None without a basis.
  std::optional<TimeDifference> difference;
  /// Without an interval, where one side has no samples, low and high are the value's.
  std::optional<Ratio> ratio;
  bool has_interval = false;
  /// See PairedSeries::noise_floor and noise_of(); none between predictions.
  std::optional<double> noise_floor;
  /// Series of Basis::interleaved.
  std::optional<PairedSeries> series;
  /// Remarks for the reader, in sentences: different shapes, an untrusted point.
  std::vector<std::string> remarks;
};

/// Whether it is known which side is faster: by the verdict, and by the interval of the ratio where there is one.
bool is_decided(const Comparison& comparison);

/// Why two points are not comparable, in a sentence: another shape, another device. "" where they are.
std::string why_not_comparable(const Measurement& a, const Measurement& b);

/// Points that are not comparable are compared all the same, with a remark. `series` belongs to these two points.
Comparison compare(Measurement a, Measurement b, std::optional<PairedSeries> series = {});

}  // namespace tilescope
