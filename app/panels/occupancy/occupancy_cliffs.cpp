#include "app/panels/occupancy/occupancy_cliffs.hpp"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/plot_marks.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

/// Beside each other where each gets at least this width; else below each other. [em]
constexpr float least_plot_width = 12;
constexpr float least_plot_height = 10;
/// Least width of what changes, in the table of savings. [em]
constexpr float least_change_width = 6;
constexpr std::array savings_headers{"Change", "Now", "Needed", "Save", "Blocks/SM", "Warps/SM", "Occupancy"};

std::array<const std::string*, savings_headers.size()> cells_of(const SavingRow& row) {
  return {&row.what, &row.from, &row.to, &row.save, &row.blocks, &row.warps, &row.occupancy};
}

/// Width of the widest text of each column of the table of savings. [px]
std::array<float, savings_headers.size()> column_widths(const std::vector<SavingRow>& rows) {
  std::array<float, savings_headers.size()> widths{};
  for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = ImGui::CalcTextSize(savings_headers[i]).x;
  for (const SavingRow& row : rows) {
    widths[0] = std::max(widths[0], ImGui::CalcTextSize(capitalised(row.what).c_str()).x);
    const MonoText mono;
    const auto cells = cells_of(row);
    for (std::size_t i = 1; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], ImGui::CalcTextSize(cells[i]->c_str()).x);
  }
  return widths;
}

using SavingsColumns = std::vector<std::size_t>;

float width_of(const SavingsColumns& columns, const std::array<float, savings_headers.size()>& widths) {
  float width = 0;
  for (const std::size_t column : columns) width += widths[column] + 2 * ImGui::GetStyle().CellPadding.x;
  return width;
}

/// Ends at the right edge of the column, as numbers do.
void text_at_the_right(const char* text) {
  const float space = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text).x;
  if (space > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + space);
  ImGui::TextUnformatted(text);
}

void draw_savings_row(const SavingRow& row, std::size_t index, const SavingsColumns& columns) {
  const auto cells = cells_of(row);
  ImGui::TableNextRow();
  for (const std::size_t column : columns) {
    ImGui::TableNextColumn();
    if (column == 0) {
      text_wrapped(index == 0 ? palette().muted : palette().text, capitalised(row.what));
      landmark("one_more.row." + std::to_string(index));
      continue;
    }
    const MonoText mono;
    text_at_the_right(cells[column]->c_str());
    landmark("one_more.cell." + std::to_string(index) + "." + std::to_string(column));
  }
}

void draw_savings_headers(const SavingsColumns& columns) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const std::size_t column : columns) {
    ImGui::TableNextColumn();
    if (column == 0) {
      ImGui::TextUnformatted(savings_headers[column]);
    } else {
      text_at_the_right(savings_headers[column]);
    }
  }
}

const char* axis_label(BlockQuantity quantity) {
  switch (quantity) {
    case BlockQuantity::registers:
      return "Registers per thread";
    case BlockQuantity::shared_memory:
      return "Shared memory per block [KiB]";
    case BlockQuantity::threads:
      return "Threads per block";
  }
  return "";
}

const char* plot_mark(BlockQuantity quantity) {
  switch (quantity) {
    case BlockQuantity::registers:
      return "plot.cliff.registers";
    case BlockQuantity::shared_memory:
      return "plot.cliff.shared_memory";
    case BlockQuantity::threads:
      return "plot.cliff.threads";
  }
  return "";
}

/// On the axis: shared memory in KiB.
double place(BlockQuantity quantity, std::int64_t amount) {
  return static_cast<double>(amount) / (quantity == BlockQuantity::shared_memory ? 1024 : 1);
}

MarkStyle current_style() {
  return {ImPlotMarker_Circle, palette().selection, false, false};
}

MarkStyle next_style() {
  return {ImPlotMarker_Cross, palette().accent, true, false};
}

