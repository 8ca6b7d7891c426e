#include "app/widgets/fragment_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/contrast.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

constexpr int lanes_of_group = 4;
constexpr int tile_length = 8;

/// How a cell, or a lane in the strip, is drawn.
struct CellLook {
  int lane = 0;
  FragmentLink link = FragmentLink::none;
  /// Something is marked, so that what does not belong to it steps back.
  bool has_mark = false;
};

float stroke() {
  return std::max(1.0F, ui_scale());
}

// Neighbours in a group differ a little, so that the cells of a lane are seen to belong together.
float strength_of(const CellLook& look) {
  const float usual = look.lane % 2 == 0 ? 0.42F : 0.28F;
  if (!look.has_mark) return usual;
  if (look.link == FragmentLink::itself || look.link == FragmentLink::same_holder) return 0.95F;
  return look.link == FragmentLink::factor ? usual : usual * 0.4F;
}

// Returns the color of text on it.
ImVec4 fill_cell(ImDrawList& draw, ImVec2 min, ImVec2 max, const CellLook& look) {
  const float strength = strength_of(look);
  const ImVec4 fill = wash(lane_color(look.lane), strength);
  draw.AddRectFilled(min, max, to_u32(fill));
  constexpr int last_group = simt::lane_count / lanes_of_group - 1;
  if (look.lane / lanes_of_group == last_group)
    hatch(draw, min, max, wash(lane_color(look.lane), std::min(1.0F, strength * 1.3F)), em() * 0.4F);
  if (look.link == FragmentLink::factor) draw.AddRect(min, max, to_u32(palette().text), 0, stroke());
  if (look.link == FragmentLink::itself) {
    const float out = 2 * stroke();
    draw.AddRect({min.x - out, min.y - out}, {max.x + out, max.y + out}, to_u32(palette().selection), 0, out);
  }
  const bool steps_back = look.has_mark && look.link == FragmentLink::none;
  if (steps_back) return palette().muted;
  return strength > 0.5F ? black_or_white_on(blend(fill, palette().surface)) : palette().text;
}

float least_text() {
  return em() * 0.62F;
}

/// The height of a text of `letters` that fits a width, at most `height`; 0 where it would be too small to read. [px]
float fitting_size(std::size_t letters, float width, float height) {
  if (letters == 0) return 0;
  const float most = std::min(em() * 0.86F, height * 0.92F);
  ImFont& font = *fonts().mono;
  const float letter = font.CalcTextSizeA(100, FLT_MAX, 0, "0").x / 100;
  const float size = std::min(most, width / (letter * static_cast<float>(letters)));
  return size >= least_text() ? size : 0;
}

/// [px] Least cell that shows a line of `letters`, or colours alone.
ImVec2 least_cell(std::size_t letters) {
  if (letters == 0) return {std::round(em() * 0.45F), std::round(em() * 0.38F)};
  const std::string text(letters, '0');
  const float width = fonts().mono->CalcTextSizeA(least_text(), FLT_MAX, 0, text.c_str()).x;
  return {std::ceil(width + 5 * stroke()), std::ceil(least_text() / 0.9F + stroke())};
}

/// The sizes of the texts of all cells of a matrix, 0 for a line that is left out. [px]
struct TextSizes {
  float first = 0, second = 0;
};
TextSizes text_sizes(const FragmentGrid& grid, ImVec2 inside) {
  const float width = inside.x - 2 * stroke();
  TextSizes sizes;
  sizes.second = fitting_size(grid.texts.letters[1], width, inside.y / 2);
  if (sizes.second > 0) sizes.first = fitting_size(grid.texts.letters[0], width, inside.y / 2);
  if (sizes.first == 0) sizes = {fitting_size(grid.texts.letters[0], width, inside.y), 0};
  return sizes;
}

void centred_mono(ImDrawList& draw, float middle, float top, float size, const ImVec4& color,
                  const std::string& text) {
  ImFont& font = *fonts().mono;
  const float width = font.CalcTextSizeA(size, FLT_MAX, 0, text.c_str()).x;
  draw.AddText(&font, size, {std::round(middle - width / 2), std::round(top)}, to_u32(color), text.c_str());
}

void draw_cell_texts(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color, const TextSizes& sizes,
                     const std::array<std::string, 2>& lines) {
  const float middle = (min.x + max.x) / 2;
  float top = (min.y + max.y - sizes.first - sizes.second) / 2;
  if (sizes.first > 0) centred_mono(draw, middle, top, sizes.first, color, lines[0]);
  top += sizes.first;
  if (sizes.second > 0) centred_mono(draw, middle, top, sizes.second, color, lines[1]);
}

