#include "app/panels/layout_rows.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/panels/table_header.hpp"
#include "app/shell/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {
namespace {

struct Column {
  const char* header;
  const char* help;
  /// [em]
  float width;
  bool is_number;
  std::string LayoutRow::*text;
};
const std::array columns{
    Column{"#", "Rank: by wavefronts, then padding, then simplicity.", 2.2F, true, &LayoutRow::rank},
    Column{"Layout",
           "Bytes behind each row; then CUTLASS's Swizzle<bits, base, shift> on the offset in bytes, or the "
           "bits "
           "of the row with which its pieces are XORed.",
           21, false, &LayoutRow::name},
    Column{"Wavefronts", "Of all accesses to the tile in the traced block.", 5.5F, true,
           &LayoutRow::wavefronts},
    Column{"Excess", "Wavefronts beyond the minimum.", 5, true, &LayoutRow::excess},
    Column{"Against now", "Wavefronts against those of the present layout.", 6.5F, true, &LayoutRow::against},
    Column{"Padding", "Bytes of this tile more or less than now.", 5, true, &LayoutRow::padding},
    Column{"Kernel has it", "The parameter that sets this layout.", 10.5F, false, &LayoutRow::kernel_has},
    Column{"Shared memory",
           "Of the block with this layout; where the kernel has it, as the kernel declares it.", 6.5F, true,
           &LayoutRow::shared},
    Column{"Why", "Why it works or fails.", 42, false, &LayoutRow::reason},
};

const char* const current_tag = "now";

// [px] Of the longest, with the tag of the present layout behind it.
float width_of_names(const LayoutTable& table) {
  const MonoText mono;
  const auto longest =
      std::max_element(table.rows.begin(), table.rows.end(),
                       [](const LayoutRow& a, const LayoutRow& b) { return a.name.size() < b.name.size(); });
  if (longest == table.rows.end()) return 0;
  return ImGui::CalcTextSize((longest->name + " " + current_tag).c_str()).x;
}

// [px] A layout's name is never cut: names differ at their end. In a wide panel the sentences take the rest.
std::array<float, columns.size()> widths_in(float space, const LayoutTable& table) {
  std::array<float, columns.size()> widths{};
  float sum = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    widths[i] = columns[i].width * em();
    if (columns[i].text == &LayoutRow::name) widths[i] = width_of_names(table);
    sum += widths[i] + 2 * ImGui::GetStyle().CellPadding.x + 1;
  }
  widths.back() += std::max(0.0F, space - sum - ImGui::GetStyle().ScrollbarSize);
  return widths;
}

bool needs_scroll_bar(const std::array<float, columns.size()>& widths, float space) {
  float sum = ImGui::GetStyle().ScrollbarSize;
  for (const float width : widths) sum += width + 2 * ImGui::GetStyle().CellPadding.x + 1;
  return sum > space + 1;
}

// A column that can be resized would keep the width of the first table's names.
ImGuiTableColumnFlags flags_of(const Column& column) {
  const bool is_name = column.text == &LayoutRow::name;
  return ImGuiTableColumnFlags_WidthFixed | (is_name ? ImGuiTableColumnFlags_NoResize : 0);
}

void draw_header(const std::array<float, columns.size()>& widths) {
  ImGui::TableSetupScrollFreeze(2, 1);
  for (std::size_t i = 0; i < columns.size(); ++i)
    ImGui::TableSetupColumn(columns[i].header, flags_of(columns[i]), widths[i]);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::TableHeader(("##" + std::string(columns[i].header)).c_str());
    help_tooltip(columns[i].help);
    draw_header_label({columns[i].header, columns[i].is_number}, corner, room);
  }
}

void draw_cell(const LayoutRow& row, const Column& column) {
  const std::string& text = row.*column.text;
  if (text.empty()) return;
  if (column.is_number) {
    const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    if (slack > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + slack);
  }
  const bool is_cut = ImGui::CalcTextSize(text.c_str()).x > ImGui::GetContentRegionAvail().x;
  text_colored(row.state == LayoutRow::State::fails ? palette().muted : palette().text, text);
  if (is_cut) help_tooltip(text);
}

// The present layout says so: not by colour alone.
void draw_current_tag(ImVec2 corner, float right) {
  ImGui::GetWindowDrawList()->AddText({right - ImGui::CalcTextSize(current_tag).x, corner.y},
                                      to_u32(palette().accent), current_tag);
}

bool draw_row(const LayoutTable& table, std::size_t place, bool is_selected) {
  const LayoutRow& row = table.rows[place];
  bool clicked = false;
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(place));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float right = corner.x + ImGui::GetContentRegionAvail().x;
    if (i == 0) {
      const ImGuiSelectableFlags flags =
          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap;
      clicked = ImGui::Selectable("##row", is_selected, flags);
      landmark("solver.row." + std::to_string(place));
      if (row.state == LayoutRow::State::current) {
        landmark("solver.current");
        draw_row_bar(corner);
      }
      ImGui::SetCursorScreenPos(corner);
    }
    draw_cell(row, columns[i]);
    if (i == 1 && row.state == LayoutRow::State::current) draw_current_tag(corner, right);
  }
  ImGui::PopID();
  return clicked;
}

std::optional<std::size_t> draw_rows(const LayoutTable& table, std::size_t selected) {
  std::optional<std::size_t> clicked;
  const MonoText mono;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(table.rows.size()));
  while (clipper.Step()) {
    for (int place = clipper.DisplayStart; place < clipper.DisplayEnd; ++place) {
      const auto i = static_cast<std::size_t>(place);
      if (draw_row(table, i, i == selected)) clicked = i;
    }
  }
  return clicked;
}

}  // namespace

LayoutRowsAction draw_layout_rows(const LayoutTable& table, std::size_t selected, bool scroll_there,
                                  float height) {
  LayoutRowsAction action;
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                ImGuiTableFlags_Resizable | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_BordersInnerV;
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float space = ImGui::GetContentRegionAvail().x;
  const std::array<float, columns.size()> widths = widths_in(space, table);
  const float bar = needs_scroll_bar(widths, space) ? ImGui::GetStyle().ScrollbarSize : 0;
  const float rows = std::max(std::floor((height - bar) / row), 3.0F);
  if (!ImGui::BeginTable("layouts", static_cast<int>(columns.size()), flags, {0, rows * row + bar}))
    return action;
  draw_header(widths);
  if (scroll_there) ImGui::SetScrollY(std::max(0.0F, (static_cast<float>(selected) - rows / 2) * row));
  action.clicked = draw_rows(table, selected);
  ImGui::EndTable();
  return action;
}

}  // namespace tilescope
