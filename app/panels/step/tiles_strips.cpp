#include "app/panels/step/tiles_strips.hpp"

#include <algorithm>
#include <cstddef>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/cell_grid.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

ImVec4 color_of_stage(std::int64_t stage) {
  const auto index = static_cast<std::size_t>(std::max<std::int64_t>(stage, 0));
  return palette().series[index % palette().series.size()];
}

void draw_bar(ImDrawList& draw, std::int64_t stage, bool is_partial, ImVec2 min, ImVec2 max) {
  const ImVec4 color = color_of_stage(stage);
  draw.AddRectFilled(min, max, to_u32(wash(color, is_partial ? 0.15F : 0.45F)));
  draw.AddRect(min, max, to_u32(color), 0, std::max(1.0F, ui_scale()));
}

}  // namespace

float strip_thickness() {
  return 1.15F * ImGui::GetTextLineHeight();
}

void draw_tile_strip(ImDrawList& draw, const TilesView& view, const TileStrip& strip) {
  const float weight = std::max(1.0F, ui_scale());
  draw.AddRect(strip.min, strip.max, to_u32(palette().border), 0, weight);
  const float low = strip.is_vertical ? strip.min.y : strip.min.x;
  const float high = strip.is_vertical ? strip.max.y : strip.max.x;
  float last = low;
  for (std::size_t i = 0; i < view.held.size(); ++i) {
    const HeldRange& range = view.held[i];
    if (range.kind != HeldRange::Kind::tensor || range.tensor != strip.tensor) continue;
    const float from = std::clamp(strip.length(range.rows.first), low, high);
    const float to = std::clamp(strip.length(range.rows.end()), low, high);
    if (to <= from) continue;
    last = std::max(last, to);
    const ImVec2 min = strip.is_vertical ? ImVec2(strip.min.x, from) : ImVec2(from, strip.min.y);
    const ImVec2 max = strip.is_vertical ? ImVec2(strip.max.x, to) : ImVec2(to, strip.max.y);
    draw_bar(draw, range.stage, range.is_partial, min, max);
    if (range.stage >= 0) draw_centred(draw, min, max, palette().text, std::to_string(range.stage));
    landmark("tiles.held." + std::to_string(i), min, max);
    if (ImGui::IsMouseHoveringRect(min, max) && ImGui::IsWindowHovered())
      ImGui::SetTooltip("%s", held_words(range).c_str());
  }
  const float width = ImGui::CalcTextSize(strip.tensor.c_str()).x, line = ImGui::GetTextLineHeight();
  ImVec2 at{strip.min.x - width - em() * 0.3F, strip.min.y};
  if (strip.is_vertical) {
    // Beside it are the names of K and V: Q stands in its strip, at the end where nothing lies.
    const bool is_end_free = last < high - line;
    at = {(strip.min.x + strip.max.x - width) / 2, is_end_free ? high - line : low};
  }
  draw.AddText(at, to_u32(strip.is_vertical ? palette().text : palette().muted), strip.tensor.c_str());
}

void draw_held_lines(const TilesView& view) {
  section_heading("In shared memory", "found by comparing bytes");
  if (view.held.empty()) {
    text_wrapped(palette().muted,
                 "The kernel declares no rows and columns of its tiles, so that nothing is compared.");
    return;
  }
  for (std::size_t i = 0; i < view.lines.size(); ++i) {
    const HeldLine& line = view.lines[i];
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float side = 0.6F * em();
    if (line.is_tensor) {
      const float top = corner.y + (ImGui::GetTextLineHeight() - side) / 2;
      draw_bar(*ImGui::GetWindowDrawList(), line.stage, line.is_partial, {corner.x, top},
               {corner.x + side, top + side});
    }
    ImGui::SetCursorScreenPos({corner.x + em(), corner.y});
    text_wrapped(line.is_tensor ? palette().text : palette().muted, line.text);
    landmark("tiles.line." + std::to_string(i));
  }
}

}  // namespace tilescope
