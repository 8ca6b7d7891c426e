#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "profiler/views/step/fragments.hpp"

namespace tilescope {

/// The color of a lane by its group, lane / 4. The last group shares the first one's color and is hatched too.
ImVec4 lane_color(int lane);

/// One matrix of an instruction: a cell for each element, in the color of its lane's group, with as many lines of text as
/// there is room for.
struct FragmentGrid {
  const FragmentView& view;
  /// Into view.matrices.
  std::size_t matrix = 0;
  const FragmentCellTexts& texts;
  FragmentMark mark;
  /// Corner of the first cell. [px]
  ImVec2 corner;
  /// [px] With the gap to the next cell.
  ImVec2 cell;
};
/// [px] For the numbers of the rows at the left of the cells; and for the title and the numbers of the columns above.
float fragment_grid_left();
float fragment_grid_top();
/// With its title and the numbers of rows and columns around it. Returns the element under the mouse. Marks
/// "fragment.NAME" and "fragment.NAME.ROW.COLUMN", and for texts that were drawn, "fragment.text.NAME.LINE".
std::optional<FragmentElement> draw_fragment_grid(ImDrawList& draw, const FragmentGrid& grid);

/// The 32 lanes in a strip of `width` [px], in one line or two, at the cursor. Returns the lane under the mouse. Marks
/// "fragment.lane.N".
std::optional<int> fragment_lanes(const FragmentView& view, const FragmentMark& mark, float width);
/// The registers of each matrix, wrapped. Returns the one under the mouse, into view.registers. Marks
/// "fragment.register.N".
std::optional<std::size_t> fragment_registers(const FragmentView& view, const FragmentMark& mark);

/// An arrangement of fragment_arrangements() with the largest cells that fit. In pixels.
struct FragmentPlan {
  FragmentArrangement arrangement;
  ImVec2 cell;
  /// Corner of each matrix' first cell, from the upper left of all.
  std::vector<ImVec2> corners;
  ImVec2 size;
};
/// `room` [px]; cells have a least size, so that the plan may be larger: with `letters` the one that shows a line of them,
/// with 0 the one that shows colors. At least one arrangement.
FragmentPlan plan_fragments(const FragmentView& view, const std::vector<FragmentArrangement>& arrangements,
                            ImVec2 room, std::size_t letters);

}  // namespace tilescope
