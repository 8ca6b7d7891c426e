#include "app/widgets/bank_picture.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/lane_marks.hpp"
#include "app/widgets/lane_row.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

/// The heights of a picture. In pixels.
struct Heights {
  /// Height of a wavefront.
  float row = 0;
  /// Height of the lines between lanes and banks.
  float lines = 0;
  float total = 0;
};

float least_row() {
  return std::round(em() * 0.2F);
}
float readable_row() {
  return std::round(em() * 0.8F);
}
float largest_row() {
  return std::round(em() * 1.8F);
}
float least_lines() {
  return em() * 0.8F;
}
float bank_numbers() {
  return em() * 1.0F;
}
float section_gap() {
  return em() * 0.7F;
}

std::vector<std::size_t> drawn_passes(const MicroscopeView& view, std::optional<std::size_t> pass) {
  if (pass) return {std::min(*pass, view.shared.passes.size() - 1)};
  std::vector<std::size_t> all(view.shared.passes.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

float rows_in(const MicroscopeView& view, const std::vector<std::size_t>& passes) {
  std::uint32_t rows = 0;
  for (const std::size_t pass : passes) rows += view.shared.passes[pass].wavefronts;
  return static_cast<float>(rows);
}

float total_height(float sections, float rows, float row, float lines) {
  return sections * (lane_row_height() + lines + bank_numbers()) + rows * row +
         (sections - 1) * section_gap();
}

Heights heights_for(float sections, float rows, float available) {
  Heights heights;
  const auto row_beside = [&](float lines) {
    return std::floor((available - total_height(sections, rows, 0, lines)) / rows);
  };
  // Rows that are readable leave room to distinguish the lines.
  float row = row_beside(em() * 2);
  if (row < readable_row()) row = std::min(row_beside(least_lines()), readable_row());
  // Several passes are only drawn by request where they have no room: then they scroll and stay readable.
  heights.row = std::clamp(row, sections > 1 ? readable_row() : least_row(), largest_row());
  const float spare = available - total_height(sections, rows, heights.row, 0);
  heights.lines = std::clamp(spare / sections, least_lines(), em() * 6);
  heights.total = total_height(sections, rows, heights.row, heights.lines);
  return heights;
}

/// One pass in the picture.
struct Section {
  const BankPicture& picture;
  std::size_t pass = 0;
  const LaneColumns& columns;
  const Heights& heights;
  float top = 0;

  const AccessPass& of() const { return picture.view.shared.passes[pass]; }
  float lanes_bottom() const { return top + lane_row_height(); }
  /// Below the stacks.
  float base() const {
    return lanes_bottom() + heights.lines + heights.row * static_cast<float>(of().wavefronts);
  }
  float bottom() const { return base() + bank_numbers(); }
  /// Top of a wavefront: the first lies at the bottom.
  float row_top(std::uint32_t wavefront) const {
    return base() - heights.row * static_cast<float>(wavefront + 1);
  }
  LaneRow lane_row(simt::LaneMask highlighted) const {
    return {picture.view, columns, top, of().lanes, highlighted, pass};
  }
  ImVec2 min(const WordCell& cell) const { return {columns.x(cell.first_bank), row_top(cell.wavefront)}; }
  ImVec2 max(const WordCell& cell) const {
    return {columns.x(cell.first_bank + cell.banks) - cell_gap(),
            row_top(cell.wavefront) + heights.row - cell_gap()};
  }
};

std::optional<BankWord> word_at_mouse(const Section& section) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const WordCell& cell : section.picture.view.cells[section.pass]) {
    const ImVec2 min = section.min(cell), max = section.max(cell);
    if (mouse.x < min.x || mouse.x >= max.x || mouse.y < min.y || mouse.y >= max.y) continue;
    const auto bank = static_cast<std::uint32_t>((mouse.x - min.x) / section.columns.width);
    BankWord word = cell.word;
    word.bank += std::min(bank, cell.banks - 1);
    word.word += std::min(bank, cell.banks - 1);
    return word;
  }
  return std::nullopt;
}

/// Right-aligned in the room left of the columns, in small letters.
void label_at_left(ImDrawList& draw, const Section& section, float y, const std::string& text) {
  const float size = em() * 0.8F;
  ImFont& font = *ImGui::GetFont();
  const float width = font.CalcTextSizeA(size, FLT_MAX, 0, text.c_str()).x;
  draw.AddText(&font, size, {section.columns.left - width - em() * 0.35F, std::round(y)},
               to_u32(palette().muted), text.c_str());
}

/// The name of the pass, and numbers for its wavefronts, as many as fit.
void draw_labels(ImDrawList& draw, const Section& section, float left) {
  const std::string name = section.picture.view.pass_name(section.pass);
  const float size = em() * 0.8F, room = section.columns.left - left - em() * 0.35F;
  const float name_size = ImGui::CalcTextSize(name.c_str()).x <= room ? em() : size;
  draw.AddText(ImGui::GetFont(), name_size, {left, section.lanes_bottom() - name_size},
               to_u32(palette().text), name.c_str());
  const std::uint32_t wavefronts = section.of().wavefronts;
  label_at_left(draw, section, section.base() + em() * 0.1F, "Bank");
  label_at_left(draw, section, section.row_top(wavefronts - 1) - size, "Wavefront");
  std::uint32_t step = 1;
  while (static_cast<float>(step) * section.heights.row < size) step *= 2;
  for (std::uint32_t number = 1; number <= wavefronts; ++number) {
    // The first one only where it does not run into the second.
    const bool has_room = step == 1 || static_cast<float>(step - 1) * section.heights.row >= size;
    if (number % step != 0 && !(number == 1 && has_room)) continue;
    label_at_left(draw, section, section.row_top(number - 1) + (section.heights.row - size) / 2,
                  std::to_string(number));
  }
}

