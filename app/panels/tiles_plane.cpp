#include "app/panels/tiles_plane.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/panels/tiles_strips.hpp"
#include "app/shell/landmarks.hpp"
#include "app/shell/theme.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/text.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {

namespace {

using State = TileCell::State;

float pixel() {
  return std::max(1.0F, ui_scale());
}

// Other blocks are assumed, and fainter.
constexpr float assumed_opacity = 0.35F;

void draw_cross(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color) {
  draw.AddLine(min, max, to_u32(color), pixel());
  draw.AddLine({min.x, max.y}, {max.x, min.y}, to_u32(color), pixel());
}

void draw_cell(ImDrawList& draw, const TileCell& cell, ImVec2 min, ImVec2 max) {
  const float opacity = cell.is_assumed ? assumed_opacity : 1;
  const float rounding = em() * 0.1F;
  const ImVec2 centre{(min.x + max.x) / 2, (min.y + max.y) / 2};
  const auto outline = [&](const ImVec4& color) {
    draw.AddRect(min, max, to_u32(wash(color, opacity)), rounding, pixel());
  };
  switch (cell.state) {
    case State::done:
      draw.AddRectFilled(min, max, to_u32(wash(palette().accent, 0.75F * opacity)), rounding);
      return;
    case State::comes_again:
      draw.AddRectFilled({min.x, centre.y}, max, to_u32(wash(palette().accent, 0.75F * opacity)), rounding);
      return outline(palette().accent);
    case State::now: {
      draw.AddRectFilled(min, max, to_u32(wash(palette().selection, 0.3F * opacity)), rounding);
      draw.AddRect(min, max, to_u32(wash(palette().selection, opacity)), rounding, 2 * pixel());
      const float radius = std::min({em() * 0.3F, (max.x - min.x) / 4, (max.y - min.y) / 4});
      draw.AddCircleFilled(centre, radius, to_u32(wash(palette().selection, opacity)));
      return;
    }
    case State::not_yet:
      return outline(palette().outline);
    case State::skipped:
      return hatch(draw, min, max, wash(palette().muted, 0.5F * opacity), em() * 0.4F);
    case State::unvisited:
      draw_cross(draw, min, max, palette().error);
      return outline(palette().error);
    case State::unknown:
      break;
  }
  if (cell.is_hidden) hatch(draw, min, max, wash(palette().muted, 0.2F), em() * 0.4F);
  draw.AddRect(min, max, to_u32(palette().border), rounding, pixel());
}

// The screen's places of rows and keys.
class Layout {
 public:
  Layout(const TilesPlane& plane, ImVec2 origin, float width, float height) : plane_(plane) {
    const float labels = ImGui::CalcTextSize(format_count(plane.rows.back().last()).c_str()).x + em() * 0.5F;
    const float strip = strip_thickness();
    // Of Q, K and V, and the labels of the keys.
    corner = {origin.x + labels + strip + em() * 0.4F,
              origin.y + ImGui::GetTextLineHeight() + strip + em() * 0.4F};
    const float below = strip + em() * 0.4F;
    const auto columns = static_cast<float>(plane.keys.size()), rows = static_cast<float>(plane.rows.size());
    const float space_x = origin.x + width - corner.x - em() * 0.2F;
    const float space_y = height - (corner.y - origin.y) - below;
    cell = {std::clamp(space_x / columns, 4 * pixel(), em() * 5),
            std::clamp(space_y / rows, 2 * pixel(), em() * 2.6F)};
    bottom = corner.y + cell.y * rows;
    right = corner.x + cell.x * columns;
    label_right = corner.x - strip - em() * 0.7F;
    top = origin.y;
  }

  ImVec2 min(std::size_t row, std::size_t key) const {
    return {corner.x + static_cast<float>(key) * cell.x, corner.y + static_cast<float>(row) * cell.y};
  }
  ImVec2 max(std::size_t row, std::size_t key) const {
    const ImVec2 from = min(row, key);
    const float gap = cell.x < em() * 0.8F || cell.y < em() * 0.8F ? 0 : em() * 0.12F;
    return {from.x + cell.x - gap, from.y + cell.y - gap};
  }
  float x_of(std::int64_t key) const { return corner.x + cell.x * place(plane_.keys, key); }
  float y_of(std::int64_t row) const { return corner.y + cell.y * place(plane_.rows, row); }
  float end_y() const { return bottom + strip_thickness() + em() * 0.4F; }

