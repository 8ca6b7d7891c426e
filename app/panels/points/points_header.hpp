#pragma once

#include <imgui.h>

#include <cstddef>
#include <vector>

#include "sessions/views/points/table_choices.hpp"

namespace tilescope {

/// The columns of the table of points as they are drawn.
struct TableColumns {
  std::vector<PointColumn> columns;
  ColumnContents contents;
  /// Indices of the columns that are shown.
  std::vector<std::size_t> shown;
};

/// The width of a column's longest usual text or of its header with the arrow of a sorted one. [pixels]
float column_width(const PointColumn& column);

/// Declares the columns of the current table, and how many of the identifying ones stay at the left: as many as leave
/// room to scroll the others. Call between BeginTable and the first row.
void setup_table_columns(const TableColumns& table, float width);

/// The row of headers. A click sorts: best or smallest first, then the other way round, then best rows first. A click
/// with the right button opens the menu of a column. Both change `choices`.
void draw_table_header(const TableColumns& table, TableChoices& choices);

}  // namespace tilescope
