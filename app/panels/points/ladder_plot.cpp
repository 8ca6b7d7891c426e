#include "app/panels/points/ladder_plot.hpp"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"
#include "sessions/shared_measurement.hpp"
#include "sessions/trust.hpp"

namespace tilescope {

namespace {

ImVec4 color_of(const LadderBar& bar) {
  if (bar.older_source) return palette().muted;
  switch (bar.kind) {
    case LadderKind::measured:
      return palette().measured;
    case LadderKind::recorded:
      return palette().recorded;
    case LadderKind::predicted:
      return palette().predicted;
  }
  return palette().muted;
}

float line_weight() {
  return std::max(1.0F, std::round(em() * 0.1F));
}

/// Kinds differ without colour: measured bars are filled, recorded ones hatched, predicted ones hollow.
void draw_bar(ImDrawList& draw, ImVec2 min, ImVec2 max, LadderKind kind, const ImVec4& color) {
  const float rounding = em() * 0.12F;
  if (kind == LadderKind::measured) return draw.AddRectFilled(min, max, to_u32(color), rounding);
  if (kind == LadderKind::recorded) {
    draw.AddRectFilled(min, max, to_u32(wash(color, 0.45F)), rounding);
    draw.PushClipRect(min, max, true);
    const float height = max.y - min.y;
    for (float x = min.x - height; x < max.x; x += em() * 0.5F)
      draw.AddLine({x, max.y}, {x + height, min.y}, to_u32(wash(color, 0.8F)), line_weight());
    draw.PopClipRect();
  }
  draw.AddRect(min, max, to_u32(color), rounding, line_weight());
}

struct Geometry {
  ImVec2 corner;
  float width = 0;
  float plot_left = 0;
  float plot_width = 0;
  float lane_height = 0;
  float lanes_top = 0;
  float row_height = 0;
  float rows_top = 0;
  float rows_bottom = 0;
  float bottom = 0;