void draw_banks(ImDrawList& draw, const Section& section) {
  const float weight = std::max(1.0F, ui_scale());
  const float right = section.columns.x(simt::lane_count) - cell_gap();
  const float top = section.row_top(section.of().wavefronts - 1);
  for (std::size_t bank = 0; bank <= simt::lane_count; bank += 4) {
    const float x = section.columns.x(bank) - cell_gap() / 2;
    draw.AddLine({x, top}, {x, section.base()}, to_u32(wash(palette().border, 0.8F)), weight);
  }
  draw.AddLine({section.columns.left, section.base()}, {right, section.base()}, to_u32(palette().outline),
               weight);
  draw_column_numbers(draw, section.columns, section.base() + em() * 0.1F);
}

/// The highest wavefront of each bank.
std::array<std::uint32_t, simt::lane_count> stack_heights(const AccessPass& pass) {
  std::array<std::uint32_t, simt::lane_count> heights{};
  for (const BankWord& word : pass.words)
    heights[word.bank] = std::max(heights[word.bank], word.wavefront + 1);
  return heights;
}

/// From each lane to the stacks that its words are in; for those that are looked at to the words themselves.
void draw_lines(ImDrawList& draw, const Section& section, simt::LaneMask highlighted) {
  const auto heights = stack_heights(section.of());
  const float from = section.lanes_bottom() + cell_gap();
  for (const WordCell& cell : section.picture.view.cells[section.pass]) {
    const std::size_t middle = cell.first_bank;
    const float x = section.columns.x(middle) + section.columns.width * static_cast<float>(cell.banks) / 2;
    for (simt::LaneMask rest = cell.word.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const bool is_seen = (highlighted >> lane & 1u) != 0;
      const float to = is_seen ? section.row_top(cell.wavefront)
                               : section.row_top(heights[cell.first_bank] - 1) - cell_gap();
      const float opacity = is_seen ? 1.0F : highlighted != 0 ? 0.18F : 0.5F;
      const ImVec4& color = is_seen ? palette().selection : color_of(cell.role);
      draw.AddLine({section.columns.middle(lane), from}, {x, to}, to_u32(wash(color, opacity)),
                   std::max(1.0F, ui_scale() * (is_seen ? 2.0F : 1.0F)));
    }
  }
}

void draw_words(ImDrawList& draw, const Section& section, simt::LaneMask highlighted) {
  for (const WordCell& cell : section.picture.view.cells[section.pass]) {
    const ImVec2 min = section.min(cell), max = section.max(cell);
    const bool is_wide = cell.banks > 1 && max.x - min.x > em() * 4;
    const std::string label =
        !is_wide ? cell.label : (std::has_single_bit(cell.word.lanes) ? "lane " : "lanes ") + cell.label;
    draw_lane_mark(draw, min, max, {cell.role, label, (cell.word.lanes & highlighted) != 0, false});
    if (landmarks_enabled())
      landmark(fmt::format("microscope.word.{}.{}.{}", section.pass, cell.wavefront, cell.first_bank), min,
               max);
  }
}

void draw_section(ImDrawList& draw, const Section& section, simt::LaneMask highlighted, float left) {
  draw_lane_row(draw, section.lane_row(highlighted));
  draw_banks(draw, section);
  draw_lines(draw, section, highlighted);
  draw_words(draw, section, highlighted);
  draw_labels(draw, section, left);
  landmark(fmt::format("microscope.pass.{}", section.pass), {left, section.top},
           {section.columns.x(simt::lane_count), section.bottom()});
}

}  // namespace

float height_of_banks(const MicroscopeView& view, std::optional<std::size_t> pass) {
  const std::vector<std::size_t> passes = drawn_passes(view, pass);
  return total_height(static_cast<float>(passes.size()), rows_in(view, passes), readable_row(),
                      least_lines());
}

AccessHover bank_picture(const BankPicture& picture, float height) {
  const MonoText mono;
  const std::vector<std::size_t> passes = drawn_passes(picture.view, picture.pass);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float right = corner.x + ImGui::GetContentRegionAvail().x;
  const LaneColumns columns = lane_columns(corner.x, right);
  const auto sections = static_cast<float>(passes.size());
  const Heights heights = heights_for(sections, rows_in(picture.view, passes), height);
  ImGui::InvisibleButton("banks", {right - corner.x, heights.total}, ImGuiButtonFlags_EnableNav);

  std::vector<Section> drawn;
  AccessHover hover;
  float top = corner.y;
  for (const std::size_t pass : passes) {
    const Section& section = drawn.emplace_back(Section{picture, pass, columns, heights, top});
    top = section.bottom() + section_gap();
    if (!ImGui::IsItemHovered()) continue;
    const auto lane = lane_at_mouse(section.lane_row(0));
    if (lane && ((section.of().lanes >> *lane & 1u) != 0 || picture.view.lanes[*lane].role == LaneRole::idle))
      hover.lane = lane;
    if (const auto word = word_at_mouse(section)) hover.word = word;
  }
  simt::LaneMask highlighted = picture.highlighted;
  if (hover.lane) highlighted = simt::LaneMask{1} << *hover.lane;
  if (hover.word) highlighted = hover.word->lanes;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  for (const Section& section : drawn) draw_section(draw, section, highlighted, corner.x);
  return hover;
}

}  // namespace tilescope
