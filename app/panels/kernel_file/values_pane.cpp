#include "app/panels/kernel_file/values_pane.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/points/table_header.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "profiler/views/kernel_file/value_combinations.hpp"

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

void setup_columns(const std::vector<std::string>& varied, const std::vector<TriedRow>& rows) {
  for (const std::string& what : varied) {
    const float value = std::max(ImGui::CalcTextSize(what.c_str()).x, em() * 3);
    ImGui::TableSetupColumn(what.c_str(), ImGuiTableColumnFlags_WidthFixed, value);
  }
  for (const Column& column : columns)
    ImGui::TableSetupColumn(column.header, ImGuiTableColumnFlags_WidthFixed, width_of(column, rows));
  ImGui::TableSetupScrollFreeze(static_cast<int>(varied.size()), 1);
}

void draw_headers(const std::vector<std::string>& varied) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < varied.size() + columns.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    const bool is_value = i < varied.size();
    const Column* column = is_value ? nullptr : &columns[i - varied.size()];
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string header = is_value ? varied[i] : column->header;
    ImGui::TableHeader(("##" + header).c_str());
    help_tooltip(is_value ? "A click chooses the values." : column->help);
    draw_header_label({header, is_value || column->is_number}, corner, room);
  }
}

void draw_cells(const TriedRow& row, std::size_t first, double longest_us) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(first + i))) continue;
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

/// The combination of the row that was clicked.
std::optional<ValueCombination> draw_table(const TriedValues& tried, const std::vector<std::string>& varied,
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
  draw_headers(names);
  const double longest_us = longest_of(tried.rows());
  for (std::size_t place = 0; place < tried.combinations().size(); ++place) {
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
    if (place < tried.rows().size()) draw_cells(tried.rows()[place], names.size(), longest_us);
    ImGui::PopID();
  }
  ImGui::EndTable();
  return clicked;
}

void draw_progress(const TriedValues& tried) {
  const std::size_t done = tried.rows().size(), all = tried.combinations().size();
  ImGui::ProgressBar(static_cast<float>(done) / static_cast<float>(all), {-FLT_MIN, em() * 0.6F}, "");
  const std::string stage = tried.stage();
  text_muted(
      fmt::format("{} of {} executed{}", done, all, stage.empty() ? "..." : ", now: " + stage + "..."));
  landmark("kernel_file.trying");
}

void draw_outcome(TriedValues& tried) {
  if (!tried.summary().empty()) {
    text_wrapped(palette().text, tried.summary() + ".");
    landmark("kernel_file.fastest");
  }
  if (tried.rows().size() < tried.combinations().size())
    text_wrapped(palette().muted, fmt::format("Cancelled: {} of {} executed.", tried.rows().size(),
                                              tried.combinations().size()));
  if (tried.rows().empty()) return;
  if (ImGui::Button("Keep points")) tried.keep_in_session();
  landmark("kernel_file.keep_tried");
  help_tooltip("Adds these points to the session: tables, plots, reports and later comparisons have them.");
}

/// The mark of a row's control: "kernel_file.vary", and "kernel_file.vary_2" in the second row.
std::string mark_in_row(const char* control, std::size_t place) {
  return place == 0 ? control : fmt::format("{}_{}", control, place + 1);
}

// [px]
float width_of_names(const std::vector<VariedRow>& rows) {
  float longest = em() * 5;
  for (const VariedRow& row : rows) longest = std::max(longest, ImGui::CalcTextSize(row.what.c_str()).x);
  return std::min(longest + 2.5F * ImGui::GetFrameHeight(), em() * 18);
}

}  // namespace

bool ValuesPane::is_drafted(const std::string& what) const {
  return std::ranges::find(drafts_, what, &Draft::what) != drafts_.end();
}

const VariedRow* ValuesPane::next_to_vary(const std::vector<VariedRow>& rows) const {
  std::vector<VariedRow> others = rows;
  std::erase_if(others, [&](const VariedRow& row) { return is_drafted(row.what); });
  const VariedRow* next = first_to_vary(others);
  return next == nullptr ? nullptr : &*std::ranges::find(rows, next->what, &VariedRow::what);
}

/// Rows of another kernel, or of a newer file, go.
void ValuesPane::follow(const std::vector<VariedRow>& rows) {
  std::erase_if(drafts_, [&](const Draft& draft) {
    return std::ranges::find(rows, draft.what, &VariedRow::what) == rows.end();
  });
  if (drafts_.empty()) {
    const VariedRow& first = *first_to_vary(rows);
    drafts_.push_back({first.what, fmt::format("{}", fmt::join(first.values, ", "))});
  }
}

