#include "app/panels/points/points_header.hpp"

#include <imgui_internal.h>

#include <algorithm>
#include <string>

#include "app/gui/landmarks.hpp"
#include "app/panels/points/table_header.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

/// Width of columns that stay at the left, in parts of the table.
constexpr float max_frozen_width = 0.45F;

int frozen_columns(const TableColumns& table, float width) {
  const float padding = 2 * ImGui::GetStyle().CellPadding.x + 1;
  float taken = 0;
  int frozen = 0;
  for (const PointColumn& column : table.columns) {
    if (!column.identifies) break;
    const auto index = static_cast<std::size_t>(frozen);
    const bool is_shown = std::find(table.shown.begin(), table.shown.end(), index) != table.shown.end();
    if (is_shown) taken += column_width(column) + padding;
    if (taken > max_frozen_width * width) break;
    ++frozen;
  }
  return frozen;
}

bool descends_first(const PointColumn& column) {
  return column.metric != nullptr && column.metric->value != nullptr && !column.metric->smaller_is_better;
}

/// The next of: in the column's usual direction, in the other one, best rows first.
void sort_by_next(const PointColumn& column, TableChoices& choices) {
  if (choices.sort != column.tag) {
    choices.sort = column.tag;
    choices.descending = descends_first(column);
  } else if (choices.descending == descends_first(column)) {
    choices.descending = !choices.descending;
  } else {
    choices.sort.clear();
  }
}

void draw_header(const PointColumn& column, TableChoices& choices) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::TableHeader(("##" + column.tag).c_str());
  landmark("points.header." + column.tag);
  if (header_clicked()) sort_by_next(column, choices);
  help_tooltip(column.help);
  draw_header_label({column.header, column.is_number, choices.sort == column.tag, choices.descending}, corner,
                    room);
}

void sort_items(const PointColumn& column, TableChoices& choices) {
  const bool is_sorted = choices.sort == column.tag;
  if (ImGui::MenuItem("Sort ascending", nullptr, is_sorted && !choices.descending)) {
    choices.sort = column.tag;
    choices.descending = false;
  }
  landmark("points.column.ascending");
  if (ImGui::MenuItem("Sort descending", nullptr, is_sorted && choices.descending)) {
    choices.sort = column.tag;
    choices.descending = true;
  }
  landmark("points.column.descending");
  if (ImGui::MenuItem("Best first", nullptr, choices.sort.empty())) choices.sort.clear();
  landmark("points.column.best_first");
}

void column_items(const TableColumns& table, TableChoices& choices) {
  ImGui::PushItemFlag(ImGuiItemFlags_AutoClosePopups, false);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const PointColumn& column = table.columns[i];
    const bool shown = is_shown(column, table.contents, choices);
    // One column stays, whose header has this menu.
    const bool is_last = shown && table.shown.size() <= 1;
    if (ImGui::MenuItem(column.header.c_str(), nullptr, shown, !is_last)) choices.shown[column.tag] = !shown;
    landmark("points.column.show." + column.tag);
    help_tooltip(column.help);
  }
  ImGui::PopItemFlag();
}

void draw_column_menu(const TableColumns& table, TableChoices& choices) {
  ImGuiTable* const current = ImGui::GetCurrentTable();
  if (!ImGui::TableBeginContextMenuPopup(current)) return;
  const auto index = static_cast<std::size_t>(current->ContextPopupColumn);
  if (index < table.columns.size()) {
    const PointColumn& column = table.columns[index];
    text_muted(column.header);
    sort_items(column, choices);
    ImGui::Separator();
    const bool is_last = table.shown.size() <= 1;
    if (ImGui::MenuItem("Hide column", nullptr, false, !is_last)) choices.shown[column.tag] = false;
    landmark("points.column.hide");
  }
  if (ImGui::BeginMenu("Columns")) {
    column_items(table, choices);
    ImGui::EndMenu();
  }
  landmark("points.column.list");
  if (ImGui::MenuItem("Reset columns")) {
    choices.shown.clear();
    current->IsResetAllRequest = true;  // Order and widths.
  }
  landmark("points.column.reset");
  ImGui::EndPopup();
}

}  // namespace

float column_width(const PointColumn& column) {
  const float header = ImGui::CalcTextSize(column.header.c_str()).x + header_arrow_width();
  const MonoText mono;
  return std::max(header, ImGui::CalcTextSize(column.widest.c_str()).x);
}

void setup_table_columns(const TableColumns& table, float width) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool is_shown = std::binary_search(table.shown.begin(), table.shown.end(), i);
    ImGui::TableSetColumnEnabled(static_cast<int>(i), is_shown);
  }
  for (const PointColumn& column : table.columns) {
    // Fixed rather than fitted, so that rows that come into view later are not cut off.
    ImGui::TableSetupColumn(column.tag.c_str(), ImGuiTableColumnFlags_None, column_width(column));
  }
  ImGui::TableSetupScrollFreeze(frozen_columns(table, width), 1);
  ImGui::GetCurrentTable()->DisableDefaultContextMenu = true;
}

void draw_table_header(const TableColumns& table, TableChoices& choices) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const std::size_t i : table.shown) {
    if (ImGui::TableSetColumnIndex(static_cast<int>(i))) draw_header(table.columns[i], choices);
  }
  draw_column_menu(table, choices);
}

}  // namespace tilescope