/// Every how many cells a number has room.
int number_step(float room, float needed) {
  int step = 1;
  while (step < tile_length && static_cast<float>(step) * room < needed) step *= 2;
  return step;
}

void draw_numbers(ImDrawList& draw, const FragmentGrid& grid) {
  const FragmentMatrix& matrix = grid.view.matrices[grid.matrix];
  const float size = em() * 0.72F;
  ImFont& font = *fonts().mono;
  const float wide = font.CalcTextSizeA(size, FLT_MAX, 0, "00 ").x;
  const int across = number_step(grid.cell.x, wide), down = number_step(grid.cell.y, size);
  for (int column = 0; column < matrix.columns; column += across) {
    const float x = grid.corner.x + (static_cast<float>(column) + 0.5F) * grid.cell.x;
    centred_mono(draw, x, grid.corner.y - size * 1.1F, size, palette().muted, std::to_string(column));
  }
  for (int row = 0; row < matrix.rows; row += down) {
    const std::string text = std::to_string(row);
    const float width = font.CalcTextSizeA(size, FLT_MAX, 0, text.c_str()).x;
    const float y = grid.corner.y + (static_cast<float>(row) + 0.5F) * grid.cell.y - size / 2;
    draw.AddText(&font, size, {std::round(grid.corner.x - width - em() * 0.25F), std::round(y)},
                 to_u32(palette().muted), text.c_str());
  }
}

void draw_title(ImDrawList& draw, const FragmentGrid& grid) {
  const FragmentMatrix& matrix = grid.view.matrices[grid.matrix];
  const float top = grid.corner.y - fragment_grid_top() + em() * 0.2F;
  const std::string title = matrix_title(matrix);
  ImFont& bold = *fonts().bold;
  const float size = em() * 0.95F;
  draw.AddText(&bold, size, {grid.corner.x, top}, to_u32(palette().text), title.c_str());
  const float after = bold.CalcTextSizeA(size, FLT_MAX, 0, title.c_str()).x + em() * 0.5F;
  const std::string extent = extent_words(matrix);
  const float room = static_cast<float>(matrix.columns) * grid.cell.x - after + em();
  ImFont& font = *fonts().text;
  if (font.CalcTextSizeA(size * 0.9F, FLT_MAX, 0, extent.c_str()).x > room) return;
  draw.AddText(&font, size * 0.9F, {grid.corner.x + after, top + size * 0.08F}, to_u32(palette().muted),
               extent.c_str());
}

// Between the tiles of 8 x 8 of which fragments consist.
void draw_tile_lines(ImDrawList& draw, const FragmentGrid& grid) {
  const FragmentMatrix& matrix = grid.view.matrices[grid.matrix];
  const ImVec2 end{grid.corner.x + static_cast<float>(matrix.columns) * grid.cell.x,
                   grid.corner.y + static_cast<float>(matrix.rows) * grid.cell.y};
  const ImU32 color = to_u32(palette().outline);
  for (int column = tile_length; column < matrix.columns; column += tile_length) {
    const float x = grid.corner.x + static_cast<float>(column) * grid.cell.x - stroke() / 2;
    draw.AddLine({x, grid.corner.y}, {x, end.y}, color, stroke());
  }
  for (int row = tile_length; row < matrix.rows; row += tile_length) {
    const float y = grid.corner.y + static_cast<float>(row) * grid.cell.y - stroke() / 2;
    draw.AddLine({grid.corner.x, y}, {end.x, y}, color, stroke());
  }
}

std::optional<FragmentElement> element_at_mouse(const FragmentGrid& grid) {
  if (!ImGui::IsWindowHovered()) return std::nullopt;
  const FragmentMatrix& matrix = grid.view.matrices[grid.matrix];
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto column = static_cast<int>(std::floor((mouse.x - grid.corner.x) / grid.cell.x));
  const auto row = static_cast<int>(std::floor((mouse.y - grid.corner.y) / grid.cell.y));
  if (column < 0 || row < 0 || column >= matrix.columns || row >= matrix.rows) return std::nullopt;
  return FragmentElement{grid.matrix, row, column};
}

