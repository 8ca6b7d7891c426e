#include "app/panels/kernel_file/tried_table.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/points/table_header.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {
namespace {

struct Column {
  const char* header;
  const char* help;
  bool is_number;
  std::string TriedRow::*text;
};
constexpr std::array columns{
    Column{"Latency",
           "Predicted, or measured where the device is in this machine. The bar is the band; green are the "
           "lowest and those that cannot be told from it. A click sorts: faulty points come last.",
           false, &TriedRow::latency},
    Column{"Result", "Compared with the expected result; without one, the formula that it equals.", false,
           &TriedRow::result},
    Column{"Conflicts", "Excess wavefronts of shared memory, over the whole grid.", true,
           &TriedRow::conflicts},
    Column{"Excess sectors", "Beyond the minimum of global memory, over the whole grid.", true,
           &TriedRow::excess_sectors},
    Column{"Registers", "Of a thread.", true, &TriedRow::registers},
    Column{"Shared", "Shared memory of a block.", true, &TriedRow::shared},
    Column{"Occupancy", "Resident warps / SM maximum.", true, &TriedRow::occupancy},
};

// [em]
constexpr float bar_width = 4;
constexpr float result_width = 10;

void align_right(const std::string& text) {
  const float slack = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  if (slack > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + slack);
}

// The latency as a mark on its band, from 0 to the longest band of all rows.
void draw_bar(const TriedRow& row, double longest_us) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight(), width = em() * bar_width;
  ImGui::Dummy({width, height});
  if (row.latency_us <= 0 || longest_us <= 0) return;
  const auto x = [&](double us) { return corner.x + static_cast<float>(us / longest_us) * width; };
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float top = corner.y + height * 0.25F, bottom = corner.y + height * 0.75F;
  const ImVec4 color = row.is_faulty ? palette().error : palette().predicted;
  draw.AddRectFilled({corner.x, top}, {x(row.latency_us), bottom}, to_u32(color));
  draw.AddRectFilled({x(row.low_us), top}, {x(row.high_us), bottom}, to_u32(wash(color, 0.35F)));
}

double longest_of(const std::vector<TriedRow>& rows) {
  double longest = 0;
  for (const TriedRow& row : rows) longest = std::max({longest, row.high_us, row.latency_us});
  return longest;
}

float width_of(const Column& column, const std::vector<TriedRow>& rows) {
  float width = ImGui::CalcTextSize(column.header).x;
  const MonoText mono;
  for (const TriedRow& row : rows) width = std::max(width, ImGui::CalcTextSize((row.*column.text).c_str()).x);
  if (column.text == &TriedRow::latency) width += em() * bar_width + ImGui::GetStyle().ItemSpacing.x;
  return column.text == &TriedRow::result ? std::min(width, em() * result_width) : width;
}

void setup_columns(const std::vector<std::string>& varied, const std::vector<TriedRow>& rows) {
  for (const std::string& what : varied) {
    const float value = std::max(ImGui::CalcTextSize(what.c_str()).x, em() * 3);
    ImGui::TableSetupColumn(what.c_str(), ImGuiTableColumnFlags_WidthFixed, value);
  }
  for (const Column& column : columns)
    ImGui::TableSetupColumn(column.header, ImGuiTableColumnFlags_WidthFixed, width_of(column, rows));
  ImGui::TableSetupScrollFreeze(static_cast<int>(varied.size()), 1);
}

/// Whether the latency's header was clicked, which sorts by it.
bool draw_headers(const std::vector<std::string>& varied, bool by_latency) {
  bool is_clicked = false;
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < varied.size() + columns.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    const bool is_value = i < varied.size();
    const Column* column = is_value ? nullptr : &columns[i - varied.size()];
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string header = is_value ? varied[i] : column->header;
    ImGui::TableHeader(("##" + header).c_str());
    const bool is_latency = !is_value && column->text == &TriedRow::latency;
    if (is_latency) landmark("kernel_file.tried_latency");
    if (is_latency && header_clicked()) is_clicked = true;
    help_tooltip(is_value ? "A click on a row chooses its values." : column->help);
    draw_header_label({header, is_value || column->is_number, is_latency && by_latency}, corner, room);
  }
  return is_clicked;
}

