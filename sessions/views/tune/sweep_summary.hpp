#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sessions/shared_measurement.hpp"

namespace tilescope {

/// How far a sweep is: "14 of 60 left, about 9 s"; without the time where it is not known yet.
/// `remaining_s` in seconds.
std::string sweep_progress_text(std::size_t done, std::size_t total, std::optional<double> remaining_s);
/// How fast it is: "3.2 points/s", and below one point a second "17 points/min"; "" where it is not known yet.
std::string sweep_rate_text(std::optional<double> points_per_second);

/// A sweep that has ended.
struct EndedSweep {
  std::vector<SharedMeasurement> points;
  /// How many points it would have had.
  std::size_t total = 0;
  /// Number of `points` that the session had before.
  std::size_t reused = 0;
  double elapsed_s = 0;
  /// Cancelled by the user; a sweep that gave up has fewer points than its total.
  bool cancelled = false;
  /// The parameters that it went through.
  std::vector<std::string> swept;
  std::string kernel{};
  /// Number of `reused` that were prefetched instead of being in the session before.
  std::size_t prepared = 0;
};

struct SweepSummary {
  /// "60 points: 52 correct, 3 incorrect, 5 failed to compile; 41 s"
  std::string counts;
  /// "Best: BLOCK_M=64 NUM_WARPS=8, 12.30 µs". Called the lowest latency where it is the only one, or where
  /// a comparison cannot tell others from it: "... (3 of 15 cannot be told from the best)". Where no point was timed, "Best predicted: ..." or "Lowest predicted latency: ..."; "" where none
  /// was predicted either.
  std::string fastest;
  /// nullptr where no point has either.
  SharedMeasurement fastest_point;
  /// The kernel that was swept.
  std::string kernel{};
};
SweepSummary summarize_sweep(const EndedSweep& sweep);

}  // namespace tilescope
