#pragma once

#include <span>
#include <string>
#include <vector>

#include "sessions/compare/comparison.hpp"

namespace tilescope {

/// A and up to five others beside it, each compared with A: rows of figures. The first row has the names.
struct ComparisonTable {
  /// "" for the labels, then "A", "B", "C" ...
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// Verdict, ratio, latency and the figures of compared_figures(). All comparisons have the same A.
ComparisonTable comparison_table(std::span<const Comparison> comparisons);

/// A line for each comparison in numbers: what is compared, latencies [us], ratio, interval, noise floor, verdict, and a
/// column [us] for every part, the residual last.
std::string comparison_csv(std::span<const Comparison> comparisons);

}  // namespace tilescope
