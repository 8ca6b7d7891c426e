#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <vector>

namespace tilescope {

/// Texts in a plot that never lie on each other. Each has a ground that hides the lines behind it.
class PlotLabels {
 public:
  explicit PlotLabels(ImDrawList& draw) : draw_(draw) {}

  /// Draws a text at the first of the places where there is room; returns whether there is. [px] upper left corners
  bool add(std::span<const ImVec2> places, const std::string& text, const ImVec4& color);
  /// Adds a text where there is no line of keep_clear either.
  bool add_clear(std::span<const ImVec2> places, const std::string& text, const ImVec4& color);
  /// Keeps texts of add_clear away from a line.
  void keep_clear(ImVec2 from, ImVec2 to) { lines_.push_back({from, to}); }

 private:
  struct Rectangle {
    ImVec2 min;
    ImVec2 max;
  };
  /// Between two ends in any order.
  struct Line {
    ImVec2 from;
    ImVec2 to;
  };
  bool add(std::span<const ImVec2> places, const std::string& text, const ImVec4& color, bool clear);
  bool overlaps(const Rectangle& place) const;
  bool is_crossed(const Rectangle& place) const;

  ImDrawList& draw_;
  std::vector<Rectangle> taken_;
  std::vector<Line> lines_;
};

}  // namespace tilescope
