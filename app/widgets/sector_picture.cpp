#include "app/widgets/sector_picture.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/lane_marks.hpp"
#include "app/widgets/lane_row.hpp"
#include "app/widgets/text.hpp"
#include "profiler/execution/memory/shared_passes.hpp"

namespace tilescope {

namespace {

constexpr std::size_t sectors_per_line = line_bytes / sector_bytes;

/// Where the lines of 128 B lie: row by row, as many in a row as there is room for. In pixels.
struct Grid {
  ImVec2 corner;
  std::size_t columns = 1, rows = 1;
  /// Width of a line, with the gap to the next.
  float width = 0;
  float height = 0;
  /// Height of the address below it.
  float label = 0;

  ImVec2 line(std::size_t index) const {
    const std::size_t row = index / columns;
    return {corner.x + width * static_cast<float>(index % columns),
            corner.y + height * static_cast<float>(row)};
  }
  float sector_width() const { return (width - em() * 0.9F) / sectors_per_line; }
  ImVec2 min(std::size_t line_index, std::size_t place) const {
    const ImVec2 at = line(line_index);
    return {at.x + sector_width() * static_cast<float>(place), at.y};
  }
  ImVec2 max(std::size_t line_index, std::size_t place) const {
    const ImVec2 at = line(line_index);
    return {at.x + sector_width() * static_cast<float>(place + 1) - cell_gap(),
            at.y + height - label - em() * 0.4F};
  }
};

std::vector<std::uint64_t> lines_of(const SectorUse& use) {
  std::vector<std::uint64_t> lines;
  for (const UsedSector& sector : use.sectors) {
    const std::uint64_t line = sector.address / line_bytes * line_bytes;
    if (lines.empty() || lines.back() != line) lines.push_back(line);
  }
  return lines;
}

Grid grid_for(std::size_t lines, ImVec2 corner, float width, float height) {
  Grid grid;
  grid.corner = corner;
  const auto fitting = static_cast<std::size_t>(std::max(1.0F, std::floor(width / (em() * 9))));
  grid.columns = std::min(lines, fitting);
  grid.rows = (lines + grid.columns - 1) / grid.columns;
  grid.width = std::min(width / static_cast<float>(grid.columns), em() * 40);
  grid.label = em() * 0.95F;
  grid.height = std::clamp(height / static_cast<float>(grid.rows), em() * 2.9F, em() * 3.6F);
  return grid;
}

/// A bar with a mark for each run of bytes that lanes use.
void draw_bytes(ImDrawList& draw, ImVec2 min, ImVec2 max, std::uint32_t bytes, const ImVec4& color) {
  const float byte = (max.x - min.x) / static_cast<float>(sector_bytes);
  hatch(draw, min, max, wash(palette().muted, 0.35F), em() * 0.3F);
  for (std::uint32_t rest = bytes; rest != 0;) {
    const int first = std::countr_zero(rest);
    const int count = std::countr_one(rest >> first);
    draw.AddRectFilled({min.x + byte * static_cast<float>(first), min.y},
                       {min.x + byte * static_cast<float>(first + count), max.y}, to_u32(color));
    rest = first + count >= 32 ? 0 : rest >> (first + count) << (first + count);
  }
}

void draw_sector(ImDrawList& draw, ImVec2 min, ImVec2 max, const UsedSector& sector, bool highlighted) {
  const float bar = std::round((max.y - min.y) * 0.4F);
  const float weight = std::max(1.0F, ui_scale());
  draw.AddRectFilled(min, max, to_u32(wash(palette().muted, 0.1F)));
  draw_bytes(draw, {min.x, max.y - bar}, max, sector.bytes, palette().series[0]);
  draw.AddRect(min, max, to_u32(highlighted ? palette().selection : palette().outline), 0,
               highlighted ? 2 * weight : weight);
  fitted_text(draw, min, {max.x, max.y - bar}, palette().text, lanes_label(sector.lanes));
}

struct Scene {
  const SectorPicture& picture;
  const LaneColumns& columns;
  Grid grid;
  std::vector<std::uint64_t> lines;
  LaneRow lane_row(simt::LaneMask highlighted, float top) const {
    return {picture.view, columns, top, simt::all_lanes, highlighted, 0};
  }
  std::size_t line_of(const UsedSector& sector) const {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(lines, sector.address / line_bytes * line_bytes) - lines.begin());
  }
  std::size_t place_of(const UsedSector& sector) const { return sector.address % line_bytes / sector_bytes; }
  ImVec2 min(const UsedSector& sector) const { return grid.min(line_of(sector), place_of(sector)); }
  ImVec2 max(const UsedSector& sector) const { return grid.max(line_of(sector), place_of(sector)); }
};

void draw_lines(ImDrawList& draw, const Scene& scene) {
  for (std::size_t i = 0; i < scene.lines.size(); ++i) {
    const ImVec2 at{scene.grid.line(i).x, scene.grid.max(i, 0).y + ui_scale()};
    draw.AddText(ImGui::GetFont(), em() * 0.8F, at, to_u32(palette().muted),
                 fmt::format("0x{:x}", scene.lines[i]).c_str());
    for (std::size_t place = 0; place < sectors_per_line; ++place)
      draw.AddRect(scene.grid.min(i, place), scene.grid.max(i, place), to_u32(faint_color()), 0,
                   std::max(1.0F, ui_scale()));
  }
}

/// From lanes to sectors: of all where the lines lie in one row, else of those that are looked at.
void draw_links(ImDrawList& draw, const Scene& scene, simt::LaneMask highlighted, float from) {
  for (const UsedSector& sector : scene.picture.view.global.sectors) {
    const ImVec2 min = scene.min(sector), max = scene.max(sector);
    for (simt::LaneMask rest = sector.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const bool is_seen = (highlighted >> lane & 1u) != 0;
      if (!is_seen && scene.grid.rows > 1) continue;
      const float opacity = is_seen ? 1.0F : highlighted != 0 ? 0.18F : 0.45F;
      draw.AddLine({scene.columns.middle(lane), from}, {(min.x + max.x) / 2, min.y},
                   to_u32(wash(is_seen ? palette().selection : palette().muted, opacity)),
                   std::max(1.0F, ui_scale() * (is_seen ? 2.0F : 1.0F)));
    }
  }
}

}  // namespace