  float x(double place) const {
    return plot_left + plot_width * static_cast<float>(std::clamp(place, 0.0, 1.0));
  }
};

float figures_width(const LadderColumns& columns) {
  return columns.latency + columns.speed + columns.ratio;
}

Geometry layout(const LadderGroup& group, const LadderColumns& columns) {
  Geometry at;
  at.corner = ImGui::GetCursorScreenPos();
  at.width = ImGui::GetContentRegionAvail().x;
  at.plot_left = at.corner.x + columns.names;
  at.plot_width = std::max(em() * 4, at.width - columns.names - figures_width(columns) - em() * 0.5F);
  const float line = ImGui::GetTextLineHeight();
  at.lane_height = line * 1.05F;
  // Two lines of text, a lane for the label of each baseline, and one for the headers of the figures.
  at.lanes_top = at.corner.y + line * 2.4F;
  const auto lanes = static_cast<float>(group.baselines.size() + 1);
  at.rows_top = at.lanes_top + lanes * at.lane_height + em() * 0.2F;
  at.row_height = line * 1.35F;
  at.rows_bottom = at.rows_top + at.row_height * static_cast<float>(group.bars.size());
  at.bottom = at.rows_bottom + line * 2.4F;
  return at;
}

void draw_right(ImDrawList& draw, float right, float y, const ImVec4& color, const std::string& text) {
  draw.AddText({right - ImGui::CalcTextSize(text.c_str()).x, y}, to_u32(color), text.c_str());
}

std::string origin_of(const LadderGroup& group) {
  const auto& bars = group.bars.empty() ? group.baselines : group.bars;
  const bool one_kind = std::all_of(bars.begin(), bars.end(),
                                    [&](const LadderBar& bar) { return bar.kind == bars.front().kind; });
  if (!one_kind) return group.device;
  return to_string(bars.front().kind) + (bars.front().kind == LadderKind::predicted ? " for " : " on ") +
         group.device;
}

void draw_heading(ImDrawList& draw, const LadderGroup& group, const Geometry& at) {
  const float line = ImGui::GetTextLineHeight();
  ImGui::PushFont(fonts().bold, 0);
  const std::string shape = to_string(group.shape);
  draw.AddText(at.corner, to_u32(palette().text), shape.c_str());
  const float after = ImGui::CalcTextSize(shape.c_str()).x + em();
  ImGui::PopFont();
  draw.AddText({at.corner.x + after, at.corner.y}, to_u32(palette().muted), origin_of(group).c_str());
  const std::string summary = ladder_summary(group);
  const ImVec2 place(at.corner.x, at.corner.y + line * 1.15F);
  draw.PushClipRect(place, {at.corner.x + at.width, place.y + line * 1.3F}, true);
  draw.AddText(place, to_u32(palette().text), summary.c_str());
  draw.PopClipRect();
}

void draw_axis(ImDrawList& draw, const LadderAxis& axis, const Geometry& at) {
  const ImU32 grid = to_u32(wash(palette().muted, 0.18F));
  const float y = at.rows_bottom + em() * 0.15F;
  float last_right = at.corner.x;
  for (const LadderAxis::Tick& tick : axis.ticks) {
    const float x = std::round(at.x(axis.place(tick.value)));
    draw.AddLine({x, at.rows_top}, {x, at.rows_bottom}, grid);
    const float half = ImGui::CalcTextSize(tick.label.c_str()).x / 2;
    if (x - half < last_right + em() * 0.4F) continue;
    draw.AddText({x - half, y}, to_u32(palette().muted), tick.label.c_str());
    last_right = x + half;
  }
  const char* const unit = axis.quantity == LadderQuantity::speed ? "TFLOP/s" : "µs";
  const float unit_width = ImGui::CalcTextSize(unit).x;
  // Left of the axis, where no tick is.
  draw.AddText({at.plot_left - unit_width - em(), y}, to_u32(palette().muted), unit);
}

void draw_figure_headers(ImDrawList& draw, const LadderGroup& group, const LadderColumns& columns,
                         const Geometry& at) {
  const float y = at.rows_top - at.lane_height - em() * 0.1F;
  float right = at.corner.x + at.width;
  draw_right(draw, right, y, palette().muted, reference_words(group));
  right -= columns.ratio;
  if (columns.speed > 0) draw_right(draw, right, y, palette().muted, "TFLOP/s");
  right -= columns.speed;
  draw_right(draw, right, y, palette().muted, latency_header(group));
}

void draw_figures(ImDrawList& draw, const LadderGroup& group, const LadderBar& bar,
                  const LadderColumns& columns, const Geometry& at, float y) {
  const MonoText mono;
  const ImVec4& color = bar.older_source ? palette().muted : palette().text;
  float right = at.corner.x + at.width;
  draw_right(draw, right, y, color, speed_words(bar, group));
  right -= columns.ratio;
  if (columns.speed > 0) draw_right(draw, right, y, color, format_number(bar.tflops, 2));
  right -= columns.speed;
  draw_right(draw, right, y, color, format_us(bar.p50_us));
}

void draw_spread(ImDrawList& draw, const LadderExtent& extent, const LadderAxis& axis, const Geometry& at,
                 float y) {
  const float from = at.x(axis.place(extent.low));
  const float to = at.x(axis.place(extent.high));
  if (to - from < 3 * line_weight()) return;
  const ImU32 color = to_u32(palette().text);
  const float cap = em() * 0.2F;
  draw.AddLine({from, y}, {to, y}, color, line_weight());
  draw.AddLine({from, y - cap}, {from, y + cap}, color, line_weight());
  draw.AddLine({to, y - cap}, {to, y + cap}, color, line_weight());
}

std::string heading_of(const LadderBar& bar) {
  const std::string parameters = to_string(bar.point->parameters);
  return bar.point->kernel + (parameters.empty() ? "" : ": " + parameters);
}

/// The mouse over the last item: a tooltip; returns whether it was clicked.
bool react(const LadderBar& bar, const LadderMenu& menu) {
  if (menu && ImGui::BeginPopupContextItem()) {
    menu(bar.point);
    ImGui::EndPopup();
  }
  if (!ImGui::IsItemHovered()) return false;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::BeginTooltip()) {
    tooltip_body(heading_of(bar), ladder_tooltip(bar), "Click to show this point.");
    ImGui::EndTooltip();
  }
  return ImGui::IsItemClicked();
}

/// A prediction among times says that it is one: its figures stand in the same columns.
std::string label_of(const LadderBar& bar, const LadderGroup& group) {
  const bool is_mixed = std::any_of(group.bars.begin(), group.bars.end(),
                                    [](const LadderBar& each) { return each.kind != LadderKind::predicted; });
  const char* const predicted = bar.kind == LadderKind::predicted && is_mixed ? " (predicted)" : "";
  return bar.point->kernel + predicted + (bar.older_source ? " (older source)" : "") +
         distrust_mark(*bar.point);
}

/// The name at the left: bold for the fastest, with a mark for bars that cannot be told from it.
void draw_name(ImDrawList& draw, const LadderGroup& group, const LadderBar& bar, const LadderColumns& columns,
               const Geometry& at, float y) {
  if (bar.is_fastest) ImGui::PushFont(fonts().bold, 0);
  const ImVec2 place(at.corner.x + em() * 0.3F, y);
  draw.PushClipRect(place, {at.corner.x + columns.names, y + at.row_height}, true);
  draw.AddText(place, to_u32(bar.older_source ? palette().muted : palette().text),
               label_of(bar, group).c_str());
  draw.PopClipRect();
  if (bar.is_fastest) ImGui::PopFont();
  const char* const word = bar.is_fastest ? "best" : bar.ties_with_fastest ? "tie" : "";
  draw_right(draw, at.plot_left - em() * 0.6F, y, palette().muted, word);
}

bool draw_row(ImDrawList& draw, const LadderGroup& group, std::size_t row, std::size_t group_index,
              const LadderColumns& columns, const LadderAxis& axis, const Geometry& at,
              const SharedMeasurement& shown, const LadderMenu& menu) {
  const LadderBar& bar = group.bars[row];
  const float top = at.rows_top + at.row_height * static_cast<float>(row);
  ImGui::SetCursorScreenPos({at.corner.x, top});
  ImGui::PushID(static_cast<int>(row));
  ImGui::InvisibleButton("bar", {at.width, at.row_height});
  ImGui::PopID();
  landmark("ladder.bar." + bar.point->kernel + "." + std::to_string(group_index));
  const bool is_shown = bar.point == shown;
  if (is_shown || ImGui::IsItemHovered()) {
    const ImU32 color = to_u32(is_shown ? palette().accent_soft : wash(palette().hovered, 0.7F));
    draw.AddRectFilled({at.corner.x, top}, {at.corner.x + at.width, top + at.row_height}, color,
                       em() * 0.15F);
  }
  const LadderExtent extent = extent_of(bar, axis.quantity);
  const float inset = at.row_height * 0.18F;
  const float end = std::max(at.x(axis.place(extent.value)), at.plot_left + 2 * line_weight());
  draw_bar(draw, {at.plot_left, top + inset}, {end, top + at.row_height - inset}, bar.kind, color_of(bar));
  draw_spread(draw, extent, axis, at, top + at.row_height / 2);
  const float text_y = top + (at.row_height - ImGui::GetTextLineHeight()) / 2;
  draw_name(draw, group, bar, columns, at, text_y);
  draw_figures(draw, group, bar, columns, at, text_y);
  return react(bar, menu);
}

/// The longest label that fits.
std::string baseline_label(const LadderBar& bar, float room) {
  const std::string& name = bar.point->kernel;
  const std::string named = name + (bar.other_operations ? " (scores only)" : "");
  for (const std::string& label : {named + " " + format_latency(bar.p50_us), named}) {
    if (ImGui::CalcTextSize(label.c_str()).x <= room) return label;
  }
  return name;
}

/// A line across the group's bars, with its label in a lane of its own above them.
bool draw_baseline(ImDrawList& draw, const LadderBar& bar, std::size_t lane, std::size_t group_index,
                   const LadderAxis& axis, const Geometry& at, const LadderMenu& menu) {
  const float x = std::round(at.x(axis.place(extent_of(bar, axis.quantity).value)));
  const float y = at.lanes_top + at.lane_height * static_cast<float>(lane);
  const float room = at.corner.x + at.width - x - em() * 0.3F;
  const std::string label = baseline_label(bar, room);
  const ImVec2 size = ImGui::CalcTextSize(label.c_str());
  const bool to_the_right = size.x <= room;
  const float left = std::max(at.corner.x, to_the_right ? x + em() * 0.3F : x - size.x - em() * 0.3F);
  ImGui::SetCursorScreenPos({left, y});
  ImGui::PushID(static_cast<int>(lane) + 1000);
  ImGui::InvisibleButton("baseline", size);
  ImGui::PopID();
  landmark("ladder.baseline." + bar.point->kernel + "." + std::to_string(group_index));
  const ImVec4 color = bar.other_operations ? palette().muted : palette().warning;
  const float step = em() * 0.35F;
  for (float from = y; from < at.rows_bottom; from += bar.other_operations ? 2 * step : step) {
    draw.AddLine({x, from}, {x, std::min(from + step, at.rows_bottom)}, to_u32(color), line_weight());
  }
  draw.AddText({left, y}, to_u32(ImGui::IsItemHovered() ? palette().text : palette().muted), label.c_str());
  return react(bar, menu);
}

/// A line begins below the labels of those to its left, and crosses none.
std::vector<const LadderBar*> from_the_left(const LadderGroup& group, LadderQuantity quantity) {
  std::vector<const LadderBar*> sorted;
  sorted.reserve(group.baselines.size());
  for (const LadderBar& bar : group.baselines) sorted.push_back(&bar);
  std::sort(sorted.begin(), sorted.end(), [&](const LadderBar* a, const LadderBar* b) {
    return extent_of(*a, quantity).value < extent_of(*b, quantity).value;
  });
  return sorted;
}

void draw_swatch(const LadderBar& bar, const std::string& text) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetTextLineHeight();
  draw_bar(*ImGui::GetWindowDrawList(), {corner.x, corner.y + line * 0.2F},
           {corner.x + em() * 1.2F, corner.y + line * 0.8F}, bar.kind, color_of(bar));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + em() * 1.6F);
  text_muted(text);
  ImGui::SameLine(0, em());
}

}  // namespace

