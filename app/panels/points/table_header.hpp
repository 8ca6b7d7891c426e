#pragma once

#include <imgui.h>

#include <string>

namespace tilescope {

/// The header of a column that sorts, over what ImGui::TableHeader drew.
struct HeaderLabel {
  std::string text;
  /// A number's header stands right-aligned over its digits.
  bool is_number = false;
  bool is_sorted = false;
  bool descending = false;
};
/// Draws in the cell with this `corner` and `room`, before TableHeader. [px]
void draw_header_label(const HeaderLabel& label, ImVec2 corner, float room);
/// [px] Width of the arrow of a sorted column.
float header_arrow_width();
/// Whether the header that was just drawn was clicked, with the mouse or a key, rather than dragged to another place.
bool header_clicked();

/// A bar at the left of a row whose first cell begins at `corner`, so that the color of the row is not all that marks it.
void draw_row_bar(ImVec2 corner);

}  // namespace tilescope
