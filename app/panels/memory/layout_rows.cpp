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

constexpr const char* size_header = "Declared size";
constexpr const char* size_help = "The last size in the array's declaration that makes this padding.";

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

bool is_size(const Column& column, const LayoutTable& table) {
  return table.has_sizes && column.text == &LayoutRow::kernel_has;
}

const char* header_of(const Column& column, const LayoutTable& table) {
  return is_size(column, table) ? size_header : column.header;
}

bool is_reason(const Column& column) {
  return column.text == &LayoutRow::reason;
}

// [px] Width of the longest text: names differ at their end, and a cut number reads as another one.
float width_of(const Column& column, const LayoutTable& table) {
  const float header = ImGui::CalcTextSize(header_of(column, table)).x;
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

struct ShownColumn {
  const Column* column = nullptr;
  /// [px]
  float width = 0;
};

// A file may declare no array that could grow.
bool has_text(const Column& column, const LayoutTable& table) {
  return !is_size(column, table) ||
         std::ranges::any_of(table.rows, [](const LayoutRow& row) { return !row.kernel_has.empty(); });
}

// As many columns as fit. The last sentences take the rest.
std::vector<ShownColumn> columns_in(float space, const LayoutTable& table) {
  std::vector<ShownColumn> shown;
  float rest = space - ImGui::GetStyle().ScrollbarSize;
  for (const Column& column : columns) {
    if (!has_text(column, table)) continue;
    const float width = width_of(column, table);
    rest -= width + 2 * ImGui::GetStyle().CellPadding.x + 1;
    if (rest < 0 && shown.size() >= least_columns) break;
    shown.push_back({&column, width + (is_reason(column) ? std::max(0.0F, rest) : 0)});
  }
  return shown;
}

void draw_header(const std::vector<ShownColumn>& shown, const LayoutTable& table) {
  ImGui::TableSetupScrollFreeze(2, 1);
  for (const auto& [column, width] : shown)
    ImGui::TableSetupColumn(header_of(*column, table), ImGuiTableColumnFlags_WidthFixed, width);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const auto& [column, width] : shown) {
    ImGui::TableNextColumn();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::TableHeader(("##" + std::string(column->header)).c_str());
    landmark("solver.header." + std::string(column->header));
    help_tooltip(is_size(*column, table) ? size_help : column->help);
    draw_header_label({header_of(*column, table), column->is_number}, corner, room);
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

bool draw_row(const LayoutTable& table, std::size_t place, bool is_selected,
              const std::vector<ShownColumn>& shown) {
  const LayoutRow& row = table.rows[place];
  bool clicked = false;
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(place));
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Column& column = *shown[i].column;
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
    if (column.text == &LayoutRow::kernel_has && row.state == LayoutRow::State::current) {
      text_colored(palette().accent, current_tag);
    } else {
      draw_cell(row, column);
    }
  }
  ImGui::PopID();
  return clicked;
}

std::optional<std::size_t> draw_rows(const LayoutTable& table, std::size_t selected,
                                     const std::vector<ShownColumn>& shown) {
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
  const std::vector<ShownColumn> shown = columns_in(space, table);
  float sum = ImGui::GetStyle().ScrollbarSize;
  for (const auto& [column, width] : shown) sum += width + 2 * ImGui::GetStyle().CellPadding.x + 1;
  const bool is_wider = sum > space + 1;
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_BordersInnerV |
                                (is_wider ? ImGuiTableFlags_ScrollX : ImGuiTableFlags_None);
  const float bar = is_wider ? ImGui::GetStyle().ScrollbarSize : 0;
  const float rows = std::max(std::floor((height - bar) / row), 3.0F);
  if (!ImGui::BeginTable("layouts", static_cast<int>(shown.size()), flags, {0, rows * row + bar}))
    return action;
  draw_header(shown, table);
  if (scroll_there) ImGui::SetScrollY(std::max(0.0F, (static_cast<float>(selected) - rows / 2) * row));
  action.clicked = draw_rows(table, selected, shown);
  ImGui::EndTable();
  return action;
}

}  // namespace tilescope