  ImVec2 corner, cell;
  float bottom = 0, right = 0, label_right = 0, top = 0;

 private:
  // In tiles from the first that is drawn; less than 0 and more than all outside.
  static float place(const std::vector<IndexRange>& tiles, std::int64_t index) {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      if (index >= tiles[i].end()) continue;
      const auto inside = static_cast<float>(index - tiles[i].first) / static_cast<float>(tiles[i].count);
      return static_cast<float>(i) + inside;
    }
    return static_cast<float>(tiles.size());
  }

  const TilesPlane& plane_;
};

// The edge between keys that a row sees and those behind them.
void draw_diagonal(ImDrawList& draw, const TilesPlane& plane, const Layout& at) {
  const bool has_mask = std::any_of(plane.cells.begin(), plane.cells.end(),
                                    [](const TileCell& cell) { return cell.is_hidden || cell.is_on_edge; });
  if (!has_mask) return;
  draw.PushClipRect(at.corner, {at.right, at.bottom}, true);
  // Row r sees keys up to r + shift.
  const std::int64_t shift = plane.mask_shift;
  ImVec2 before{at.x_of(plane.rows.front().first + shift + 1), at.corner.y};
  for (const IndexRange& rows : plane.rows) {
    const ImVec2 next{at.x_of(rows.end() + shift), at.y_of(rows.end())};
    draw.AddLine(before, next, to_u32(palette().warning), 2 * pixel());
    before = next;
  }
  draw.PopClipRect();
}

void draw_key_labels(ImDrawList& draw, const TilesPlane& plane, const Layout& at) {
  float free_from = at.corner.x;
  for (std::size_t key = 0; key < plane.keys.size(); ++key) {
    const std::string text = format_count(plane.keys[key].first);
    const float x = at.min(0, key).x;
    const bool is_now = plane.key == key;
    if (x < free_from && !is_now) continue;
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    if (x < free_from) continue;
    draw.AddText({x, at.top}, to_u32(is_now ? palette().text : palette().muted), text.c_str());
    free_from = x + width + em() * 0.5F;
  }
}

void draw_row_labels(ImDrawList& draw, const TilesPlane& plane, const Layout& at) {
  float free_from = at.corner.y;
  for (std::size_t row = 0; row < plane.rows.size(); ++row) {
    const std::string text = format_count(plane.rows[row].first);
    const float y = at.min(row, 0).y;
    if (y < free_from) continue;
    const bool is_stepped = plane.row == row;
    draw.AddText({at.label_right - ImGui::CalcTextSize(text.c_str()).x, y},
                 to_u32(is_stepped ? palette().text : palette().muted), text.c_str());
    free_from = y + ImGui::GetTextLineHeight();
  }
}

void mark_cells(const TilesPlane& plane, const Layout& at) {
  if (!landmarks_enabled()) return;
  for (std::size_t row = 0; row < plane.rows.size(); ++row) {
    for (std::size_t key = 0; key < plane.keys.size(); ++key) {
      landmark("tiles.cell." + std::to_string(row) + "." + std::to_string(key), at.min(row, key),
               at.max(row, key));
      if (plane.at(row, key).state == State::now && !plane.at(row, key).is_assumed)
        landmark("tiles.now", at.min(row, key), at.max(row, key));
    }
  }
}

std::optional<TilesPlaneAction::Cell> under_mouse(const TilesPlane& plane, const Layout& at) {
  if (!ImGui::IsItemHovered()) return std::nullopt;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (mouse.x < at.corner.x || mouse.y < at.corner.y) return std::nullopt;
  const auto key = static_cast<std::size_t>((mouse.x - at.corner.x) / at.cell.x);
  const auto row = static_cast<std::size_t>((mouse.y - at.corner.y) / at.cell.y);
  if (key >= plane.keys.size() || row >= plane.rows.size()) return std::nullopt;
  return TilesPlaneAction::Cell{row, key};
}

void cell_tooltip(const TilesPlane& plane, TilesPlaneAction::Cell cell) {
  if (!ImGui::BeginTooltip()) return;
  for (const std::string& line : cell_words(plane, cell.row, cell.key)) ImGui::TextUnformatted(line.c_str());
  const std::string hint = cell_hint(plane, cell.row, cell.key);
  if (!hint.empty()) text_muted(hint);
  ImGui::EndTooltip();
}

