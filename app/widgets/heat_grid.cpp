#include "app/widgets/heat_grid.hpp"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <cmath>

#include "app/gui/landmarks.hpp"
#include "app/widgets/cell_grid.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/contrast.hpp"
#include "app/widgets/plot_marks.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

/// The cells and, to the right of them, the colour scale.
struct Geometry : CellGrid {
  float scale_width = 0;
};

constexpr float least_scale_width_em = 5.5F;

const char* const provisional_words = "provisional";
const char* const predicted_words = "predicted";

/// The hollow square of predictions in plots.
MarkStyle predicted_style(const ImVec4& color) {
  return {ImPlotMarker_Square, color, false, true};
}

/// Width of the key to the hollow mark, which comes and goes: there is always room for it.
float key_width() {
  return ImGui::CalcTextSize(provisional_words).x + 1.8F * em();
}

Geometry layout(const HeatMapView& view, ImVec2 origin, ImVec2 space) {
  const float scale_width = std::max({least_scale_width_em * em(), key_width(),
                                      ImGui::CalcTextSize(scale_words(view).c_str()).x + em() * 0.8F});
  return {lay_out_cells(view.x, view.y, origin, space, scale_width), scale_width};
}

/// In the upper right corner of a cell, within its ring, where the cell is large enough to leave the figure free.
void mark_predicted(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color) {
  const float radius = em() * 0.2F;
  const bool has_room = std::min(max.x - min.x, max.y - min.y) > em() * 3;
  const float inset = em() * (has_room ? 0.65F : 0.15F) + radius;
  if (max.x - min.x < 6 * radius || max.y - min.y < 6 * radius) return;
  draw_mark(draw, predicted_style(color), {max.x - inset, min.y + inset}, radius);
}

/// A figure with a word behind it, or below it where the cell is narrow; the figure alone where it is low as well.
void centred_with_word(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color, const std::string& text,
                       const std::string& word) {
  if (draw_centred(draw, min, max, color, text + " " + word)) return;
  const float middle = (min.y + max.y) / 2;
  const float line = ImGui::GetTextLineHeight();
  const bool fits = max.y - min.y > 2 * line && ImGui::CalcTextSize(word.c_str()).x < max.x - min.x;
  if (!fits) {
    draw_centred(draw, min, max, color, text);
    return;
  }
  draw_centred(draw, {min.x, middle - line}, {max.x, middle}, color, text);
  draw_centred(draw, {min.x, middle}, {max.x, middle + line}, color, word);
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
        draw_centred(draw, min, max, text_color, cell.text);
      }
      if (grid.is_predicted) mark_predicted(draw, min, max, text_color);
      break;
    }
    case HeatCell::State::failed:
      draw.AddRectFilled(min, max, to_u32(wash(palette().error, tint_opacity)), rounding);
      draw.AddRect(min, max, to_u32(wash(palette().error, 0.7F)), rounding);
      draw_centred(draw, min, max, palette().error, cell.text);
      break;
    case HeatCell::State::invalid:
      draw_invalid_cell(draw, min, max);
      break;
    case HeatCell::State::empty:
      draw.AddRect(min, max, to_u32(faint_color()), rounding);
      break;
  }
}

/// In an empty cell a hollow mark with the value below or beside it where that fits; over a final value the mark alone,
/// in a corner.
void draw_provisional_cell(ImDrawList& draw, const HeatGrid& grid, const HeatCell& cell, ImVec2 min,
                           ImVec2 max) {
  const MarkStyle style = provisional_style(palette().text);
  const float radius = em() * 0.34F;
  if (cell.state != HeatCell::State::empty) {
    const ImVec2 corner{max.x - 2 * radius, min.y + 2 * radius};
    draw.AddCircleFilled(corner, 1.8F * radius, ImGui::GetColorU32(ImGuiCol_WindowBg));
    return draw_mark(draw, style, corner, radius);
  }
  const std::string& text = grid.provisional_text;
  const ImVec2 middle{(min.x + max.x) / 2, (min.y + max.y) / 2};
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  const float line = ImGui::GetTextLineHeight();
  if (!text.empty() && max.y - min.y > 3 * line && width < max.x - min.x) {
    draw_mark(draw, style, {middle.x, middle.y - line / 2}, radius);
    draw_centred(draw, {min.x, middle.y}, {max.x, middle.y + line}, palette().text, text);
  } else if (!text.empty() && width + 4 * radius < max.x - min.x) {
    const float left = middle.x - (width + 3 * radius) / 2;
    draw_mark(draw, style, {left + radius, middle.y}, radius);
    draw_centred(draw, {left + 2 * radius, min.y}, {left + 4 * radius + width, max.y}, palette().text, text);
  } else {
    draw_mark(draw, style, middle, radius);
  }
}

