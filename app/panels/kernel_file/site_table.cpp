#include "app/panels/kernel_file/site_table.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/points/table_header.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {
namespace {

struct Column {
  const char* of_shared;
  const char* of_global;
  const char* help;
  bool is_number;
  std::string FileSiteRow::*text;
};
constexpr std::array columns{
    Column{"Line", "Line", "In the kernel's source.", true, &FileSiteRow::place},
    Column{"Access", "Access", "Instruction, array and bytes per lane.", false, &FileSiteRow::access},
    Column{
        "Worst", "Per request",
        "Shared memory: the most wavefronts of one pass, 1-way is free of conflicts. Global memory: 32-byte "
        "sectors per request.",
        true, &FileSiteRow::rate},
    Column{"Wavefronts", "Sectors", "Over the whole grid.", true, &FileSiteRow::cost},
    Column{"Excess", "Excess", "Beyond the minimum for these lanes and this width.", true,
           &FileSiteRow::excess},
    Column{"Source", "Source", "The line of the source.", false, &FileSiteRow::source},
};
// A narrow panel has these, and the line of the source in the tooltip.
constexpr std::size_t columns_without_source = columns.size() - 1;
constexpr float least_source_width = 12;

float width_of(const Column& column, const std::vector<FileSiteRow>& rows, bool is_shared) {
  float width = ImGui::CalcTextSize(is_shared ? column.of_shared : column.of_global).x;
  const MonoText mono;
  for (const FileSiteRow& row : rows)
    width = std::max(width, ImGui::CalcTextSize((row.*column.text).c_str()).x);
  return width;
}

/// Sets the columns up that fit. Returns their number.
std::size_t setup_columns(const std::vector<float>& widths, bool is_shared) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const char* header = is_shared ? columns[i].of_shared : columns[i].of_global;
    const bool is_last = i + 1 == widths.size();
    ImGui::TableSetupColumn(header,
                            is_last && i == columns_without_source ? ImGuiTableColumnFlags_WidthStretch
                                                                   : ImGuiTableColumnFlags_WidthFixed,
                            widths[i]);
  }
  return widths.size();
}

std::vector<float> widths_in(float space, const std::vector<FileSiteRow>& rows, bool is_shared) {
  std::vector<float> widths;
  for (std::size_t i = 0; i < columns_without_source; ++i) {
    widths.push_back(width_of(columns[i], rows, is_shared));
    space -= widths.back() + 2 * ImGui::GetStyle().CellPadding.x + 1;
  }
  if (space >= em() * least_source_width) widths.push_back(1);
  return widths;
}

void draw_headers(std::size_t count, bool is_shared) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < count; ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    const char* header = is_shared ? columns[i].of_shared : columns[i].of_global;
    ImGui::TableHeader((std::string("##") + header).c_str());
    help_tooltip(columns[i].help);
    draw_header_label({header, columns[i].is_number}, corner, room);
  }
}

void draw_cell(const FileSiteRow& row, const Column& column) {
  const std::string& text = row.*column.text;
  const bool is_excess = column.text == &FileSiteRow::excess && row.has_excess;
  if (column.text == &FileSiteRow::source) {
    text_in_one_line(palette().muted, text);
    return;
  }
  if (column.is_number) {
    const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    if (slack > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + slack);
  }
  text_colored(is_excess ? palette().warning : palette().text, text);
}

}  // namespace

std::optional<std::size_t> draw_site_table(const char* id, const std::vector<FileSiteRow>& rows,
                                           bool is_shared) {
  std::optional<std::size_t> clicked;
  const std::vector<float> widths = widths_in(ImGui::GetContentRegionAvail().x, rows, is_shared);
  const ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable(id, static_cast<int>(widths.size()), flags)) return clicked;
  const std::size_t shown = setup_columns(widths, is_shared);
  draw_headers(shown, is_shared);
  const MonoText mono;
  for (std::size_t place = 0; place < rows.size(); ++place) {
    const FileSiteRow& row = rows[place];
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(0);
    ImGui::PushID(static_cast<int>(place));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    if (ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns)) clicked = place;
    landmark(std::string("kernel_file.") + id + "." + std::to_string(place));
    help_tooltip((row.source.empty() ? row.help : row.source + "\n" + row.help) +
                 "\nClick to see its lanes in Microscope.");
    ImGui::SetCursorScreenPos(corner);
    for (std::size_t i = 0; i < shown; ++i) {
      if (ImGui::TableSetColumnIndex(static_cast<int>(i))) draw_cell(row, columns[i]);
    }
    ImGui::PopID();
  }
  ImGui::EndTable();
  return clicked;
}

}  // namespace tilescope
