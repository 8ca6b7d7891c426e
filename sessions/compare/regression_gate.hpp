#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sessions/compare/comparison.hpp"
#include "sessions/compare/matched_points.hpp"

namespace tilescope {

/// Outcome of one experiment.
enum class GateOutcome {
  /// SLOWER, by more than is allowed.
  regressed,
  /// A point that was ok and is not any more.
  broken,
  improved,
  /// SAME, or a change that is allowed.
  unchanged,
  /// UNDECIDED: the samples overlap.
  undecided,
  /// The self-test failed: a change of 5 % would not be seen.
  cannot_decide,
};
std::string to_string(GateOutcome outcome);

/// "flash_scalar BLOCK_M=64 B1 H8 S512 D64 fp16 L4"
std::string experiment_name(const Measurement& point);

struct GatedPoint {
  /// A is the baseline, B the current point.
  Comparison comparison;
  GateOutcome outcome = GateOutcome::undecided;
  /// Why the self-test failed, in a sentence; "" where it passed.
  std::string why_not_decided;
};

struct GateReport {
  std::vector<GatedPoint> points;
  /// [1] Allowed growth of a latency: 0.02.
  double max_regression = 0;
  /// Experiments of the baseline that the current session lacks, and the reverse.
  std::vector<std::string> only_in_baseline, only_in_current;

  std::size_t count(GateOutcome outcome) const;
  bool has_regressed() const { return count(GateOutcome::regressed) + count(GateOutcome::broken) > 0; }
};

/// The factor of the self-test.
inline constexpr double self_test_factor = 1.05;

/// Why the verdict cannot be trusted on this latency: the same samples slowed down by 5 % must read SLOWER, sped up by 5 %
/// FASTER, and a copy SAME. "" where it can.
std::string why_self_test_fails(const Measurement& point);

/// Compares every experiment that both have. A point without a measured or recorded latency is not judged: a
/// prediction does not regress.
GateReport gate(const Session& baseline, const Session& current, double max_regression);

}  // namespace tilescope
