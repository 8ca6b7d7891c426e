#include "app/panels/memory/layout_rows.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/panels/points/table_header.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {
namespace {

struct Column {
  const char* header;
  const char* help;
  bool is_number;
  std::string LayoutRow::*text;
};
// The first ones are those that a narrow panel shows too; the detail below has what the others say of a layout.
const std::array columns{
    Column{"#", "Rank: by wavefronts, then padding, then simplicity.", true, &LayoutRow::rank},
    Column{"Layout",
           "Bytes behind each row; then CUTLASS's Swizzle<bits, base, shift> on the offset in bytes, or the "
           "bits of the row with which its pieces are XORed.",
           false, &LayoutRow::name},
    Column{"Kernel has it", "The value of the kernel's parameter that sets this layout.", false,
           &LayoutRow::kernel_has},
    Column{"Wavefronts", "Of all accesses to the tile in the traced block.", true, &LayoutRow::wavefronts},
    Column{"Shared memory",
           "Of the block with this layout; where the kernel has it, as the kernel declares it.", true,
           &LayoutRow::shared},
    Column{"Excess", "Wavefronts beyond the minimum.", true, &LayoutRow::excess},
    Column{"Against now", "Wavefronts against the present layout.", true, &LayoutRow::against},
    Column{"Padding", "Bytes of this tile more or less than now.", true, &LayoutRow::padding},
    Column{"Why", "Why it works or fails.", false, &LayoutRow::reason},
};
constexpr std::size_t least_columns = 4;
// [em] Least width of the sentences, which end in an ellipsis where they are longer.
constexpr float least_reason_width = 24;

const char* const current_tag = "now";

const std::string& text_in(const LayoutRow& row, const Column& column) {
  return row.*column.text;
}

bool is_reason(const Column& column) {
  return column.text == &LayoutRow::reason;
}

// [px] Width of the longest text: names differ at their end, and a cut number reads as another one.
float width_of(const Column& column, const LayoutTable& table) {
  const float header = ImGui::CalcTextSize(column.header).x;
  if (is_reason(column)) return least_reason_width * em();
  const auto longest =
      std::max_element(table.rows.begin(), table.rows.end(), [&](const LayoutRow& a, const LayoutRow& b) {
        return text_in(a, column).size() < text_in(b, column).size();
      });
  const MonoText mono;
  return longest == table.rows.end()
             ? header
             : std::max(header, ImGui::CalcTextSize(text_in(*longest, column).c_str()).x);
}

// [px] As many columns as fit. The last sentences take the rest.
std::vector<float> widths_in(float space, const LayoutTable& table) {
  std::vector<float> widths;
  float rest = space - ImGui::GetStyle().ScrollbarSize;
  for (const Column& column : columns) {
    const float width = width_of(column, table);
    rest -= width + 2 * ImGui::GetStyle().CellPadding.x + 1;
    if (rest < 0 && widths.size() >= least_columns) break;
    widths.push_back(width + (is_reason(column) ? std::max(0.0F, rest) : 0));
  }
  return widths;
}

void draw_header(const std::vector<float>& widths) {
  ImGui::TableSetupScrollFreeze(2, 1);
  for (std::size_t i = 0; i < widths.size(); ++i)
    ImGui::TableSetupColumn(columns[i].header, ImGuiTableColumnFlags_WidthFixed, widths[i]);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::TableHeader(("##" + std::string(columns[i].header)).c_str());
    landmark("solver.header." + std::string(columns[i].header));
    help_tooltip(columns[i].help);
    draw_header_label({columns[i].header, columns[i].is_number}, corner, room);
  }
}

void draw_cell(const LayoutRow& row, const Column& column) {
  const std::string& text = text_in(row, column);
  if (text.empty()) return;
  const ImVec4& color = row.state == LayoutRow::State::fails ? palette().muted : palette().text;
  if (is_reason(column)) {
    if (!text_in_one_line(color, text)) help_tooltip(text);
    return;
  }
  if (column.is_number) {
    const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    if (slack > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + slack);
  }
  text_colored(color, text);
}

bool draw_row(const LayoutTable& table, std::size_t place, bool is_selected, std::size_t shown) {
  const LayoutRow& row = table.rows[place];
  bool clicked = false;
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(place));
  for (std::size_t i = 0; i < shown; ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
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
    // The present layout says so: not by color alone.
    if (columns[i].text == &LayoutRow::kernel_has && row.state == LayoutRow::State::current) {
      text_colored(palette().accent, current_tag);
    } else {
      draw_cell(row, columns[i]);
    }
  }
  ImGui::PopID();
  return clicked;
}

std::optional<std::size_t> draw_rows(const LayoutTable& table, std::size_t selected, std::size_t shown) {
  std::optional<std::size_t> clicked;
  const MonoText mono;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(table.rows.size()));
  while (clipper.Step()) {
    for (int place = clipper.DisplayStart; place < clipper.DisplayEnd; ++place) {
      const auto i = static_cast<std::size_t>(place);
      if (draw_row(table, i, i == selected, shown)) clicked = i;
    }
  }
  return clicked;
}

}  // namespace

LayoutRowsAction draw_layout_rows(const LayoutTable& table, std::size_t selected, bool scroll_there,
                                  float height) {
  LayoutRowsAction action;
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float space = ImGui::GetContentRegionAvail().x;
  const std::vector<float> widths = widths_in(space, table);
  float sum = ImGui::GetStyle().ScrollbarSize;
  for (const float width : widths) sum += width + 2 * ImGui::GetStyle().CellPadding.x + 1;
  const bool is_wider = sum > space + 1;
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_BordersInnerV |
                                (is_wider ? ImGuiTableFlags_ScrollX : ImGuiTableFlags_None);
  const float bar = is_wider ? ImGui::GetStyle().ScrollbarSize : 0;
  const float rows = std::max(std::floor((height - bar) / row), 3.0F);
  if (!ImGui::BeginTable("layouts", static_cast<int>(widths.size()), flags, {0, rows * row + bar}))
    return action;
  draw_header(widths);
  if (scroll_there) ImGui::SetScrollY(std::max(0.0F, (static_cast<float>(selected) - rows / 2) * row));
  action.clicked = draw_rows(table, selected, widths.size());
  ImGui::EndTable();
  return action;
}

}  // namespace tilescope