void ValuesPane::draw_name(const std::vector<VariedRow>& rows, std::size_t place, float width) {
  Draft& draft = drafts_[place];
  const std::string mark = mark_in_row("kernel_file.vary", place);
  ImGui::SetNextItemWidth(width);
  const bool is_open = ImGui::BeginCombo("##what", draft.what.c_str(), ImGuiComboFlags_HeightLarge);
  landmark(mark);
  help_tooltip("A constant of the source, or a number of the launch.");
  if (!is_open) return;
  for (const VariedRow& row : rows) {
    if (row.what != draft.what && is_drafted(row.what)) continue;
    if (ImGui::Selectable(row.what.c_str(), row.what == draft.what))
      draft = {row.what, fmt::format("{}", fmt::join(row.values, ", "))};
    landmark(mark + "." + row.what);
  }
  ImGui::EndCombo();
}

bool ValuesPane::draw_drafts(const std::vector<VariedRow>& rows) {
  const float cross = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemSpacing.x;
  const float name = width_of_names(rows);
  const float values = std::min(em() * 22, ImGui::GetContentRegionAvail().x - name - cross - 2 * gap);
  bool starts = false;
  std::optional<std::size_t> removed;
  for (std::size_t place = 0; place < drafts_.size(); ++place) {
    ImGui::PushID(static_cast<int>(place));
    draw_name(rows, place, name);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(values);
    {
      const MonoText mono;
      const ImGuiInputTextFlags flags =
          ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
      starts = ImGui::InputText("##values", &drafts_[place].values, flags) || starts;
    }
    landmark(mark_in_row("kernel_file.values", place));
    help_tooltip("Values, with commas between them.");
    if (drafts_.size() > 1) {
      ImGui::SameLine();
      if (ImGui::Button("x", {cross, cross})) removed = place;
      landmark(fmt::format("kernel_file.vary_less_{}", place + 1));
      help_tooltip(drafts_[place].what + " keeps the value that it has in the launch.");
    }
    ImGui::PopID();
  }
  if (removed) drafts_.erase(drafts_.begin() + static_cast<std::ptrdiff_t>(*removed));
  return starts;
}

void ValuesPane::draw_buttons(const std::vector<VariedRow>& rows, TriedValues& tried, bool starts) {
  std::vector<VariedValues> varied;
  varied.reserve(drafts_.size());
  for (const Draft& draft : drafts_) varied.push_back({draft.what, split_values(draft.values)});
  const std::size_t count = count_combinations(varied);
  const bool is_possible = count > 0 && count <= max_combinations;
  const float button = ImGui::CalcTextSize("Cancel").x + 2 * ImGui::GetStyle().FramePadding.x;
  if (tried.runs()) {
    if (ImGui::Button("Cancel", {button, 0})) tried.cancel();
    landmark("kernel_file.stop");
  } else {
    ImGui::BeginDisabled(!is_possible);
    starts = ImGui::Button("Try", {button, 0}) || starts;
    ImGui::EndDisabled();
    landmark("kernel_file.try");
    help_tooltip("Compiles, checks and executes the kernel with each of the values.");
  }
  const VariedRow* next = next_to_vary(rows);
  if (next != nullptr) {
    ImGui::SameLine();
    if (ImGui::Button("Add another"))
      drafts_.push_back({next->what, fmt::format("{}", fmt::join(next->values, ", "))});
    landmark("kernel_file.vary_more");
    help_tooltip("Another constant or number, in all combinations with these.");
  }
  if (drafts_.size() > 1 || count > max_combinations) {
    const std::string words = fmt::format("{} combinations", format_count(static_cast<std::int64_t>(count)));
    const std::string most = count > max_combinations ? fmt::format(", at most {}", max_combinations) : "";
    same_line_if_fits(ImGui::CalcTextSize((words + most).c_str()).x);
    ImGui::AlignTextToFramePadding();
    text_colored(most.empty() ? palette().muted : palette().error, words + most);
    landmark("kernel_file.combinations");
  }
  if (starts && is_possible) tried.start(varied);
}

void ValuesPane::draw(OpenedFile& opened, TriedValues& tried) {
  const std::vector<VariedRow> rows = varied_rows(opened.launch());
  if (rows.empty()) {
    empty_state("Nothing to vary", "Neither the launch nor the source has a whole number with a name.");
    return;
  }
  follow(rows);
  const bool starts = draw_drafts(rows);
  draw_buttons(rows, tried, starts);
  const std::vector<std::string>& varied = tried.varied();
  if (varied.empty()) {
    text_wrapped(
        palette().muted,
        "Choose a number, and Try executes the kernel with each value: latency, result and conflicts "
        "side by side. Add another makes a table of all combinations.");
    return;
  }
  if (!tried.problem().empty()) return text_wrapped(palette().error, tried.problem());
  if (tried.is_outdated())
    text_wrapped(palette().warning, "The launch has changed since: Try executes the values anew.");
  if (tried.runs()) {
    draw_progress(tried);
  } else {
    draw_outcome(tried);
  }
  const auto clicked = draw_table(tried, varied, rows);
  if (!clicked) return;
  for (const auto& [what, value] : *clicked) opened.choose(what, value);
}

}  // namespace tilescope