LadderColumns ladder_columns(const std::vector<LadderGroup>& groups) {
  LadderColumns columns;
  columns.latency = em() * 5;
  for (const LadderGroup& group : groups) {
    columns.latency =
        std::max(columns.latency, ImGui::CalcTextSize(latency_header(group).c_str()).x + em() * 0.8F);
    for (const LadderBar& bar : group.bars)
      columns.names = std::max(columns.names, ImGui::CalcTextSize(label_of(bar, group).c_str()).x);
    columns.ratio = std::max(columns.ratio, ImGui::CalcTextSize(reference_words(group).c_str()).x);
  }
  const float available = ImGui::GetContentRegionAvail().x;
  columns.names = std::min(columns.names, available * 0.25F) + em() * 4.8F;
  columns.speed = em() * 4.8F;
  columns.ratio = std::max(em() * 4, columns.ratio + em() * 0.8F);
  // The tooltip has it, too.
  if (available - columns.names - figures_width(columns) < em() * 10) columns.speed = 0;
  return columns;
}

void draw_ladder_legend(const std::vector<LadderGroup>& groups) {
  std::array<const LadderBar*, 3> of_kind{};
  bool has_baselines = false;
  for (const LadderGroup& group : groups) {
    for (const LadderBar& bar : group.bars) of_kind[static_cast<std::size_t>(bar.kind)] = &bar;
    has_baselines = has_baselines || !group.baselines.empty();
  }
  for (const LadderBar* bar : of_kind) {
    if (bar == nullptr) continue;
    LadderBar sample;
    sample.kind = bar->kind;
    draw_swatch(sample, to_string(bar->kind));
  }
  if (has_baselines) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddLine({corner.x + em() * 0.4F, corner.y},
                                        {corner.x + em() * 0.4F, corner.y + ImGui::GetTextLineHeight()},
                                        to_u32(palette().warning), line_weight());
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + em());
    text_muted("library baseline");
    ImGui::SameLine(0, em());
  }
  const bool any_predicted = of_kind[static_cast<std::size_t>(LadderKind::predicted)] != nullptr;
  const bool all_predicted = any_predicted && std::count(of_kind.begin(), of_kind.end(), nullptr) == 2;
  const char* const words = all_predicted ? "best configuration of each kernel, with the prediction's band"
                            : any_predicted
                                ? "best correct configuration of each kernel, with p10 to p90 or band"
                                : "best correct configuration of each kernel, with p10 to p90";
  if (ImGui::CalcTextSize(words).x > ImGui::GetContentRegionAvail().x) ImGui::NewLine();
  text_muted(words);
}

