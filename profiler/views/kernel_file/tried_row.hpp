#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "profiler/service/requests/open_file.hpp"
#include "profiler/views/kernel_file/value_combinations.hpp"

namespace tilescope {

/// A point of an opened file with values in the place of others: constants of the source, or parts of the launch, by
/// LaunchGuess::what, in the order in which they are varied.
struct TriedPoint {
  ValueCombination values;
  std::shared_ptr<const OpenedPoint> point;
};

/// A tried point as a row of a table. Figures that are unknown are "".
struct TriedRow {
  /// By the order of the values.
  std::vector<std::string> values;
  /// "Correct", "Incorrect", "Not checked", "Equals matmul(A, B)", "1 fault", "Compile failed".
  std::string result;
  bool is_faulty = false;
  /// Measured where a GPU is present, else predicted: "12.3 µs (9.8 to 15.0)"; 0 where there is neither.
  std::string latency;
  double latency_us = 0, low_us = 0, high_us = 0;
  std::string conflicts, excess_sectors, registers, shared, occupancy;
  /// Why there are no figures, or the first fault, a sentence; else "".
  std::string problem;
};

/// Where entries of a compile cache are tried by their numbers: adds to each point's values those in which they differ, "" for
/// one that is unknown. Other points stay as they are.
void add_entry_values(std::vector<TriedPoint>& points);

TriedRow tried_row(const TriedPoint& tried);

/// The places of `count` rows, of which the first ones are there, by latency: faulty points after the others, then those
/// without a latency, and last those that are still to come.
std::vector<std::size_t> places_by_latency(const std::vector<TriedRow>& rows, std::size_t count);

/// "Lowest predicted latency: TILE=16, 1.23 µs (2 of 5 cannot be told from the best)", among correct results, and among
/// unchecked ones where none is known to be correct. "" without a latency, and where the points do not do the same work: their
/// buffers differ in size.
std::string fastest_words(const std::vector<TriedPoint>& points);

/// The places of the points that cannot be told from the fastest one, itself among them; empty where all are, and where
/// fastest_words() has nothing to say.
std::set<std::size_t> fastest_places(const std::vector<TriedPoint>& points);

}  // namespace tilescope