/// Steps that one resource limits, one after the other, share a mark.
struct Run {
  Limiter limiter = Limiter::warps;
  std::size_t first = 0;
  std::size_t last = 0;
};

std::vector<Run> runs_of(const Cliff& cliff) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < cliff.steps.size(); ++i) {
    const Limiter limiter = cliff.steps[i].occupancy.limiter;
    if (runs.empty() || runs.back().limiter != limiter) runs.push_back({limiter, i, i});
    runs.back().last = i;
  }
  return runs;
}

/// Where another block would fit, on the curve of one quantity.
std::optional<std::int64_t> next_amount(const OneMoreBlock& next, BlockQuantity quantity) {
  for (const BlockSaving& saving : next.savings) {
    if (saving.changes.size() == 1 && saving.changes.front().quantity == quantity)
      return saving.changes.front().to;
  }
  return std::nullopt;
}

/// One of the three plots, between BeginPlot and EndPlot.
class CliffPlot {
 public:
  CliffPlot(const Cliff& cliff, const OneMoreBlock& next, const DeviceModel& device)
      : cliff_(cliff), next_(next), device_(device) {}

  void draw(ImVec2 size, bool names_height) const {
    ImGui::PushID(static_cast<int>(cliff_.quantity));
    if (ImPlot::BeginPlot("##cliff", size, ImPlotFlags_CanvasOnly | ImPlotFlags_NoFrame)) {
      set_up(names_height);
      ImPlot::PushPlotClipRect();
      draw_curve();
      draw_limiters();
      draw_places();
      ImPlot::PopPlotClipRect();
      react_to_mouse();
      ImPlot::EndPlot();
    }
    ImGui::PopID();
  }

 private:
  void set_up(bool names_height) const {
    constexpr ImPlotAxisFlags fixed = ImPlotAxisFlags_NoMenus | ImPlotAxisFlags_Lock;
    ImPlot::SetupAxes(axis_label(cliff_.quantity), names_height ? "Warps per SM" : nullptr, fixed, fixed);
    const double end = place(cliff_.quantity, largest_amount(cliff_.quantity, device_));
    ImPlot::SetupAxisLimits(ImAxis_X1, 0, end * 1.01, ImPlotCond_Always);
    ImPlot::SetupAxisLimits(ImAxis_Y1, 0, static_cast<double>(device_.max_warps_per_sm) * 1.12,
                            ImPlotCond_Always);
    ImPlot::SetupFinish();
    const ImVec2 corner = ImPlot::GetPlotPos();
    const ImVec2 size = ImPlot::GetPlotSize();
    landmark(plot_mark(cliff_.quantity), corner, {corner.x + size.x, corner.y + size.y});
  }

  ImVec2 pixel(std::int64_t amount, const Occupancy& occupancy) const {
    return ImPlot::PlotToPixels(place(cliff_.quantity, amount), static_cast<double>(occupancy.warps_per_sm));
  }

  /// A step ends where the next one begins.
  std::int64_t end_of(const CliffStep& step) const {
    return &step == &cliff_.steps.back() ? step.last : step.last + 1;
  }

  void draw_curve() const {
    ImDrawList& draw = *ImPlot::GetPlotDrawList();
    const float bottom = ImPlot::GetPlotPos().y + ImPlot::GetPlotSize().y;
    const float weight = std::max(1.5F, em() * 0.14F);
    ImVec2 before;
    for (const CliffStep& step : cliff_.steps) {
      const ImVec2 from = pixel(step.first, step.occupancy);
      const ImVec2 to = pixel(end_of(step), step.occupancy);
      const ImVec4 color = color_of(step.occupancy.limiter);
      draw.AddRectFilled(from, {to.x, bottom}, to_u32(wash(color, 0.12F)));
      if (&step != &cliff_.steps.front())
        draw.AddLine(before, from, to_u32(faint_color()), std::max(1.0F, ui_scale()));
      draw.AddLine(from, to, to_u32(color), weight);
      before = to;
    }
  }

