#include "app/panels/kernel_file/kernel_table.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/points/table_header.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {
namespace {

// A library may hold hundreds: they scroll.
constexpr std::size_t max_rows = 8;

struct Column {
  const char* header;
  const char* help;
  bool is_number;
  std::string KernelRow::*text;
};
using Columns = std::vector<Column>;
constexpr std::array all_columns{
    Column{"Kernel", "Click a kernel to execute it.", false, &KernelRow::name},
    Column{"Code", "The architecture of its machine code, or PTX.", false, &KernelRow::code},
    Column{"Registers", "Per thread.", true, &KernelRow::registers},
    Column{"Shared", "Static shared memory per block.", true, &KernelRow::shared},
    Column{"Spills", "Bytes that spill stores and loads move per thread.", true, &KernelRow::spills},
    Column{"Occupancy", "Resident warps / SM maximum, and the resource that limits it.", false,
           &KernelRow::occupancy},
};

bool is_nothing(const Column& column, const std::vector<KernelRow>& kernels) {
  const bool can_be_nothing = column.text == &KernelRow::shared || column.text == &KernelRow::spills;
  return can_be_nothing && std::ranges::all_of(kernels, [&](const KernelRow& kernel) {
           return (kernel.*column.text).starts_with("0 ") || (kernel.*column.text).empty();
         });
}

float width_of(const Column& column, const std::vector<KernelRow>& kernels) {
  float width = ImGui::CalcTextSize(column.header).x;
  const MonoText mono;
  for (const KernelRow& kernel : kernels)
    width = std::max(width, ImGui::CalcTextSize((kernel.*column.text).c_str()).x);
  return width;
}

float width_of(const Columns& columns, const std::vector<KernelRow>& kernels) {
  float width = 0;
  for (const Column& column : columns)
    width += width_of(column, kernels) + 2 * ImGui::GetStyle().CellPadding.x + 1;
  return width;
}

/// Names need room: they come before the limiters, which are in the tooltips then, and before columns without a figure.
Columns columns_in(float space, const std::vector<KernelRow>& kernels) {
  Columns columns(all_columns.begin(), all_columns.end());
  if (width_of(columns, kernels) <= space) return columns;
  columns.back().text = &KernelRow::short_occupancy;
  columns.back().is_number = true;
  if (width_of(columns, kernels) <= space) return columns;
  for (std::size_t i = columns.size(); i-- > 0 && width_of(columns, kernels) > space;) {
    if (is_nothing(columns[i], kernels)) columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return columns;
}

/// Kernel names take what is left, and end in an ellipsis.
void setup_columns(const Columns& columns, const std::vector<KernelRow>& kernels) {
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn(columns[0].header, ImGuiTableColumnFlags_WidthStretch);
  for (std::size_t i = 1; i < columns.size(); ++i)
    ImGui::TableSetupColumn(columns[i].header, ImGuiTableColumnFlags_WidthFixed,
                            width_of(columns[i], kernels));
}

void draw_headers(const Columns& columns, const std::string& device) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::TableHeader((std::string("##") + columns[i].header).c_str());
    const bool is_of_device = i + 1 == columns.size() && !device.empty();
    help_tooltip(columns[i].help + (is_of_device ? " On " + device + "." : std::string()));
    draw_header_label({columns[i].header, columns[i].is_number}, corner, room);
  }
}

std::string tooltip_of(const KernelRow& kernel) {
  std::string text = kernel.name;
  for (const std::string& line : kernel.details) text += "\n" + line;
  return text;
}

void draw_cell(const KernelRow& kernel, const Column& column) {
  const std::string& text = kernel.*column.text;
  if (text.empty()) return;
  const bool is_name = column.text == &KernelRow::name;
  const bool is_spill = column.text == &KernelRow::spills && kernel.has_spills;
  const ImVec4& color = is_spill ? palette().warning : palette().text;
  if (is_name) {
    text_in_one_line(color, text);
    return;
  }
  if (column.is_number) {
    const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    if (slack > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + slack);
  }
  text_colored(color, text);
}

bool draw_row(const Columns& columns, const KernelRow& kernel, std::size_t place, bool is_chosen) {
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  ImGui::PushID(static_cast<int>(place));
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::Selectable("##row", is_chosen, ImGuiSelectableFlags_SpanAllColumns);
  landmark("kernel_file.kernel." + std::to_string(place));
  // Above: what is filled in next stands below the table.
  help_tooltip_above(tooltip_of(kernel));
  if (is_chosen) draw_row_bar(corner);
  ImGui::SetCursorScreenPos(corner);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (ImGui::TableSetColumnIndex(static_cast<int>(i))) draw_cell(kernel, columns[i]);
  }
  ImGui::PopID();
  return clicked;
}

}  // namespace

std::optional<std::string> draw_kernel_table(const std::vector<KernelRow>& kernels, const std::string& device,
                                             const std::string& chosen) {
  std::optional<std::string> clicked;
  const bool scrolls = kernels.size() > max_rows;
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const Columns columns = columns_in(ImGui::GetContentRegionAvail().x, kernels);
  const ImVec2 size(0, scrolls ? row * (static_cast<float>(max_rows) + 1.5F) : 0);
  const ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit |
                                (scrolls ? ImGuiTableFlags_ScrollY : ImGuiTableFlags_None);
  if (!ImGui::BeginTable("kernels", static_cast<int>(columns.size()), flags, size)) return clicked;
  setup_columns(columns, kernels);
  draw_headers(columns, device);
  {
    const MonoText mono;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (draw_row(columns, kernels[i], i, kernels[i].entry == chosen)) clicked = kernels[i].entry;
    }
  }
  ImGui::EndTable();
  return clicked;
}

}  // namespace tilescope