// The fastest latencies are green.
void draw_latency(const std::string& text, bool is_fastest, std::size_t place) {
  text_colored(is_fastest ? palette().ok : palette().text, text);
  if (!is_fastest) return;
  landmark("kernel_file.tried_fastest." + std::to_string(place));
  help_tooltip("The lowest latency, or one that cannot be told from it.");
}

void draw_cells(const TriedRow& row, std::size_t first, double longest_us, bool is_fastest,
                std::size_t place) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(first + i))) continue;
    const std::string& text = row.*columns[i].text;
    if (columns[i].text == &TriedRow::latency) {
      draw_bar(row, longest_us);
      ImGui::SameLine();
    }
    if (columns[i].is_number) align_right(text);
    if (columns[i].text == &TriedRow::latency) {
      draw_latency(text, is_fastest, place);
      continue;
    }
    if (columns[i].text != &TriedRow::result) {
      text_colored(palette().text, text);
      continue;
    }
    text_in_one_line(row.is_faulty ? palette().error : palette().muted, text);
    help_tooltip(row.problem.empty() ? text : row.problem);
  }
}

std::string value_in(const std::vector<VariedRow>& rows, const std::string& what) {
  const auto found = std::ranges::find(rows, what, &VariedRow::what);
  return found == rows.end() ? "" : found->current;
}

bool is_current(const ValueCombination& values, const std::vector<VariedRow>& rows) {
  return std::ranges::all_of(values,
                             [&](const auto& value) { return value_in(rows, value.first) == value.second; });
}

std::string mark_of(const ValueCombination& values) {
  std::string mark = "kernel_file.tried";
  for (std::size_t i = 0; i < values.size(); ++i) mark += (i == 0 ? "." : ",") + values[i].second;
  return mark;
}

void draw_values(const std::vector<std::string>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    align_right(values[i]);
    text_colored(palette().text, values[i]);
  }
}

// Before its point has come a row has its combination alone.
std::vector<std::string> values_in(const TriedValues& tried, std::size_t place) {
  if (place < tried.rows().size()) return tried.rows()[place].values;
  std::vector<std::string> values;
  for (const auto& [what, value] : tried.combinations()[place]) values.push_back(value);
  return values;
}

std::vector<std::size_t> places_in_order(std::size_t count) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

}  // namespace

std::optional<ValueCombination> TriedTable::draw(const TriedValues& tried,
                                                 const std::vector<std::string>& varied,
                                                 const std::vector<VariedRow>& launch) {
  std::optional<ValueCombination> clicked;
  const ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit |
                                ImGuiTableFlags_ScrollX;
  const float rows = static_cast<float>(tried.combinations().size()) + 1;
  const float height = rows * (ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y) +
                       ImGui::GetStyle().ScrollbarSize + 4 * ui_scale();
  const std::vector<std::string>& names = tried.names().empty() ? varied : tried.names();
  if (!ImGui::BeginTable("tried", static_cast<int>(names.size() + columns.size()), flags, {0, height}))
    return clicked;
  setup_columns(names, tried.rows());
  if (draw_headers(names, by_latency_)) by_latency_ = !by_latency_;
  const double longest_us = longest_of(tried.rows());
  const std::size_t count = tried.combinations().size();
  for (const std::size_t place :
       by_latency_ ? places_by_latency(tried.rows(), count) : places_in_order(count)) {
    // The table has a window that scrolls, and the font must end before that does.
    const MonoText mono;
    const ValueCombination& values = tried.combinations()[place];
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(0);
    ImGui::PushID(static_cast<int>(place));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const bool is_chosen = is_current(values, launch);
    if (ImGui::Selectable("##row", is_chosen, ImGuiSelectableFlags_SpanAllColumns) && !is_chosen)
      clicked = values;
    landmark(mark_of(values));
    ImGui::SetCursorScreenPos(corner);
    draw_values(values_in(tried, place));
    if (place < tried.rows().size())
      draw_cells(tried.rows()[place], names.size(), longest_us, tried.fastest().contains(place), place);
    ImGui::PopID();
  }
  ImGui::EndTable();
  return clicked;
}

}  // namespace tilescope
