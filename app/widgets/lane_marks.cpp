#include "app/widgets/lane_marks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

float line_weight() {
  return std::max(1.0F, ui_scale());
}

void dashed_frame(ImDrawList& draw, ImVec2 min, ImVec2 max, ImU32 color) {
  const float dash = em() * 0.22F;
  for (const float y : {min.y, max.y}) {
    for (float x = min.x; x < max.x; x += 2 * dash)
      draw.AddLine({x, y}, {std::min(x + dash, max.x), y}, color, line_weight());
  }
  for (const float x : {min.x, max.x}) {
    for (float y = min.y; y < max.y; y += 2 * dash)
      draw.AddLine({x, y}, {x, std::min(y + dash, max.y)}, color, line_weight());
  }
}

}  // namespace

ImVec4 color_of(LaneRole role) {
  switch (role) {
    case LaneRole::colliding:
      return palette().error;
    case LaneRole::sharing:
      return palette().series[0];
    case LaneRole::alone:
      return palette().text;
    case LaneRole::idle:
      break;
  }
  return palette().muted;
}

bool fitted_text(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color, const std::string& text) {
  if (text.empty()) return true;
  const float height = std::min(em() * 0.86F, (max.y - min.y) * 0.92F);
  if (height < em() * 0.5F) return false;
  ImFont& font = *ImGui::GetFont();
  const ImVec2 size = font.CalcTextSizeA(height, FLT_MAX, 0, text.c_str());
  if (size.x > max.x - min.x) return false;
  draw.AddText(&font, height,
               {std::round((min.x + max.x - size.x) / 2), std::round((min.y + max.y - size.y) / 2)},
               to_u32(color), text.c_str());
  return true;
}

void draw_lane_mark(ImDrawList& draw, ImVec2 min, ImVec2 max, const LaneMark& mark) {
  const float rounding = max.y - min.y > em() * 0.5F ? em() * 0.15F : 0;
  const ImVec4 color = color_of(mark.role);
  const float strength = mark.is_faint ? 0.35F : 1.0F;
  ImVec4 text = mark.is_faint ? palette().muted : palette().text;
  switch (mark.role) {
    case LaneRole::colliding:
      draw.AddRectFilled(min, max, to_u32(wash(color, mark.is_faint ? 0.2F : 1.0F)), rounding);
      if (!mark.is_faint) text = palette().surface;
      break;
    case LaneRole::sharing:
      draw.AddRectFilled(min, max, to_u32(wash(color, 0.16F * strength)), rounding);
      if (!mark.is_faint) hatch(draw, min, max, wash(color, 0.5F), em() * 0.34F);
      draw.AddRect(min, max, to_u32(wash(color, strength)), rounding, line_weight());
      break;
    case LaneRole::alone:
      draw.AddRectFilled(min, max, to_u32(wash(palette().muted, 0.22F * strength)), rounding);
      draw.AddRect(min, max, to_u32(wash(palette().muted, strength)), rounding, line_weight());
      break;
    case LaneRole::idle:
      dashed_frame(draw, min, max, to_u32(wash(palette().muted, 0.6F)));
      text = palette().muted;
      break;
  }
  fitted_text(draw, min, max, text, mark.label);
  if (!mark.highlighted) return;
  const float weight = 2 * line_weight();
  draw.AddRect({min.x - weight, min.y - weight}, {max.x + weight, max.y + weight},
               to_u32(palette().selection), rounding, weight);
}

void draw_role_legend(const MicroscopeView& view, RoleLegend legend) {
  const float box = em() * 1.05F, gap = em() * 0.3F;
  // As high as segments, beside which it may stand.
  const float line = ImGui::GetTextLineHeight(), height = std::round(line + em() * 0.45F);
  const auto entry = [&](const LaneMark& mark, const std::string& text) {
    const float width = box + gap + ImGui::CalcTextSize(text.c_str()).x;
    if (std::exchange(legend.beside_last, true)) same_line_if_fits(width);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float top = corner.y + std::round((height - line) / 2);
    ImGui::Dummy({width, height});
    landmark("microscope.legend." + text);
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw_lane_mark(draw, {corner.x, top + 1}, {corner.x + box, top + line - 1}, mark);
    draw.AddText({corner.x + box + gap, top}, to_u32(palette().muted), text.c_str());
  };
  const std::vector<LaneRole> roles = view.roles();
  for (const LaneRole role : roles)
    entry({role, role_letter(view, role), false, false}, role_words(view, role));
  if (legend.is_one_pass && !roles.empty()) entry({roles.front(), "", false, true}, other_pass_words(view));
}

}  // namespace tilescope