/// A mark in a strip: a lane, a register.
bool chip(ImVec2 size, const std::string& text, int lane, bool is_marked, bool has_mark) {
  const ImVec2 min = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 max{min.x + size.x - stroke(), min.y + size.y};
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  ImVec4 color = palette().text;
  if (lane >= 0) {
    const CellLook look{lane, is_marked ? FragmentLink::same_holder : FragmentLink::none, has_mark};
    color = fill_cell(draw, min, max, look);
  } else {
    draw.AddRectFilled(min, max, to_u32(is_marked ? palette().accent : palette().raised));
    if (is_marked) color = palette().accent_text;
  }
  const float height = fitting_size(text.size(), max.x - min.x - stroke(), size.y);
  if (height > 0) centred_mono(draw, (min.x + max.x) / 2, (min.y + max.y - height) / 2, height, color, text);
  return hovered;
}

}  // namespace

ImVec4 lane_color(int lane) {
  const auto group = static_cast<std::size_t>(lane / lanes_of_group);
  return palette().series[group % palette().series.size()];
}

float fragment_grid_left() {
  return std::round(em() * 1.7F);
}

float fragment_grid_top() {
  return std::round(em() * 2.15F);
}

std::optional<FragmentElement> draw_fragment_grid(ImDrawList& draw, const FragmentGrid& grid) {
  const FragmentMatrix& matrix = grid.view.matrices[grid.matrix];
  draw_title(draw, grid);
  draw_numbers(draw, grid);
  const float gap = grid.cell.x < em() * 0.5F ? 0 : stroke();
  const TextSizes sizes = text_sizes(grid, {grid.cell.x - gap, grid.cell.y - gap});
  const std::optional<FragmentElement> hovered = element_at_mouse(grid);
  std::optional<FragmentElement> itself;
  const auto draw_cell = [&](int row, int column) {
    const FragmentElement element{grid.matrix, row, column};
    const CellLook look{matrix.at(row, column).lane, link_of(grid.view, grid.mark, element),
                        grid.mark.is_set()};
    const ImVec2 min{grid.corner.x + static_cast<float>(column) * grid.cell.x,
                     grid.corner.y + static_cast<float>(row) * grid.cell.y};
    const ImVec2 max{min.x + grid.cell.x - gap, min.y + grid.cell.y - gap};
    if (look.link == FragmentLink::itself) itself = element;
    const ImVec4 color = fill_cell(draw, min, max, look);
    const auto index = static_cast<std::size_t>(row * matrix.columns + column);
    draw_cell_texts(draw, min, max, color, sizes, grid.texts.lines[index]);
    if (landmarks_enabled()) landmark(fmt::format("fragment.{}.{}.{}", matrix.name, row, column), min, max);
  };
  for (int row = 0; row < matrix.rows; ++row) {
    for (int column = 0; column < matrix.columns; ++column) draw_cell(row, column);
  }
  draw_tile_lines(draw, grid);
  // Again, so that its ring is above its neighbours.
  if (itself) draw_cell(itself->row, itself->column);
  if (landmarks_enabled()) {
    const ImVec2 end{grid.corner.x + static_cast<float>(matrix.columns) * grid.cell.x,
                     grid.corner.y + static_cast<float>(matrix.rows) * grid.cell.y};
    landmark("fragment." + matrix.name, grid.corner, end);
    if (sizes.first > 0) landmark(fmt::format("fragment.text.{}.0", matrix.name), grid.corner, end);
    if (sizes.second > 0) landmark(fmt::format("fragment.text.{}.1", matrix.name), grid.corner, end);
  }
  return hovered;
}

std::optional<int> fragment_lanes(const FragmentView& view, const FragmentMark& mark, float width) {
  std::optional<int> hovered;
  const float label = ImGui::CalcTextSize("Lanes").x + em() * 0.6F;
  const int in_line =
      (width - label) / simt::lane_count < em() * 0.95F ? simt::lane_count / 2 : simt::lane_count;
  const float across =
      std::clamp(std::floor((width - label) / static_cast<float>(in_line)), 2.0F, em() * 2.2F);
  const ImVec2 size{across, std::round(em() * 1.15F)};
  const ImVec2 start = ImGui::GetCursorPos();
  text_muted("Lanes");
  for (int lane = 0; lane < simt::lane_count; ++lane) {
    const int line = lane / in_line;
    ImGui::SetCursorPos({start.x + label + static_cast<float>(lane - line * in_line) * size.x,
                         start.y + static_cast<float>(line) * (size.y + stroke())});
    if (chip(size, std::to_string(lane), lane, marks_lane(view, mark, lane), mark.is_set())) hovered = lane;
    landmark(fmt::format("fragment.lane.{}", lane));
  }
  return hovered;
}