/// The quantity above the scale, where it fits beside the axes' names, and what the scale is relative to below it.
void name_scale(ImDrawList& draw, const HeatMapView& view, const Geometry& at, const HeatGrid& grid,
                ImVec2 origin) {
  const ImU32 color = to_u32(palette().muted);
  const float line = ImGui::GetTextLineHeight();
  const float right = at.corner.x + at.size().x + at.scale_width;
  const float value = ImGui::CalcTextSize(grid.value.c_str()).x;
  if (origin.x + ImGui::CalcTextSize(axes_words(view.x, view.y).c_str()).x + em() < right - value)
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
  const float line = ImGui::GetTextLineHeight();
  // Above the keys.
  const float height = at.size().y - at.gap - (grid.is_predicted ? 2.6F : 1.4F) * line;
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
  label(0, at.corner.y);
  if (view.high > view.low && height > 4 * line) label(0.5, at.corner.y + height / 2 - line / 2);
  if (view.high > view.low) label(1, at.corner.y + height - line);
}

/// Below the scale: in an exported picture no tooltip says what the hollow mark means.
void draw_key(ImDrawList& draw, const Geometry& at, const MarkStyle& style, const std::string& words,
              int lines_above) {
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 corner{
      at.corner.x + at.size().x + em() * 0.8F,
      at.corner.y + at.size().y - at.gap - line - 1.2F * line * static_cast<float>(lines_above)};
  draw_mark(draw, style, {corner.x + em() * 0.4F, corner.y + line / 2}, em() * 0.28F);
  draw.AddText({corner.x + em(), corner.y}, to_u32(palette().muted), words.c_str());
  landmark("heat_map." + words + "_key", corner, {corner.x + key_width() - em() * 0.8F, corner.y + line});
}

void explain_scale(const HeatMapView& view, const Geometry& at) {
  if (view.with_value == 0) return;
  ImGui::SetCursorScreenPos({at.corner.x + at.size().x, at.corner.y});
  ImGui::InvisibleButton("scale", {at.scale_width, at.size().y + ImGui::GetTextLineHeight()});
  landmark("heat_map.scale");
  help_tooltip(scale_help(view));
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
  if (grid.provisional) {
    const std::size_t cell = *grid.provisional;
    draw_provisional_cell(draw, grid, view.cells[cell], at.min(cell), at.max(cell));
    landmark("heat_map.provisional", at.min(cell), at.max(cell));
    draw_key(draw, at, provisional_style(palette().text), provisional_words, grid.is_predicted ? 1 : 0);
  }
  draw_cell_labels(draw, view.x, view.y, at, origin);
  if (view.with_value > 0) {
    draw_scale(draw, view, at, grid);
    name_scale(draw, view, at, grid, origin);
    if (grid.is_predicted) draw_key(draw, at, predicted_style(palette().predicted), predicted_words, 0);
  }
  if (action.hovered) frame_cell(draw, at, *action.hovered);
  if (grid.current) {
    ring_cell(draw, at, *grid.current);
    landmark("heat_map.current", at.min(*grid.current), at.max(*grid.current));
  }
  mark_cells("heat_map.cell", view.x, view.y, at);
  ImGui::Dummy({0, ImGui::GetTextLineHeight()});
  explain_scale(view, at);
  return action;
}

}  // namespace tilescope