  void draw_limiters() const {
    const float radius = em() * 0.28F;
    for (const Run& run : runs_of(cliff_)) {
      const CliffStep& first = cliff_.steps[run.first];
      const CliffStep& last = cliff_.steps[run.last];
      const float width = pixel(end_of(last), last.occupancy).x - pixel(first.first, first.occupancy).x;
      if (width < 3 * radius) continue;
      const CliffStep& middle = cliff_.steps[cliff_.find((first.first + last.last) / 2)];
      const ImVec2 at = pixel((middle.first + end_of(middle)) / 2, middle.occupancy);
      draw_mark(*ImPlot::GetPlotDrawList(), style_of(run.limiter), at, radius);
    }
  }

  /// The block as it is, and where another one would fit.
  void draw_places() const {
    ImDrawList& draw = *ImPlot::GetPlotDrawList();
    if (const auto next = next_amount(next_, cliff_.quantity)) {
      const std::size_t step = cliff_.find(*next);
      if (step < cliff_.steps.size())
        draw_mark(draw, next_style(), pixel(*next, cliff_.steps[step].occupancy), em() * 0.4F);
    }
    const std::size_t step = cliff_.find(cliff_.amount);
    if (step == cliff_.steps.size()) return;
    const ImVec2 at = pixel(cliff_.amount, cliff_.steps[step].occupancy);
    const float bottom = ImPlot::GetPlotPos().y + ImPlot::GetPlotSize().y;
    dashed_line(draw, {at.x, at.y + em() * 0.62F}, {at.x, bottom}, to_u32(palette().selection),
                std::max(1.0F, ui_scale()));
    draw_ring(at, current_style().color);
  }

  void react_to_mouse() const {
    if (!ImPlot::IsPlotHovered()) return;
    const double x =
        ImPlot::GetPlotMousePos().x * (cliff_.quantity == BlockQuantity::shared_memory ? 1024 : 1);
    const auto amount = std::max(smallest_amount(cliff_.quantity), static_cast<std::int64_t>(std::floor(x)));
    const std::size_t index = cliff_.find(amount);
    if (index == cliff_.steps.size()) return;
    const CliffStep& step = cliff_.steps[index];
    ImDrawList& draw = *ImPlot::GetPlotDrawList();
    const float top = ImPlot::GetPlotPos().y;
    const float mouse = ImGui::GetIO().MousePos.x;
    draw.AddLine({mouse, top}, {mouse, top + ImPlot::GetPlotSize().y}, to_u32(faint_color()),
                 std::max(1.0F, ui_scale()));
    if (!ImGui::BeginTooltip()) return;
    tooltip_body(step_heading(cliff_, step), step_tooltip(step), "");
    ImGui::EndTooltip();
    landmark("cliffs.tooltip");
  }

  const Cliff& cliff_;
  const OneMoreBlock& next_;
  const DeviceModel& device_;
};

void draw_cliff_legend(const std::array<Cliff, 3>& cliffs, const OneMoreBlock& next) {
  std::set<Limiter> limiters;
  for (const Cliff& cliff : cliffs) {
    for (const CliffStep& step : cliff.steps) limiters.insert(step.occupancy.limiter);
  }
  std::vector<LegendEntry> legend;
  legend.reserve(limiters.size() + 2);
  for (const Limiter limiter : limiters)
    legend.push_back({style_of(limiter), "limited by " + resource_words(limiter)});
  legend.push_back({current_style(), "this block"});
  if (!next.savings.empty()) legend.push_back({next_style(), "one more block"});
  draw_legend(legend);
}

/// Draws the configuration of the views and its residency.
void draw_subject(const OccupancySubject& subject, const Occupancy& now) {
  ImGui::PushTextWrapPos(0);
  text_muted(subject.heading() + ": " + subject.words() + (subject.is_outdated() ? " (measuring...)" : ""));
  text_colored(palette().text, capitalised(residency_words(now)) + ", " + step_words(now) + ".");
  ImGui::PopTextWrapPos();
}

}  // namespace