std::optional<std::size_t> fragment_registers(const FragmentView& view, const FragmentMark& mark) {
  std::optional<std::size_t> hovered;
  const float letter = fonts().mono->CalcTextSizeA(em() * 0.86F, FLT_MAX, 0, "0").x;
  const float height = std::round(em() * 1.15F);
  bool is_first = true;
  for (std::size_t m = 0; m < view.matrices.size(); ++m) {
    const FragmentMatrix& matrix = view.matrices[m];
    const std::string title = matrix_title(matrix);
    const auto width_of = [&](std::size_t reg) {
      return letter * (static_cast<float>(view.registers[reg].name.size()) + 0.8F) + stroke();
    };
    float width = ImGui::CalcTextSize(title.c_str()).x + em() * 0.3F;
    for (std::size_t r = 0; r < matrix.registers; ++r) width += width_of(matrix.first_register + r);
    if (!is_first) same_line_if_fits(width);
    is_first = false;
    ImGui::BeginGroup();
    text_muted(title);
    ImGui::SameLine(0, em() * 0.3F);
    for (std::size_t r = 0; r < matrix.registers; ++r) {
      const std::size_t reg = matrix.first_register + r;
      if (r > 0) ImGui::SameLine(0, 0);
      if (chip({width_of(reg), height}, view.registers[reg].name, -1, marks_register(view, mark, reg),
               mark.is_set())) {
        hovered = reg;
      }
      landmark(fmt::format("fragment.register.{}", reg));
    }
    ImGui::EndGroup();
  }
  return hovered;
}

FragmentPlan plan_fragments(const FragmentView& view, const std::vector<FragmentArrangement>& arrangements,
                            ImVec2 room, std::size_t letters) {
  FragmentPlan best;
  float best_score = -FLT_MAX;
  const float left = fragment_grid_left(), top = fragment_grid_top();
  const ImVec2 least = least_cell(letters);
  for (const FragmentArrangement& arrangement : arrangements) {
    const auto columns = static_cast<float>(arrangement.widths.size());
    const auto rows = static_cast<float>(arrangement.heights.size());
    ImVec2 cell{std::floor((room.x - columns * left) / static_cast<float>(arrangement.cells_wide())),
                std::floor((room.y - rows * top) / static_cast<float>(arrangement.cells_high()))};
    cell.y = std::clamp(cell.y, least.y, std::round(em() * 2.6F));
    cell.x = std::clamp(cell.x, least.x, std::max(least.x, std::round(cell.y * 3.2F)));
    cell.y = std::min(cell.y, std::round(cell.x * 1.4F));
    const float too_wide = columns * left + static_cast<float>(arrangement.cells_wide()) * cell.x - room.x;
    const float too_high = rows * top + static_cast<float>(arrangement.cells_high()) * cell.y - room.y;
    const float outside = std::max(too_wide, 0.0F) + std::max(too_high, 0.0F);
    // A row of A that ends at its row of D is worth smaller cells, but not the lanes' numbers in them. The
    // rest is scrolled as little as possible.
    const ImVec2 numbered = least_cell(2);
    const bool has_numbers = cell.x >= numbered.x && cell.y >= numbered.y;
    const float size = std::min(cell.x, cell.y * 1.6F) * (arrangement.is_aligned ? 1.4F : 1.0F) +
                       (has_numbers ? em() * 100 : 0);
    const float score = outside > 0 ? size * 0.01F - em() * 10 - outside : size;
    if (score <= best_score) continue;
    best_score = score;
    best.arrangement = arrangement;
    best.cell = cell;
  }
  const auto& [slots, widths, heights, is_aligned] = best.arrangement;
  best.corners.resize(slots.size());
  float x = 0, y = 0;
  for (std::size_t column = 0; column < widths.size(); ++column) {
    x += left + static_cast<float>(widths[column]) * best.cell.x;
    for (std::size_t m = 0; m < slots.size(); ++m) {
      if (slots[m].column == column)
        best.corners[m].x = x - static_cast<float>(view.matrices[m].columns) * best.cell.x;
    }
  }
  for (std::size_t row = 0; row < heights.size(); ++row) {
    y += top + static_cast<float>(heights[row]) * best.cell.y;
    for (std::size_t m = 0; m < slots.size(); ++m) {
      if (slots[m].row == row)
        best.corners[m].y = y - static_cast<float>(view.matrices[m].rows) * best.cell.y;
    }
  }
  best.size = {x, y};
  return best;
}

}  // namespace tilescope