bool draw_ladder_line(const LadderLine& line, std::size_t index, bool names_device) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(index));
  const bool clicked = ImGui::Selectable("##line", false, ImGuiSelectableFlags_SpanAllColumns);
  landmark("ladder.line." + std::to_string(index));
  help_tooltip("Click to scroll to this shape.");
  ImGui::PopID();
  ImGui::SameLine(0, 0);
  text_colored(palette().text, line.shape);
  const auto draw_cell = [](const ImVec4& color, const std::string& text) {
    ImGui::TableNextColumn();
    text_colored(color, text);
  };
  if (names_device) draw_cell(palette().muted, line.device);
  ImGui::PushFont(fonts().bold, 0);
  draw_cell(palette().text, line.kernel);
  ImGui::PopFont();
  draw_cell(palette().text, line.latency);
  draw_cell(palette().muted, line.speed);
  return clicked;
}

SharedMeasurement draw_ladder_group(const LadderGroup& group, std::size_t index, const LadderColumns& columns,
                                    const LadderView& view, const SharedMeasurement& shown,
                                    const LadderMenu& menu) {
  const Geometry at = layout(group, columns);
  const ImVec2 size(at.width, at.bottom - at.corner.y);
  SharedMeasurement clicked;
  if (ImGui::IsRectVisible(at.corner, {at.corner.x + size.x, at.bottom})) {
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const LadderAxis axis = make_ladder_axis(group, view.quantity, view.log);
    ImGui::PushID(static_cast<int>(index));
    draw_heading(draw, group, at);
    draw_axis(draw, axis, at);
    draw_figure_headers(draw, group, columns, at);
    for (std::size_t row = 0; row < group.bars.size(); ++row) {
      if (draw_row(draw, group, row, index, columns, axis, at, shown, menu)) clicked = group.bars[row].point;
    }
    std::size_t lane = 0;
    for (const LadderBar* baseline : from_the_left(group, view.quantity)) {
      if (draw_baseline(draw, *baseline, lane++, index, axis, at, menu)) clicked = baseline->point;
    }
    ImGui::PopID();
  }
  ImGui::SetCursorScreenPos(at.corner);
  ImGui::Dummy(size);
  return clicked;
}

}  // namespace tilescope
