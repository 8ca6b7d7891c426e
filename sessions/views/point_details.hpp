#pragma once

#include <string>
#include <vector>

#include "sessions/metrics/metric.hpp"

namespace tilescope {

/// One figure of a point with its unit, and how it came to be.
struct DetailRow {
  std::string label;
  std::string value;
  /// What the figure means; "" where the label says it.
  std::string help;
  Tone tone = Tone::plain;
};

/// Something that is wrong, in a sentence: too long for the column of figures.
struct DetailComplaint {
  std::string title;
  std::string sentence;
  bool is_fault = true;
};

/// Figures that belong together, under a heading that says where they are from.
struct DetailSection {
  std::string title;
  /// "from the compiler", "calculated", "counted by the interpreter", "measured on H200", "recorded on H200"
  std::string origin;
  std::vector<DetailRow> rows;
  /// A sentence under the figures; "" for none.
  std::string text = {};
  std::vector<DetailComplaint> complaints = {};
};

/// Everything that is known of a point, in the order in which it is read: findings, latency, memory, occupancy,
/// resources, error, provenance. A section whose figures the point does not have is left out: its notes say why. Every
/// metric that has a label has a row in the section of its source.
std::vector<DetailSection> point_details(const Measurement& point, bool recorded);

}  // namespace tilescope
