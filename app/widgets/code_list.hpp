#pragma once

#include <imgui.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

/// One line of a CodeList.
struct CodeRow {
  /// Before the text: a line number, an address.
  std::string label;
  std::string_view text;
  /// Behind the label: "+", "-"; 0 for none.
  char sign = 0;
  /// Drawn in the place of the sign: a dot, and an arrow.
  bool is_breakpoint = false, is_play_head = false;
  /// Color of the text and the sign.
  ImVec4 color{};
  /// A wash behind the line; transparent for none.
  ImVec4 background{};
  /// Bar in the gutter, 0 to 1, and the figure on it.
  float heat = 0;
  std::string figure;
  /// The figure belongs to another line: its bar is an outline.
  bool is_inherited = false;
  /// Under the cursor.
  bool is_chosen = false;
  /// Belongs to the chosen line of another list.
  bool is_linked = false;
};

/// Lines of code with a gutter that stays in view, drawn in the monospaced font; only visible lines are asked for.
struct CodeList {
  /// Unique in its window; rows in view are marked "ID.row.NUMBER", counted from 0, and their signs "ID.sign.NUMBER".
  std::string id;
  std::size_t count = 0;
  std::function<CodeRow(std::size_t)> row;
  /// Characters of the longest label and of the longest line.
  std::size_t label_columns = 4, text_columns = 80;
  /// Above the labels, aligned like them; it stays in view. "" for none.
  std::string label_heading;
  /// Whether there is room for bars.
  bool has_heat = false;
  bool has_signs = false;
  /// A ring under the mouse shows that a click in the gutter sets a breakpoint; needs has_signs.
  bool takes_breakpoints = false;
  ImVec4 heat_color{};
  /// Marked in the lines, upper and lower case alike; "" for nothing.
  std::string_view search;
  /// The line with the search's current hit.
  std::optional<std::size_t> current_hit;
  /// The chosen line, from which the arrow keys go on.
  std::optional<std::size_t> cursor;
  /// Brought into view in this frame.
  std::optional<std::size_t> scroll_to;
  /// [px]
  ImVec2 size{0, 0};
};

struct CodeListAction {
  std::optional<std::size_t> hovered;
  /// Over the label and the bar, which a tooltip may explain.
  bool is_over_gutter = false;
  /// By a click, or with the arrow keys while the list has the keyboard focus.
  std::optional<std::size_t> chosen;
};

CodeListAction code_list(const CodeList& list);

/// [px] The width that shows a gutter and `text_columns` characters.
float code_list_width(std::size_t label_columns, std::size_t text_columns, bool has_heat);

}  // namespace tilescope
