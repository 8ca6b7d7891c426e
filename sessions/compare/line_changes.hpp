#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sessions/compare/comparison.hpp"
#include "sessions/source_file.hpp"
#include "sessions/views/code/line_excerpt.hpp"

namespace tilescope {

/// A source line and its predicted time on both sides, 0 where it is not executed.
struct LineChange {
  /// As in LineTime; none on a side whose source does not have the line.
  std::optional<std::int64_t> line_a, line_b;
  std::string inlined_place;
  /// [us]
  double a_us = 0, b_us = 0;
  /// "" for the kernel's own file, of each side.
  std::string file{};

  double microseconds() const { return b_us - a_us; }
  /// B's, or A's where B does not have it.
  std::int64_t line() const { return line_b ? *line_b : line_a.value_or(0); }
  bool operator==(const LineChange&) const = default;
};

/// "120", "element.cuh:84" of another file; "A:5" for a line of A's source alone, "5 > 7" for one that has moved; "-" where the line is not
/// known.
std::string place_text(const LineChange& change);

/// Lines whose predicted time differs by a notable part of the latency, the largest difference first.
struct LineChanges {
  std::vector<LineChange> lines;
  /// Why none is shown, in a sentence; "" where some are, and where it is not said.
  std::string why_none;
};

/// The sides' sources, nullptr where they are not known.
struct SideSources {
  const SourceFile* a = nullptr;
  const SourceFile* b = nullptr;
};

/// The sources for one of several comparisons; not known where the list does not reach to it.
SideSources sources_at(std::span<const SideSources> sources, std::size_t comparison);

/// Needs a difference that is decided and goes the way that the model predicts, and the times of lines on both sides. Lines
/// of different sources are matched by their texts without white space, where both are known: in their order, as a diff
/// does, and then those that were moved to another place.
LineChanges line_changes(const Comparison& comparison, const SideSources& sources = {});
/// The text of the line, of B's source where it has the line, cut as line_excerpt() does; "" where it is not known.
std::string line_text(const LineChange& change, const SideSources& sources,
                      std::size_t columns = columns_of_excerpt);

}  // namespace tilescope
