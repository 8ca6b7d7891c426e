#pragma once

#include <string>
#include <string_view>

#include "sessions/measurement.hpp"

namespace tilescope {

/// A series has at least this many samples by the rule that ends it: fewer do not make a distribution.
inline constexpr std::int64_t fewest_samples = 10;
/// [us] One tick of a timer is 1 us at worst, at both ends of a sample: of less than this it is more than 2 %.
inline constexpr double shortest_sample_us = 50;
/// Below this fraction of the default clock a GPU was waking up or throttling.
inline constexpr double least_clock_fraction = 0.75;

/// Conclusions from the samples alone, each false if unknown.
bool has_too_few_samples(const Measurement& point);
bool has_coarse_samples(const Measurement& point);
/// More samples were dropped for their clock than kept.
bool has_mostly_dropped_samples(const Measurement& point);
/// The GPU's events say that a sample took longer than the host waited for it, or much shorter.
bool has_disagreeing_clocks(const Measurement& point);

/// A short word on why the latency of a point is not to be trusted, for whatever ranks points: "few samples",
/// "coarse timer", "clock dropped", "clocks disagree", "dead parameter", "same code". "" for a point that can be
/// ranked as it is.
std::string distrust_word(const Measurement& point);
/// " (few samples)", or "".
std::string distrust_mark(const Measurement& point);

/// The word for a kind of diagnosis; "" for kinds that are not about trust.
std::string_view distrust_word_of_kind(std::string_view kind);

}  // namespace tilescope