void draw_strips(ImDrawList& draw, const TilesView& view, const Layout& at) {
  const float thickness = strip_thickness(), gap = em() * 0.2F;
  TileStrip strip;
  strip.length = [&](std::int64_t index) { return at.x_of(index); };
  strip.tensor = "K";
  strip.min = {at.corner.x, at.corner.y - gap - thickness};
  strip.max = {at.right, at.corner.y - gap};
  draw_tile_strip(draw, view, strip);
  strip.tensor = "V";
  strip.min.y = at.bottom + gap;
  strip.max.y = strip.min.y + thickness;
  draw_tile_strip(draw, view, strip);
  strip.tensor = "Q";
  strip.is_vertical = true;
  strip.length = [&](std::int64_t index) { return at.y_of(index); };
  strip.min = {at.corner.x - gap - thickness, at.corner.y};
  strip.max = {at.corner.x - gap, at.bottom};
  draw_tile_strip(draw, view, strip);
}

}  // namespace

TilesPlaneAction draw_tiles_plane(const TilesView& view, float height) {
  TilesPlaneAction action;
  const TilesPlane& plane = view.plane;
  if (plane.rows.empty() || plane.keys.empty()) return action;
  const MonoText mono;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const Layout at(plane, origin, ImGui::GetContentRegionAvail().x, height);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const bool pressed = ImGui::InvisibleButton("plane", {at.right - origin.x, at.end_y() - origin.y});
  landmark("plot.tiles");
  const auto hovered = under_mouse(plane, at);
  for (std::size_t row = 0; row < plane.rows.size(); ++row) {
    for (std::size_t key = 0; key < plane.keys.size(); ++key)
      draw_cell(draw, plane.at(row, key), at.min(row, key), at.max(row, key));
  }
  draw_diagonal(draw, plane, at);
  if (plane.row) {
    draw.AddRect({at.corner.x - pixel(), at.min(*plane.row, 0).y - pixel()},
                 {at.right, at.max(*plane.row, 0).y + pixel()}, to_u32(palette().text), 0, pixel());
  }
  draw_key_labels(draw, plane, at);
  draw_row_labels(draw, plane, at);
  draw_strips(draw, view, at);
  mark_cells(plane, at);
  if (hovered) {
    const ImVec2 min = at.min(hovered->row, hovered->key), max = at.max(hovered->row, hovered->key);
    draw.AddRect(min, max, to_u32(palette().text), em() * 0.1F, pixel());
    cell_tooltip(plane, *hovered);
    if (pressed) action.clicked = hovered;
  }
  return action;
}

void draw_tiles_legend(const TilesView& view) {
  std::vector<std::pair<TileCell, std::string>> entries;
  const auto add = [&](State state, const std::string& text, bool is_assumed) {
    const bool is_there =
        std::any_of(view.plane.cells.begin(), view.plane.cells.end(), [&](const TileCell& cell) {
          return cell.state == state && (state == State::skipped || cell.is_assumed == is_assumed);
        });
    if (!is_there) return;
    TileCell cell;
    cell.state = state;
    cell.is_assumed = is_assumed;
    entries.emplace_back(cell, text);
  };
  add(State::done, "done", false);
  add(State::now, "now", false);
  add(State::comes_again, "visited, comes again", false);
  add(State::not_yet, "not yet", false);
  add(State::skipped, "skipped by the causal mask", false);
  add(State::unvisited, "never begun", false);
  add(State::unknown, "not known", false);
  if (view.plane.has_assumed) add(State::done, "other blocks, assumed", true);
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const float line = ImGui::GetTextLineHeight();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const float width = 1.6F * em() + ImGui::CalcTextSize(entries[i].second.c_str()).x;
    if (i > 0) ImGui::SameLine(0, em());
    if (i > 0 && ImGui::GetCursorScreenPos().x + width > right) ImGui::NewLine();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::Dummy({width, line});
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float inset = line * 0.15F;
    draw_cell(draw, entries[i].first, {corner.x, corner.y + inset},
              {corner.x + 1.2F * em(), corner.y + line - inset});
    draw.AddText({corner.x + 1.6F * em(), corner.y}, to_u32(palette().muted), entries[i].second.c_str());
  }
}

}  // namespace tilescope
