#include "app/widgets/cell_grid.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

float widest(const std::vector<std::string>& labels) {
  float width = 0;
  for (const std::string& label : labels) width = std::max(width, ImGui::CalcTextSize(label.c_str()).x);
  return width;
}

}  // namespace

ImVec2 CellGrid::min(std::size_t index) const {
  const std::size_t row = index / columns;
  return {corner.x + static_cast<float>(index % columns) * cell.x,
          corner.y + static_cast<float>(row) * cell.y};
}

ImVec2 CellGrid::max(std::size_t index) const {
  const ImVec2 from = min(index);
  return {from.x + cell.x - gap, from.y + cell.y - gap};
}

CellGrid lay_out_cells(const ValueAxis& x, const ValueAxis& y, ImVec2 origin, ImVec2 space,
                       float right_margin) {
  CellGrid at;
  at.columns = x.values.size();
  at.rows = y.values.size();
  at.gap = std::max(1.0F, em() * 0.12F);
  const float labels = widest(y.labels) + em() * 0.6F;
  const float line = ImGui::GetTextLineHeight();
  const float width = space.x - labels - right_margin;
  const float height = space.y - 2.2F * line - ImGui::GetStyle().ItemSpacing.y - 1;
  at.corner = {origin.x + labels, origin.y + 1.2F * line};
  at.cell = {std::max(width / static_cast<float>(at.columns), em() * 2),
             std::max(height / static_cast<float>(at.rows), line)};
  return at;
}

std::string axes_words(const ValueAxis& x, const ValueAxis& y) {
  return "Rows: " + y.name + ", columns: " + x.name;
}

void draw_cell_labels(ImDrawList& draw, const ValueAxis& x, const ValueAxis& y, const CellGrid& at,
                      ImVec2 origin) {
  const ImU32 color = to_u32(palette().muted);
  const float line = ImGui::GetTextLineHeight();
  for (std::size_t row = 0; row < at.rows; ++row) {
    const std::string& label = y.labels[row];
    const float middle = at.corner.y + (static_cast<float>(row) + 0.5F) * at.cell.y - at.gap / 2 - line / 2;
    draw.AddText({at.corner.x - em() * 0.5F - ImGui::CalcTextSize(label.c_str()).x, std::round(middle)},
                 color, label.c_str());
  }
  const float bottom = at.corner.y + at.size().y + line * 0.1F;
  for (std::size_t column = 0; column < at.columns; ++column) {
    const std::string& label = x.labels[column];
    const float centre = at.corner.x + (static_cast<float>(column) + 0.5F) * at.cell.x - at.gap / 2;
    draw.AddText({std::round(centre - ImGui::CalcTextSize(label.c_str()).x / 2), bottom}, color,
                 label.c_str());
  }
  draw.AddText(origin, color, axes_words(x, y).c_str());
}

void draw_invalid_cell(ImDrawList& draw, ImVec2 min, ImVec2 max) {
  draw.AddRectFilled(min, max, to_u32(wash(palette().muted, 0.08F)), em() * 0.15F);
  hatch(draw, min, max, wash(palette().muted, 0.45F), em() * 0.55F);
}

bool draw_centred(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color, const std::string& text) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  if (size.x > max.x - min.x || size.y > max.y - min.y) return false;
  draw.AddText({std::round((min.x + max.x - size.x) / 2), std::round((min.y + max.y - size.y) / 2)},
               to_u32(color), text.c_str());
  return true;
}

void frame_cell(ImDrawList& draw, const CellGrid& at, std::size_t index) {
  const float weight = std::max(1.0F, ui_scale());
  const ImVec2 min = at.min(index);
  const ImVec2 max = at.max(index);
  draw.AddRect({min.x - weight / 2, min.y - weight / 2}, {max.x + weight / 2, max.y + weight / 2},
               to_u32(palette().muted), em() * 0.2F, weight);
}

void ring_cell(ImDrawList& draw, const CellGrid& at, std::size_t index) {
  const ImVec2 min = at.min(index);
  const ImVec2 max = at.max(index);
  const float weight = std::clamp(std::min(max.x - min.x, max.y - min.y) * 0.06F, std::max(1.0F, ui_scale()),
                                  2.5F * ui_scale());
  float inset = 1.5F * weight;
  for (const ImVec4& color : {dark_ring, light_ring}) {
    draw.AddRect({min.x + inset, min.y + inset}, {max.x - inset, max.y - inset}, to_u32(color), em() * 0.1F,
                 weight);
    inset += weight;
  }
}

std::optional<std::size_t> cell_under_mouse(const CellGrid& at) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float column = std::floor((mouse.x - at.corner.x) / at.cell.x);
  const float row = std::floor((mouse.y - at.corner.y) / at.cell.y);
  if (column < 0 || row < 0 || column >= static_cast<float>(at.columns) ||
      row >= static_cast<float>(at.rows)) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(row) * at.columns + static_cast<std::size_t>(column);
}

void mark_cells(const std::string& prefix, const ValueAxis& x, const ValueAxis& y, const CellGrid& at) {
  if (!landmarks_enabled()) return;
  for (std::size_t index = 0; index < at.columns * at.rows; ++index) {
    landmark(prefix + "." + x.labels[index % at.columns] + "." + y.labels[index / at.columns], at.min(index),
             at.max(index));
  }
}

}  // namespace tilescope
