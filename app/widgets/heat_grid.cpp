#include "app/widgets/heat_grid.hpp"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <cmath>

#include "app/shell/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/contrast.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/text.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {

namespace {

/// The place of the cells on the screen.
struct Geometry {
  /// Corner of the first cell.
  ImVec2 corner;
  ImVec2 cell;
  float gap = 0;
  /// Of the colour scale, to the right of the cells.
  float scale_width = 0;
  std::size_t columns = 0;
  std::size_t rows = 0;

  /// Rows ascend downwards, as in the label of the axis.
  ImVec2 min(std::size_t index) const {
    const std::size_t row = index / columns;
    return {corner.x + static_cast<float>(index % columns) * cell.x,
            corner.y + static_cast<float>(row) * cell.y};
  }
  ImVec2 max(std::size_t index) const {
    const ImVec2 from = min(index);
    return {from.x + cell.x - gap, from.y + cell.y - gap};
  }
  ImVec2 size() const { return {cell.x * static_cast<float>(columns), cell.y * static_cast<float>(rows)}; }
};

constexpr float least_scale_width_em = 5.5F;

float widest(const std::vector<std::string>& labels) {
  float width = 0;
  for (const std::string& label : labels) width = std::max(width, ImGui::CalcTextSize(label.c_str()).x);
  return width;
}

Geometry layout(const HeatMapView& view, ImVec2 origin, ImVec2 space) {
  Geometry at;
  at.columns = view.x.values.size();
  at.rows = view.y.values.size();
  at.gap = std::max(1.0F, em() * 0.12F);
  const float labels = widest(view.y.labels) + em() * 0.6F;
  const float line = ImGui::GetTextLineHeight();
  at.scale_width =
      std::max(least_scale_width_em * em(), ImGui::CalcTextSize(scale_words(view).c_str()).x + em() * 0.8F);
  const float width = space.x - labels - at.scale_width;
  const float height = space.y - 2.2F * line - ImGui::GetStyle().ItemSpacing.y - 1;
  at.corner = {origin.x + labels, origin.y + 1.2F * line};
  at.cell = {std::max(width / static_cast<float>(at.columns), em() * 2),
             std::max(height / static_cast<float>(at.rows), line)};
  return at;
}

/// Returns whether it fits: a truncated number would read as another number.
bool centred(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color, const std::string& text) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  if (size.x > max.x - min.x || size.y > max.y - min.y) return false;
  draw.AddText({std::round((min.x + max.x - size.x) / 2), std::round((min.y + max.y - size.y) / 2)},
               to_u32(color), text.c_str());
  return true;
}

/// A figure with a word behind it, or below it where the cell is narrow; the figure alone where it is low as well.
void centred_with_word(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color, const std::string& text,
                       const std::string& word) {
  if (centred(draw, min, max, color, text + " " + word)) return;
  const float middle = (min.y + max.y) / 2;
  const float line = ImGui::GetTextLineHeight();
  const bool fits = max.y - min.y > 2 * line && ImGui::CalcTextSize(word.c_str()).x < max.x - min.x;
  if (!fits) {
    centred(draw, min, max, color, text);
    return;
  }
  centred(draw, {min.x, middle - line}, {max.x, middle}, color, text);
  centred(draw, {min.x, middle}, {max.x, middle + line}, color, word);
}

ImVec4 shade_color(const HeatGrid& grid, double shade) {
  const double bright = grid.bright_is_small ? 1 - shade : shade;
  return ImPlot::SampleColormap(static_cast<float>(bright), palette().heat_map);
}

