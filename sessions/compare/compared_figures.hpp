#pragma once

#include <string>
#include <vector>

#include "sessions/views/points/point_details.hpp"

namespace tilescope {

/// A figure of two points.
struct ComparedFigure {
  std::string label;
  /// "-" where a point does not have it.
  std::string a, b;
  /// B minus A, relative to A, as difference_words().
  std::string difference;
  /// Whether B is better; plain where that depends on what one wants.
  Tone tone = Tone::plain;
  /// The section of point_details() that it is from.
  std::string section{};
};

/// The figures of point_details() that are numbers in at least one of the points, without the figures of single lines
/// and of provenance.
std::vector<ComparedFigure> compared_figures(const Measurement& a, const Measurement& b);

/// Warp instructions by pipe, the most frequent first; empty where neither point has counts of them.
std::vector<ComparedFigure> compared_instructions(const Measurement& a, const Measurement& b);

/// A line for each figure.
std::string compared_figures_csv(const std::vector<ComparedFigure>& figures);

}  // namespace tilescope
