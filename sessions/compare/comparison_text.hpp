#pragma once

#include <span>
#include <string>
#include <vector>

#include "sessions/compare/comparison.hpp"
#include "sessions/compare/side_names.hpp"

namespace tilescope {

/// Names of A, of B and of the sides after it, of comparisons with one A: each with what differs from any other side of its
/// kernel.
std::vector<std::string> side_names(std::span<const Comparison> comparisons);

/// "measured in turns", "predicted, not measured"; "" for Basis::none.
std::string basis_words(Basis basis);

/// "FASTER: B takes 12.10 µs, A 41.80 µs: 3.45 times as fast (3.40 to 3.51), predicted."
std::string verdict_sentence(const Comparison& comparison);

/// The verdict, its reason and the explanation, in one paragraph.
std::string comparison_paragraph(const Comparison& comparison);

/// One row of the parts: "bank conflicts", "-12.40 µs", "62.1 %", what the counts say. The residual and the sum come last. None where
/// no difference was decided.
struct PartRow {
  std::string name, microseconds, share, text;
};
std::vector<PartRow> part_rows(const TimeDifference& difference);

/// "1.60 to 1.66": two decimals, or as many as tell the ends of a narrow interval apart.
std::string interval_text(double low, double high);

/// How fast B is, in words.
struct SpeedText {
  /// "B is 1.63 times as fast as A", "B takes 1.63 times as long as A"; where the verdict is open only the figure:
  /// "p50(A) / p50(B) is 1.63".
  std::string speed;
  /// Interval of that figure, with 95 %: "1.60 to 1.66"; "" where none is known.
  std::string interval;
};
SpeedText speed_text(const Ratio& ratio, bool has_interval);
/// Says no more than the verdict. Only with a ratio.
SpeedText speed_text(const Comparison& comparison);

/// "62.1 %" of the whole difference, never "-0.0 %".
std::string share_words(double share);

/// [us] with its sign: "-12.40 µs", "+0.310 µs".
std::string signed_latency(double us);

}  // namespace tilescope