void draw_byte_legend() {
  const float box = em() * 1.05F, gap = em() * 0.3F;
  const float line = ImGui::GetTextLineHeight(), height = std::round(line + em() * 0.45F);
  const auto entry = [&](std::uint32_t bytes, const char* text) {
    const float width = box + gap + ImGui::CalcTextSize(text).x;
    same_line_if_fits(width);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float top = corner.y + std::round((height - line) / 2);
    ImGui::Dummy({width, height});
    landmark(std::string("microscope.legend.") + text);
    help_tooltip("A box is a sector of 32 B, which moves as a whole; four of them are a line of 128 B.");
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImVec2 min{corner.x, top + 1}, max{corner.x + box, top + line - 1};
    draw_bytes(draw, min, max, bytes, palette().series[0]);
    draw.AddRect(min, max, to_u32(palette().outline), 0, std::max(1.0F, ui_scale()));
    draw.AddText({corner.x + box + gap, top}, to_u32(palette().muted), text);
  };
  entry(~std::uint32_t{0}, "bytes used");
  entry(0, "moved, not used");
}

AccessHover sector_picture(const SectorPicture& picture, float height) {
  const MonoText mono;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float right = corner.x + ImGui::GetContentRegionAvail().x;
  const LaneColumns columns = lane_columns(corner.x, right);
  Scene scene{picture, columns, {}, lines_of(picture.view.global)};
  // Without lines from all lanes there is no need of room for them.
  const float wide = em() * 3, narrow = em() * 0.8F;
  const auto place = [&](float links) {
    return grid_for(scene.lines.size(), {corner.x, corner.y + lane_row_height() + links}, right - corner.x,
                    height - lane_row_height() - links);
  };
  scene.grid = place(wide);
  const float links = scene.grid.rows > 1 ? narrow : wide;
  scene.grid = place(links);
  const float total = lane_row_height() + links + scene.grid.height * static_cast<float>(scene.grid.rows);
  ImGui::InvisibleButton("sectors", {right - corner.x, total}, ImGuiButtonFlags_EnableNav);

  const std::vector<UsedSector>& sectors = picture.view.global.sectors;
  AccessHover hover;
  simt::LaneMask highlighted = 0;
  if (ImGui::IsItemHovered()) {
    hover.lane = lane_at_mouse(scene.lane_row(0, corner.y));
    if (hover.lane) highlighted = simt::LaneMask{1} << *hover.lane;
    for (std::size_t i = 0; i < sectors.size(); ++i) {
      if (!ImGui::IsMouseHoveringRect(scene.min(sectors[i]), scene.max(sectors[i]))) continue;
      hover.sector = i;
      highlighted = sectors[i].lanes;
    }
  }
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddText({corner.x, corner.y + lane_row_height() - ImGui::GetTextLineHeight()}, to_u32(palette().text),
               "Lane");
  draw_lane_row(draw, scene.lane_row(highlighted, corner.y));
  draw_lines(draw, scene);
  draw_links(draw, scene, highlighted, corner.y + lane_row_height() + cell_gap());
  for (std::size_t i = 0; i < sectors.size(); ++i) {
    draw_sector(draw, scene.min(sectors[i]), scene.max(sectors[i]), sectors[i],
                (sectors[i].lanes & highlighted) != 0);
    if (landmarks_enabled())
      landmark(fmt::format("microscope.sector.{}", i), scene.min(sectors[i]), scene.max(sectors[i]));
  }
  return hover;
}

}  // namespace tilescope
