#pragma once

#include <imgui.h>

#include <optional>

#include "profiler/views/memory/microscope.hpp"

namespace tilescope {

/// 32 columns: lanes above, banks below. In pixels.
struct LaneColumns {
  float left = 0;
  float width = 0;

  float x(std::size_t column) const { return left + width * static_cast<float>(column); }
  float middle(std::size_t column) const { return x(column) + width / 2; }
};
/// Between `left` and `right`, with room for labels at the left.
LaneColumns lane_columns(float left, float right);
/// [px] Between two cells.
float cell_gap();

struct LaneRow {
  const MicroscopeView& view;
  const LaneColumns& columns;
  float top = 0;
  /// Lanes that are not drawn faint.
  simt::LaneMask lanes = simt::all_lanes;
  simt::LaneMask highlighted = 0;
  /// For landmarks: the pass that is drawn.
  std::size_t pass = 0;
};
/// [px] Height of the numbers and of the cells.
float lane_row_height();
/// The numbers of the lanes and a cell with its mark for each.
void draw_lane_row(ImDrawList& draw, const LaneRow& row);
/// The lane of the row under the mouse.
std::optional<std::size_t> lane_at_mouse(const LaneRow& row);

/// Numbers below or above the columns, as many as fit.
void draw_column_numbers(ImDrawList& draw, const LaneColumns& columns, float top);

}  // namespace tilescope
