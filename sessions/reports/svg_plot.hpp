#pragma once

#include <limits>
#include <string>
#include <vector>

#include "sessions/views/points/ladder_axis.hpp"
#include "sessions/views/points/value_axis.hpp"

namespace tilescope {

// Plots as <svg> elements. Their colours come from the classes of their shapes, which the page's style sheet
// knows (report_style.hpp). Predicted values are hollow or hatched, never like timed ones.

/// One bar of a plot with its spread.
struct PlotBar {
  std::string label;
  LadderKind kind = LadderKind::measured;
  /// A library that the others are compared with.
  bool is_reference = false;
  LadderExtent extent;
  /// Beside the bar: "41.20 µs, 1.79x".
  std::string words;
};

/// Horizontal bars under one axis.
struct BarPlot {
  /// "Speed [TFLOP/s], longer is better"
  std::string quantity;
  LadderAxis axis;
  std::vector<PlotBar> bars;
};

/// One dot of a plot.
struct PlotDot {
  /// An index into DotPlot::x.positions.
  std::size_t column = 0;
  double value = 0;
  /// NaN where the spread is not known.
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  LadderKind kind = LadderKind::measured;
};

/// Dots over the values of a parameter, with a line through the best of each value.
struct DotPlot {
  /// "Latency p50 [µs]"
  std::string quantity;
  ValueAxis x;
  LadderAxis y;
  std::vector<PlotDot> dots;
};

std::string bar_plot_svg(const BarPlot& plot);
std::string dot_plot_svg(const DotPlot& plot);

}  // namespace tilescope
