#include "sessions/reports/svg_plot.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tilescope {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

BarPlot two_bars() {
  BarPlot plot;
  plot.quantity = "Speed";
  plot.axis = make_scaled_axis(10, 100, false);
  plot.bars = {{"a <kernel>", LadderKind::measured, false, {100, 95, 103}, "1 us"},
               {"b", LadderKind::predicted, false, {50, 50, 50}, "2 us predicted"}};
  return plot;
}

TEST(BarPlot, DrawsPredictedBarsUnlikeMeasuredOnes) {
  const std::string svg = bar_plot_svg(two_bars());
  EXPECT_EQ(count_of(svg, "class=\"bar measured\""), 1U);
  EXPECT_EQ(count_of(svg, "class=\"bar predicted\""), 1U);
  EXPECT_EQ(count_of(svg, "class=\"spread\""),
            3U);  // The one bar that has a spread: a line with two ends.
}

TEST(BarPlot, EscapesNamesAndShortensLongOnes) {
  BarPlot plot = two_bars();
  plot.bars[1].label = std::string(60, 'x');
  const std::string svg = bar_plot_svg(plot);
  EXPECT_EQ(svg.find("<kernel>"), std::string::npos);
  EXPECT_NE(svg.find("a &lt;kernel&gt;"), std::string::npos);
  EXPECT_NE(svg.find(std::string(33, 'x') + "…</text>"), std::string::npos);
  EXPECT_NE(svg.find(std::string(60, 'x') + ": 2 us predicted</title>"), std::string::npos);
}

TEST(BarPlot, LengthsFollowTheValues) {
  const std::string svg = bar_plot_svg(two_bars());
  const auto width_of = [&](const std::string& kind) {
    const std::size_t end = svg.find("class=\"bar " + kind);
    const std::size_t from = svg.rfind("width=\"", end) + 7;
    return std::stod(svg.substr(from));
  };
  EXPECT_NEAR(width_of("measured") / width_of("predicted"), 2, 0.01);
}

TEST(DotPlot, HasADotForEachPointAndALineThroughTheBest) {
  DotPlot plot;
  plot.quantity = "Latency";
  plot.x = make_axis({"M", {std::int64_t{8}, std::int64_t{16}}, std::nullopt});
  plot.y = make_scaled_axis(10, 40, false);
  const double nan = std::nan("");
  plot.dots = {{0, 20, 18, 22, LadderKind::measured},
               {0, 40, nan, nan, LadderKind::recorded},
               {1, 5, 4, 6, LadderKind::predicted},
               {1, 10, 9, 12, LadderKind::measured}};
  const std::string svg = dot_plot_svg(plot);
  EXPECT_EQ(count_of(svg, "<circle"), 4U);
  EXPECT_EQ(count_of(svg, "class=\"predicted\""), 1U);
  EXPECT_EQ(count_of(svg, "whisker"), 3U);  // One has no spread.
  const std::size_t from = svg.find("points=\"") + 8;
  const std::string line = svg.substr(from, svg.find('"', from) - from);
  EXPECT_EQ(count_of(line, ","), 2U) << line;  // The prediction is lower, and not on the line.
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