void draw_cell(ImDrawList& draw, const HeatGrid& grid, std::size_t index, ImVec2 min, ImVec2 max) {
  const HeatCell& cell = grid.view.cells[index];
  const float rounding = em() * 0.15F;
  switch (cell.state) {
    case HeatCell::State::value: {
      const ImVec4 color = shade_color(grid, grid.view.shade(cell.value));
      draw.AddRectFilled(min, max, to_u32(color), rounding);
      const ImVec4 text_color = black_or_white_on(color);
      if (grid.view.first == index) {
        centred_with_word(draw, min, max, text_color, cell.text, grid.view.first_word);
      } else {
        centred(draw, min, max, text_color, cell.text);
      }
      break;
    }
    case HeatCell::State::failed:
      draw.AddRectFilled(min, max, to_u32(wash(palette().error, tint_opacity)), rounding);
      draw.AddRect(min, max, to_u32(wash(palette().error, 0.7F)), rounding);
      centred(draw, min, max, palette().error, cell.text);
      break;
    case HeatCell::State::invalid:
      draw.AddRectFilled(min, max, to_u32(wash(palette().muted, 0.08F)), rounding);
      hatch(draw, min, max, wash(palette().muted, 0.45F));
      break;
    case HeatCell::State::empty:
      draw.AddRect(min, max, to_u32(faint_color()), rounding);
      break;
  }
}

std::string axes_words(const HeatMapView& view) {
  return "Rows: " + view.y.name + ", columns: " + view.x.name;
}

void draw_labels(ImDrawList& draw, const HeatMapView& view, const Geometry& at, ImVec2 origin) {
  const ImU32 color = to_u32(palette().muted);
  const float line = ImGui::GetTextLineHeight();
  for (std::size_t row = 0; row < at.rows; ++row) {
    const std::string& label = view.y.labels[row];
    const float y = at.corner.y + (static_cast<float>(row) + 0.5F) * at.cell.y - at.gap / 2 - line / 2;
    draw.AddText({at.corner.x - em() * 0.5F - ImGui::CalcTextSize(label.c_str()).x, std::round(y)}, color,
                 label.c_str());
  }
  const float bottom = at.corner.y + at.size().y + line * 0.1F;
  for (std::size_t column = 0; column < at.columns; ++column) {
    const std::string& label = view.x.labels[column];
    const float centre = at.corner.x + (static_cast<float>(column) + 0.5F) * at.cell.x - at.gap / 2;
    draw.AddText({std::round(centre - ImGui::CalcTextSize(label.c_str()).x / 2), bottom}, color,
                 label.c_str());
  }
  draw.AddText(origin, color, axes_words(view).c_str());
}

/// The quantity above the scale, where it fits beside the axes' names, and what the scale is relative to below it.
void name_scale(ImDrawList& draw, const HeatMapView& view, const Geometry& at, const HeatGrid& grid,
                ImVec2 origin) {
  const ImU32 color = to_u32(palette().muted);
  const float line = ImGui::GetTextLineHeight();
  const float right = at.corner.x + at.size().x + at.scale_width;
  const float value = ImGui::CalcTextSize(grid.value.c_str()).x;
  if (origin.x + ImGui::CalcTextSize(axes_words(view).c_str()).x + em() < right - value)
    draw.AddText({right - value, at.corner.y - 1.2F * line}, color, grid.value.c_str());
  const std::string words = scale_words(view);
  draw.AddText({right - ImGui::CalcTextSize(words.c_str()).x, at.corner.y + at.size().y + line * 0.1F}, color,
               words.c_str());
}

/// The colours with their smallest, middle and largest value.
void draw_scale(ImDrawList& draw, const HeatMapView& view, const Geometry& at, const HeatGrid& grid) {
  constexpr int steps = 48;
  const float left = at.corner.x + at.size().x + em() * 0.8F;
  const float width = em() * 0.8F;
  const float height = at.size().y - at.gap;
  for (int i = 0; i < steps; ++i) {
    // Whole pixels: antialiased edges would show as seams.
    const float from = std::round(at.corner.y + height * static_cast<float>(i) / steps);
    const float to = std::round(at.corner.y + height * static_cast<float>(i + 1) / steps);
    const ImU32 color = to_u32(shade_color(grid, (i + 0.5) / steps));
    draw.AddRectFilled({left, from}, {left + width, to}, color);
  }
  const auto label = [&](double shade, float y) {
    const double value = view.logarithmic ? view.low * std::pow(view.high / view.low, shade)
                                          : view.low + (view.high - view.low) * shade;
    const std::string text = format_number(value, view.high < 10 ? 2 : view.high < 100 ? 1 : 0);
    draw.AddText({left + width + em() * 0.35F, y}, to_u32(palette().muted), text.c_str());
  };
  const float line = ImGui::GetTextLineHeight();
  label(0, at.corner.y);
  if (view.high > view.low && height > 4 * line) label(0.5, at.corner.y + height / 2 - line / 2);
  if (view.high > view.low) label(1, at.corner.y + height - line);
}

