#include "app/panels/step/tiles_plane.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/panels/step/tiles_strips.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

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

// A smaller cell would show nothing but its outline, or its hatch.
bool has_room_for_outline(ImVec2 min, ImVec2 max) {
  return std::min(max.x - min.x, max.y - min.y) > em() * 0.28F;
}
bool has_room_for_hatch(ImVec2 min, ImVec2 max) {
  return std::min(max.x - min.x, max.y - min.y) > em() * 0.5F;
}

void draw_cell(ImDrawList& draw, const TileCell& cell, ImVec2 min, ImVec2 max) {
  const float opacity = cell.is_assumed ? assumed_opacity : 1;
  const float rounding = em() * 0.1F;
  const ImVec2 centre{(min.x + max.x) / 2, (min.y + max.y) / 2};
  const auto outline = [&](const ImVec4& color) {
    if (has_room_for_outline(min, max))
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
      draw.AddRectFilled(min, max, to_u32(wash(palette().muted, 0.15F)), rounding);
      if (has_room_for_hatch(min, max))
        hatch(draw, min, max, wash(palette().muted, 0.5F * opacity), em() * 0.4F);
      return;
    case State::unvisited:
      draw_cross(draw, min, max, palette().error);
      return outline(palette().error);
    case State::unknown:
      break;
  }
  if (cell.is_hidden && has_room_for_hatch(min, max))
    hatch(draw, min, max, wash(palette().muted, 0.2F), em() * 0.4F);
  outline(palette().border);
}

// The screen's places of rows and keys.
class Layout {
 public:
  Layout(const TilesPlane& plane, ImVec2 origin, float width, float height) : plane_(plane) {
    const float labels = ImGui::CalcTextSize(format_count(plane.rows.back().last()).c_str()).x + em() * 0.5F;
    const float strip = strip_thickness();
    // Room for Q, K and V, and the labels of the keys.
    corner = {origin.x + labels + strip + em() * 0.4F,
              origin.y + ImGui::GetTextLineHeight() + strip + em() * 0.4F};
    const float below = strip + em() * 0.4F;
    const float space_x = origin.x + width - corner.x - em() * 0.2F;
    const float space_y = height - (corner.y - origin.y) - below;
    // [px] Size of a query and of a key: tiles that are cut off are drawn smaller.
    unit_ = {pixels_of_one(plane.keys, space_x, 4 * pixel(), em() * 5),
             pixels_of_one(plane.rows, space_y, pixel(), em() * 2.6F)};
    bottom = y_of(plane.rows.back().end());
    right = x_of(plane.keys.back().end());
    label_right = corner.x - strip - em() * 0.7F;
    top = origin.y;
  }

  ImVec2 min(std::size_t row, std::size_t key) const {
    return {x_of(plane_.keys[key].first), y_of(plane_.rows[row].first)};
  }
  ImVec2 max(std::size_t row, std::size_t key) const {
    const ImVec2 from = min(row, key), to{x_of(plane_.keys[key].end()), y_of(plane_.rows[row].end())};
    const float gap = to.x - from.x < em() * 0.8F || to.y - from.y < em() * 0.8F ? 0 : em() * 0.12F;
    return {to.x - gap, to.y - gap};
  }
  float x_of(std::int64_t key) const { return unclamped_x(within(plane_.keys, key)); }
  /// Place of any key, also of one that is not drawn.
  float unclamped_x(std::int64_t key) const {
    return corner.x + unit_.x * static_cast<float>(key - plane_.keys.front().first);
  }
  float y_of(std::int64_t row) const {
    return corner.y + unit_.y * static_cast<float>(within(plane_.rows, row) - plane_.rows.front().first);
  }
  /// Into the keys and the rows; none outside.
  std::optional<std::size_t> key_at(float x) const { return place_at(plane_.keys, (x - corner.x) / unit_.x); }
  std::optional<std::size_t> row_at(float y) const { return place_at(plane_.rows, (y - corner.y) / unit_.y); }
  float end_y() const { return bottom + strip_thickness() + em() * 0.4F; }