void OccupancyCliffs::draw(Explorer& explorer) {
  if (subject_.update(explorer) && subject_.needs()) {
    cliffs_ = occupancy_cliffs(subject_.device(), *subject_.needs());
    next_ = one_more_block(subject_.device(), *subject_.needs());
  }
  if (!subject_.needs()) return subject_.say_what_is_missing(explorer);
  draw_subject(subject_, next_.now);
  text_wrapped(palette().text, one_more_sentence(next_));
  draw_cliff_legend(cliffs_, next_);
  draw_plots();
}

void OccupancyCliffs::draw_plots() const {
  if (!ImGui::BeginChild("cliffs")) return ImGui::EndChild();
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const float spacing = ImGui::GetStyle().ItemSpacing.x;
  const bool beside = space.x >= 3 * least_plot_width * em();
  const float width = beside ? (space.x - 2 * spacing) / 3 : space.x;
  const float height =
      beside ? space.y : std::max(space.y / 3 - ImGui::GetStyle().ItemSpacing.y, least_plot_height * em());
  for (const Cliff& cliff : cliffs_) {
    const bool is_first = &cliff == &cliffs_.front();
    if (beside && !is_first) ImGui::SameLine(0, spacing);
    CliffPlot(cliff, next_, subject_.device()).draw({width, height}, is_first || !beside);
  }
  ImGui::EndChild();
}

void OneMoreBlockTable::draw(Explorer& explorer) {
  if (subject_.update(explorer) && subject_.needs())
    next_ = one_more_block(subject_.device(), *subject_.needs());
  if (!subject_.needs()) return subject_.say_what_is_missing(explorer);
  draw_subject(subject_, next_.now);
  ImGui::Spacing();
  text_wrapped(palette().text, one_more_sentence(next_));
  landmark("one_more.sentence");
  if (!next_.impossible.empty()) return;
  ImGui::Spacing();
  draw_table();
  for (const std::string& refusal : next_.refusals) text_wrapped(palette().muted, refusal);
}

void OneMoreBlockTable::draw_table() const {
  const std::vector<SavingRow> rows = saving_rows(next_);
  auto widths = column_widths(rows);
  const float space = ImGui::GetContentRegionAvail().x;
  SavingsColumns columns{0, 1, 2, 3, 4, 5, 6};
  // The sentences above say what is saved and how many warps there are, and what changes may be wrapped; where that is
  // not enough, it scrolls.
  for (const SavingsColumns& fewer : {SavingsColumns{0, 1, 2, 4, 5, 6}, SavingsColumns{0, 1, 2, 4, 6}}) {
    if (width_of(columns, widths) <= space) break;
    columns = fewer;
    const float rest = width_of(columns, widths) - widths[0];
    if (space - rest >= least_change_width * em()) widths[0] = std::min(widths[0], space - rest);
  }
  const bool is_narrow = width_of(columns, widths) > space + 1;
  ImGuiTableFlags flags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX |
                          ImGuiTableFlags_NoKeepColumnsVisible;
  float height = 0;
  if (is_narrow) {
    flags |= ImGuiTableFlags_ScrollX;
    height = (static_cast<float>(rows.size()) + 1.6F) *
                 (ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y) +
             ImGui::GetStyle().ScrollbarSize;
  }
  if (!ImGui::BeginTable("savings", static_cast<int>(columns.size()), flags, {0, height})) return;
  for (const std::size_t column : columns)
    ImGui::TableSetupColumn(savings_headers[column], ImGuiTableColumnFlags_WidthFixed, widths[column]);
  if (is_narrow) ImGui::TableSetupScrollFreeze(1, 0);
  draw_savings_headers(columns);
  for (std::size_t i = 0; i < rows.size(); ++i) draw_savings_row(rows[i], i, columns);
  ImGui::EndTable();
}

}  // namespace tilescope