void explain_scale(const HeatMapView& view, const Geometry& at) {
  if (view.with_value == 0) return;
  ImGui::SetCursorScreenPos({at.corner.x + at.size().x, at.corner.y});
  ImGui::InvisibleButton("scale", {at.scale_width, at.size().y + ImGui::GetTextLineHeight()});
  landmark("heat_map.scale");
  help_tooltip(scale_help(view));
}

std::optional<std::size_t> cell_under_mouse(const Geometry& at) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float column = std::floor((mouse.x - at.corner.x) / at.cell.x);
  const float row = std::floor((mouse.y - at.corner.y) / at.cell.y);
  if (column < 0 || row < 0 || column >= static_cast<float>(at.columns) ||
      row >= static_cast<float>(at.rows)) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(row) * at.columns + static_cast<std::size_t>(column);
}

void frame_cell(ImDrawList& draw, const Geometry& at, std::size_t index, const ImVec4& color, float weight) {
  const ImVec2 min = at.min(index);
  const ImVec2 max = at.max(index);
  draw.AddRect({min.x - weight / 2, min.y - weight / 2}, {max.x + weight / 2, max.y + weight / 2},
               to_u32(color), em() * 0.2F, weight);
}

/// A dark ring and a light one inside the cell: one of them stands out against any colour.
void ring_cell(ImDrawList& draw, const Geometry& at, std::size_t index) {
  const ImVec2 min = at.min(index);
  const ImVec2 max = at.max(index);
  const float weight = std::clamp(std::min(max.x - min.x, max.y - min.y) * 0.06F, std::max(1.0F, ui_scale()),
                                  2.5F * ui_scale());
  float inset = 1.5F * weight;
  for (const ImVec4& color : {HeatGrid::dark_ring, HeatGrid::light_ring}) {
    draw.AddRect({min.x + inset, min.y + inset}, {max.x - inset, max.y - inset}, to_u32(color), em() * 0.1F,
                 weight);
    inset += weight;
  }
  landmark("heat_map.current", min, max);
}

void mark_cells(const HeatMapView& view, const Geometry& at) {
  if (!landmarks_enabled()) return;
  for (std::size_t index = 0; index < view.cells.size(); ++index) {
    landmark("heat_map.cell." + view.x.labels[index % at.columns] + "." + view.y.labels[index / at.columns],
             at.min(index), at.max(index));
  }
}

}  // namespace

HeatGridAction heat_grid(const HeatGrid& grid) {
  HeatGridAction action;
  const HeatMapView& view = grid.view;
  if (view.cells.empty()) return action;
  const MonoText mono;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const Geometry at = layout(view, origin, ImGui::GetContentRegionAvail());
  ImDrawList& draw = *ImGui::GetWindowDrawList();

  ImGui::SetCursorScreenPos(at.corner);
  const bool pressed = ImGui::InvisibleButton("cells", at.size());
  landmark("plot.heat_map", at.corner, {at.corner.x + at.size().x, at.corner.y + at.size().y});
  if (ImGui::IsItemHovered()) action.hovered = cell_under_mouse(at);
  action.clicked = pressed && action.hovered.has_value();

  for (std::size_t index = 0; index < view.cells.size(); ++index)
    draw_cell(draw, grid, index, at.min(index), at.max(index));
  draw_labels(draw, view, at, origin);
  if (view.with_value > 0) {
    draw_scale(draw, view, at, grid);
    name_scale(draw, view, at, grid, origin);
  }
  if (action.hovered) frame_cell(draw, at, *action.hovered, palette().muted, std::max(1.0F, ui_scale()));
  if (grid.current) ring_cell(draw, at, *grid.current);
  mark_cells(view, at);
  ImGui::Dummy({0, ImGui::GetTextLineHeight()});
  explain_scale(view, at);
  return action;
}

}  // namespace tilescope
