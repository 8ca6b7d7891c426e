#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <string>

#include "sessions/views/points/value_axis.hpp"

namespace tilescope {

/// The place on the screen of cells over two parameters: columns from left to right, rows ascending downwards.
struct CellGrid {
  /// Corner of the first cell.
  ImVec2 corner;
  ImVec2 cell;
  float gap = 0;
  std::size_t columns = 0;
  std::size_t rows = 0;

  ImVec2 min(std::size_t index) const;
  ImVec2 max(std::size_t index) const;
  ImVec2 size() const { return {cell.x * static_cast<float>(columns), cell.y * static_cast<float>(rows)}; }
};

/// Divides a space with a line above the cells for the names of the axes, labels left of and below them, and
/// `right_margin` [px] free beside them.
CellGrid lay_out_cells(const ValueAxis& x, const ValueAxis& y, ImVec2 origin, ImVec2 space,
                       float right_margin);

/// "Rows: BLOCK_N, columns: BLOCK_M"
std::string axes_words(const ValueAxis& x, const ValueAxis& y);
/// The values along both axes, and axes_words at `origin`.
void draw_cell_labels(ImDrawList& draw, const ValueAxis& x, const ValueAxis& y, const CellGrid& at,
                      ImVec2 origin);

/// Draws the cell of a configuration that cannot run.
void draw_invalid_cell(ImDrawList& draw, ImVec2 min, ImVec2 max);
/// Returns whether it fits; else nothing is drawn, as a truncated number would read as another number.
bool draw_centred(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color, const std::string& text);
/// Around the cell under the mouse.
void frame_cell(ImDrawList& draw, const CellGrid& at, std::size_t index);

/// Around the current cell, the dark one outside: one of them stands out against any colour.
inline constexpr ImVec4 dark_ring{0, 0, 0, 1};
inline constexpr ImVec4 light_ring{1, 1, 1, 1};
void ring_cell(ImDrawList& draw, const CellGrid& at, std::size_t index);

std::optional<std::size_t> cell_under_mouse(const CellGrid& at);
/// Marks PREFIX.COLUMN.ROW for each cell, for tests.
void mark_cells(const std::string& prefix, const ValueAxis& x, const ValueAxis& y, const CellGrid& at);

}  // namespace tilescope