  ImVec2 corner;
  float bottom = 0, right = 0, label_right = 0, top = 0;

 private:
  // Limits the pixels so that a whole tile has at least `least` and at most `most`.
  static float pixels_of_one(const std::vector<IndexRange>& tiles, float space, float least, float most) {
    const auto of_tile = static_cast<float>(tiles.front().count);
    const auto all = static_cast<float>(tiles.back().end() - tiles.front().first);
    return std::clamp(space / all, least / of_tile, most / of_tile);
  }
  static std::int64_t within(const std::vector<IndexRange>& tiles, std::int64_t index) {
    return std::clamp(index, tiles.front().first, tiles.back().end());
  }
  static std::optional<std::size_t> place_at(const std::vector<IndexRange>& tiles, float from_first) {
    const auto index = static_cast<std::int64_t>(std::floor(from_first)) + tiles.front().first;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      if (index >= tiles[i].first && index < tiles[i].end()) return i;
    }
    return std::nullopt;
  }

  ImVec2 unit_;
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
  const ImVec2 from{at.unclamped_x(plane.rows.front().first + shift + 1), at.corner.y};
  const ImVec2 to{at.unclamped_x(plane.rows.back().end() + shift + 1), at.bottom};
  draw.AddLine(from, to, to_u32(palette().warning), 2 * pixel());
  draw.PopClipRect();
}

// Labels every n-th tile, so that labels of this size do not touch: 1, 2, 4, ...
std::size_t label_step(std::size_t tiles, float tile, float label) {
  std::size_t step = 1;
  while (step < tiles && tile * static_cast<float>(step) < label) step *= 2;
  return step;
}

void draw_key_labels(ImDrawList& draw, const TilesPlane& plane, const Layout& at) {
  const float widest = ImGui::CalcTextSize(format_count(plane.keys.back().first).c_str()).x + em() * 0.5F;
  const float tile = at.x_of(plane.keys.front().end()) - at.corner.x;
  const std::size_t step = label_step(plane.keys.size(), tile, widest);
  for (std::size_t key = 0; key < plane.keys.size(); key += step) {
    const ImVec4& color = plane.key == key ? palette().text : palette().muted;
    draw.AddText({at.min(0, key).x, at.top}, to_u32(color), format_count(plane.keys[key].first).c_str());
  }
}

void draw_row_labels(ImDrawList& draw, const TilesPlane& plane, const Layout& at) {
  const float tile = at.y_of(plane.rows.front().end()) - at.corner.y;
  const std::size_t step = label_step(plane.rows.size(), tile, ImGui::GetTextLineHeight());
  for (std::size_t row = 0; row < plane.rows.size(); row += step) {
    const std::string text = format_count(plane.rows[row].first);
    const ImVec4& color = plane.row == row ? palette().text : palette().muted;
    draw.AddText({at.label_right - ImGui::CalcTextSize(text.c_str()).x, at.min(row, 0).y}, to_u32(color),
                 text.c_str());
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

std::optional<TilesPlaneAction::Cell> under_mouse(const Layout& at) {
  if (!ImGui::IsItemHovered()) return std::nullopt;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto key = at.key_at(mouse.x), row = at.row_at(mouse.y);
  if (!key || !row) return std::nullopt;
  return TilesPlaneAction::Cell{*row, *key};
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
  const auto hovered = under_mouse(at);
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
  const bool has_stages = std::any_of(view.held.begin(), view.held.end(),
                                      [](const HeldRange& range) { return range.stage >= 0; });
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
  if (!has_stages) return;
  same_line_if_fits(ImGui::CalcTextSize("in K and V: number of the stage").x);
  text_muted("in K and V: number of the stage");
}

}  // namespace tilescope
