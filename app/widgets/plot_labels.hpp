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

 private:
  struct Rectangle {
    ImVec2 min;
    ImVec2 max;
  };
  bool overlaps(const Rectangle& place) const;

  ImDrawList& draw_;
  std::vector<Rectangle> taken_;
};

}  // namespace tilescope
