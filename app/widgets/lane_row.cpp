#include "app/widgets/lane_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/lane_marks.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

float number_height() {
  return em() * 0.95F;
}

float cell_height() {
  return std::round(em() * 1.15F);
}

}  // namespace

LaneColumns lane_columns(float left, float right) {
  const float labels = em() * 5.8F;
  return {left + labels, std::max((right - left - labels) / simt::lane_count, 2.0F)};
}

float cell_gap() {
  return std::max(1.0F, std::round(ui_scale()));
}

float lane_row_height() {
  return number_height() + cell_height();
}

void draw_column_numbers(ImDrawList& draw, const LaneColumns& columns, float top) {
  const float size = em() * 0.8F;
  ImFont& font = *ImGui::GetFont();
  const float widest = font.CalcTextSizeA(size, FLT_MAX, 0, "31").x + em() * 0.25F;
  int step = 1;
  while (step < 8 && static_cast<float>(step) * columns.width < widest) step *= 2;
  for (int i = 0; i < simt::lane_count; i += step) {
    const std::string text = std::to_string(i);
    const float width = font.CalcTextSizeA(size, FLT_MAX, 0, text.c_str()).x;
    const float x = columns.middle(static_cast<std::size_t>(i)) - width / 2;
    draw.AddText(&font, size, {std::round(x), std::round(top)}, to_u32(palette().muted), text.c_str());
  }
}

void draw_lane_row(ImDrawList& draw, const LaneRow& row) {
  draw_column_numbers(draw, row.columns, row.top);
  const float top = row.top + number_height();
  for (std::size_t lane = 0; lane < row.view.lanes.size(); ++lane) {
    const LaneRole role = row.view.lanes[lane].role;
    const bool is_faint = (row.lanes >> lane & 1u) == 0;
    const ImVec2 min{row.columns.x(lane), top};
    const ImVec2 max{row.columns.x(lane + 1) - cell_gap(), top + cell_height()};
    draw_lane_mark(draw, min, max,
                   {role, is_faint && role != LaneRole::idle ? "" : role_letter(row.view, role),
                    (row.highlighted >> lane & 1u) != 0, is_faint});
    if (!is_faint && landmarks_enabled()) landmark(fmt::format("microscope.lane.{}", lane), min, max);
  }
}

std::optional<std::size_t> lane_at_mouse(const LaneRow& row) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (mouse.y < row.top || mouse.y >= row.top + lane_row_height()) return std::nullopt;
  const float column = std::floor((mouse.x - row.columns.left) / row.columns.width);
  if (column < 0 || column >= simt::lane_count) return std::nullopt;
  return static_cast<std::size_t>(column);
}

}  // namespace tilescope
