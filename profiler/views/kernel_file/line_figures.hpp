#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "profiler/views/code/line_heat.hpp"
#include "sessions/measurement.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// A file of an opened kernel's source with the figures of its lines.
struct LineFigures {
  /// As in SourceFile.
  std::string file;
  std::vector<std::string> lines;
  /// By HeatMetric, and by line from 0: predicted time [us], excess wavefronts, excess sectors, executed warp instructions
  /// of the whole grid, findings. HeatMetric::instructions is not among them.
  std::array<std::vector<double>, all_heat_metrics.size()> values;
  /// By line: its figures in words, a line each; "" for a line without any.
  std::vector<std::string> words;
  /// The metrics that some line has, in the order of all_heat_metrics.
  std::vector<HeatMetric> metrics;

  const std::vector<double>& of(HeatMetric metric) const { return values[static_cast<std::size_t>(metric)]; }
  double most(HeatMetric metric) const;
};

/// The files with text, the kernel's own one first, then headers that have a figure. Code that was inlined from a file
/// without text counts at the line of its call.
std::vector<LineFigures> line_figures(const Measurement& point, const SourceFile& source);

/// For a narrow column: "12.40" of times [us], "1.23 M"; "" for 0.
std::string figure_words(HeatMetric metric, double value);

}  // namespace tilescope
