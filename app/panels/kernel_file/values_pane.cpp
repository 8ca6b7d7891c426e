#include "app/panels/kernel_file/values_pane.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

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
    Column{"Latency", "Predicted, or measured where the device is in this machine. The bar is the band.",
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

void setup_columns(const std::string& what, const std::vector<TriedRow>& rows) {
  const float value = std::max(ImGui::CalcTextSize(what.c_str()).x, em() * 3);
  ImGui::TableSetupColumn(what.c_str(), ImGuiTableColumnFlags_WidthFixed, value);
  for (const Column& column : columns)
    ImGui::TableSetupColumn(column.header, ImGuiTableColumnFlags_WidthFixed, width_of(column, rows));
  ImGui::TableSetupScrollFreeze(1, 1);
}

void draw_headers(const std::string& what) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i <= columns.size(); ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string header = i == 0 ? what : columns[i - 1].header;
    ImGui::TableHeader(("##" + header).c_str());
    help_tooltip(i == 0 ? "A click chooses the value." : columns[i - 1].help);
    draw_header_label({header.c_str(), i == 0 || columns[i - 1].is_number}, corner, room);
  }
}

void draw_cells(const TriedRow& row, double longest_us) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i) + 1)) continue;
    const std::string& text = row.*columns[i].text;
    if (columns[i].text == &TriedRow::latency) {
      draw_bar(row, longest_us);
      ImGui::SameLine();
    }
    if (columns[i].is_number) align_right(text);
    if (columns[i].text != &TriedRow::result) {
      text_colored(palette().text, text);
      continue;
    }
    text_in_one_line(row.is_faulty ? palette().error : palette().muted, text);
    help_tooltip(row.problem.empty() ? text : row.problem);
  }
}

/// The value of the row that was clicked.
std::optional<std::string> draw_table(const TriedValues& tried, const std::string& what,
                                      const std::string& current) {
  std::optional<std::string> clicked;
  const ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit |
                                ImGuiTableFlags_ScrollX;
  const float rows = static_cast<float>(tried.values().size()) + 1;
  const float height = rows * (ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y) +
                       ImGui::GetStyle().ScrollbarSize + 4 * ui_scale();
  if (!ImGui::BeginTable("tried", static_cast<int>(columns.size()) + 1, flags, {0, height})) return clicked;
  setup_columns(what, tried.rows());
  draw_headers(what);
  const double longest_us = longest_of(tried.rows());
  for (std::size_t place = 0; place < tried.values().size(); ++place) {
    // The table has a window that scrolls, and the font must end before that does.
    const MonoText mono;
    const std::string& value = tried.values()[place];
    ImGui::TableNextRow();
    ImGui::TableSetColumnIndex(0);
    ImGui::PushID(static_cast<int>(place));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    if (ImGui::Selectable("##row", value == current, ImGuiSelectableFlags_SpanAllColumns) && value != current)
      clicked = value;
    landmark("kernel_file.tried." + value);
    ImGui::SetCursorScreenPos(corner);
    align_right(value);
    text_colored(palette().text, value);
    if (place < tried.rows().size()) draw_cells(tried.rows()[place], longest_us);
    ImGui::PopID();
  }
  ImGui::EndTable();
  return clicked;
}

std::string value_in(const std::vector<VariedRow>& rows, const std::string& what) {
  const auto found = std::ranges::find(rows, what, &VariedRow::what);
  return found == rows.end() ? "" : found->current;
}

}  // namespace

void ValuesPane::choose(const VariedRow& row) {
  what_ = row.what;
  values_ = fmt::format("{}", fmt::join(row.values, ", "));
}

void ValuesPane::draw_choice(const std::vector<VariedRow>& rows, TriedValues& tried) {
  if (std::ranges::find(rows, what_, &VariedRow::what) == rows.end()) choose(rows.front());
  float longest = em() * 5;
  for (const VariedRow& row : rows) longest = std::max(longest, ImGui::CalcTextSize(row.what.c_str()).x);
  ImGui::SetNextItemWidth(std::min(longest + 2.5F * ImGui::GetFrameHeight(), em() * 18));
  const bool is_open = ImGui::BeginCombo("##what", what_.c_str());
  landmark("kernel_file.vary");
  help_tooltip("A constant of the source, or a number of the launch.");
  if (is_open) {
    for (const VariedRow& row : rows) {
      if (ImGui::Selectable(row.what.c_str(), row.what == what_)) choose(row);
      landmark("kernel_file.vary." + row.what);
    }
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  const float button = ImGui::CalcTextSize("Cancel").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetNextItemWidth(
      std::min(em() * 18, ImGui::GetContentRegionAvail().x - button - ImGui::GetStyle().ItemSpacing.x));
  bool starts = false;
  {
    const MonoText mono;
    starts = ImGui::InputText("##values", &values_,
                              ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  }
  landmark("kernel_file.values");
  help_tooltip("Values, with commas between them.");
  ImGui::SameLine();
  if (tried.runs()) {
    if (ImGui::Button("Cancel", {button, 0})) tried.cancel();
    landmark("kernel_file.stop");
  } else {
    starts = ImGui::Button("Try", {button, 0}) || starts;
    landmark("kernel_file.try");
    help_tooltip("Compiles, checks and executes the kernel with each of the values.");
  }
  if (starts) tried.start(what_, split_values(values_));
}

void ValuesPane::draw(OpenedFile& opened, TriedValues& tried) {
  const std::vector<VariedRow> rows = varied_rows(opened.launch());
  if (rows.empty()) {
    empty_state("Nothing to vary", "Neither the launch nor the source has a whole number with a name.");
    return;
  }
  draw_choice(rows, tried);
  const std::string& what = tried.what();
  if (what.empty()) {
    text_wrapped(
        palette().muted,
        "Choose a number, and Try executes the kernel with each value: latency, result and conflicts "
        "side by side.");
    return;
  }
  if (!tried.problem().empty()) return text_wrapped(palette().error, tried.problem());
  if (tried.is_outdated())
    text_wrapped(palette().warning, "The launch has changed since: Try executes the values anew.");
  if (tried.runs()) {
    const std::string stage = tried.stage();
    text_muted(fmt::format("{} of {} executed{}", tried.rows().size(), tried.values().size(),
                           stage.empty() ? "..." : ", now: " + stage + "..."));
    landmark("kernel_file.trying");
  } else if (!tried.summary().empty()) {
    text_wrapped(palette().text, tried.summary() + ".");
    landmark("kernel_file.fastest");
  }
  if (!tried.runs() && !tried.rows().empty()) {
    if (ImGui::Button("Keep points")) tried.keep_in_session();
    landmark("kernel_file.keep_tried");
    help_tooltip("Adds these points to the session: tables, reports and later comparisons have them.");
  }
  if (const auto clicked = draw_table(tried, what, value_in(rows, what))) opened.choose(what, *clicked);
}

}  // namespace tilescope
