#include "app/widgets/bank_grid_painter.hpp"

#include <implot.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "app/shell/landmarks.hpp"
#include "app/shell/vectors.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/contrast.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/text.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {

namespace {

/// Of parts that are not the highlighted one, and of padding.
constexpr float faint = 0.3F;
constexpr float text_size = 0.85F;

/// On top of the surface of a plot.
ImVec4 opaque(const ImVec4& color) {
  return blend(color, palette().plot);
}

/// Returns whether it fits: a truncated number would read as another number.
bool small_text_in(ImDrawList& draw, ImVec2 min, ImVec2 max, const ImVec4& color, const std::string& text) {
  const ImVec2 size = small_text_size(text);
  if (text.empty() || size.x + em() * 0.3F > max.x - min.x || size.y > max.y - min.y) return false;
  small_text(draw, (min + max - size) * 0.5F, color, text);
  return true;
}

}  // namespace

float small_line_height() {
  return std::round(em() * text_size * 1.15F);
}

ImVec2 small_text_size(const std::string& text) {
  return ImGui::GetFont()->CalcTextSizeA(em() * text_size, FLT_MAX, 0, text.c_str());
}

void small_text(ImDrawList& draw, ImVec2 at, const ImVec4& color, const std::string& text) {
  draw.AddText(ImGui::GetFont(), em() * text_size, {std::round(at.x), std::round(at.y)}, to_u32(color),
               text.c_str());
}

ImVec4 heat_color(int level) {
  const float share = static_cast<float>(level - 1) / static_cast<float>(heat_levels - 1);
  return ImPlot::SampleColormap(share, palette().heat_map);
}

void BankGridPainter::boxes(const std::vector<BankGridBox>& boxes) const {
  constexpr std::size_t most_hatched = 400;
  const auto paddings = std::count_if(boxes.begin(), boxes.end(),
                                      [](const BankGridBox& box) { return BankGrid::is_padding(box.look); });
  const bool hatches = is_by_tile() && paddings < static_cast<std::ptrdiff_t>(most_hatched);
  for (const BankGridBox& box : boxes) {
    if (box.look == BankGrid::unused) continue;
    const ImVec2 from = canvas_.at(box.bank, box.row);
    ImVec2 to = canvas_.at(box.bank + box.banks, box.row + box.rows);
    to.y = std::max(to.y, from.y + 1);
    canvas_.draw.AddRectFilled(from, to, to_u32(color(box.look)));
    const bool is_large = to.x - from.x > em() * 0.5F && to.y - from.y > em() * 0.3F;
    if (hatches && is_large && BankGrid::is_padding(box.look))
      hatch(canvas_.draw, from, to, wash(part_color(box.look), 0.8F), em() * 0.55F);
  }
}

void BankGridPainter::lines() const {
  if (!canvas_.has_lines()) return;
  const BankGridZoom& zoom = canvas_.zoom;
  const ImU32 color = to_u32(palette().plot);
  const ImVec2 end = canvas_.at(zoom.end_bank(), zoom.end_row());
  for (std::int64_t row = zoom.first_row(); row <= zoom.end_row(); ++row) {
    const float y = canvas_.at(0, row).y;
    canvas_.draw.AddRectFilled({canvas_.min.x, y}, {std::min(end.x, canvas_.max.x), y + 1}, color);
  }
  for (std::int64_t bank = zoom.first_bank(); bank <= zoom.end_bank(); ++bank) {
    const float x = canvas_.at(bank, 0).x;
    canvas_.draw.AddRectFilled({x, canvas_.min.y}, {x + 1, std::min(end.y, canvas_.max.y)}, color);
  }
}

void BankGridPainter::names() const {
  for (const BankGridPart& part : contents_.grid.parts()) {
    const ImVec2 from = canvas_.at(0, part.first_row()), to = canvas_.at(grid_banks, part.end_row());
    const ImVec2 seen_from{std::max(from.x, canvas_.min.x), std::max(from.y, canvas_.min.y)};
    const ImVec2 seen_to{std::min(to.x, canvas_.max.x), std::min(to.y, canvas_.max.y)};
    if (seen_to.x <= seen_from.x || seen_to.y <= seen_from.y) continue;
    landmark("shared_memory.part." + part.name, seen_from, seen_to);
    if (!is_by_tile() || has_texts()) continue;
    const std::size_t index = static_cast<std::size_t>(&part - contents_.grid.parts().data());
    if (is_covered(index)) continue;
    name_tag(seen_from, seen_to, part);
  }
}

bool BankGridPainter::has_texts() const {
  return canvas_.zoom.cell_width() >= small_text_size("00,00-00").x + em() * 0.3F &&
         canvas_.zoom.cell_height() >= small_line_height();
}

void BankGridPainter::texts() const {
  if (!has_texts()) return;
  const BankGridZoom& zoom = canvas_.zoom;
  for (std::int64_t row = zoom.first_row(); row < zoom.end_row(); ++row) {
    for (std::int64_t bank = zoom.first_bank(); bank < zoom.end_bank(); ++bank) {
      const std::int64_t word = row * grid_banks + bank;
      const std::int32_t look = contents_.grid.look(word);
      if (look == BankGrid::outside || is_touched(word)) continue;
      small_text_in(canvas_.draw, canvas_.word_min(word), canvas_.word_max(word),
                    black_or_white_on(color(shown_look(word))), cell_text(word));
    }
  }
}

void BankGridPainter::touched() const {
  for (const TouchedWord& word : contents_.touched) {
    if (canvas_.sees(word.word)) touched_word(word);
  }
}

void BankGridPainter::marked_byte() const {
  if (!contents_.marked_byte) return;
  const std::int64_t word = *contents_.marked_byte / bank_word_bytes;
  if (!canvas_.sees(word)) return;
  const float reach = 2 * ui_scale();
  const ImVec2 from = canvas_.word_min(word) - ImVec2{reach, reach};
  const ImVec2 to = canvas_.word_max(word) + ImVec2{reach, reach};
  canvas_.draw.AddRect(from, to, to_u32(palette().plot), 0, 4 * ui_scale());
  canvas_.draw.AddRect(from, to, to_u32(palette().text), 0, 2 * ui_scale());
}

const std::vector<std::uint32_t>& BankGridPainter::counts() const {
  return contents_.coloring == BankGridColoring::reads ? contents_.counts->reads : contents_.counts->writes;
}
std::uint32_t BankGridPainter::most() const {
  return contents_.coloring == BankGridColoring::reads ? contents_.counts->most_reads
                                                       : contents_.counts->most_writes;
}
ImVec4 BankGridPainter::part_color(std::int32_t look) const {
  return color_of(contents_.grid.parts()[BankGrid::part_of(look)]);
}
ImVec4 BankGridPainter::color(std::int32_t look) const {
  if (look == BankGrid::unused) return palette().plot;
  if (!is_by_tile()) return look == 0 ? opaque(wash(palette().muted, 0.18F)) : heat_color(look);
  const bool is_faint = contents_.highlighted_part && *contents_.highlighted_part != BankGrid::part_of(look);
  if (BankGrid::is_padding(look)) return opaque(wash(part_color(look), is_faint ? 0.1F : faint));
  return is_faint ? opaque(wash(part_color(look), faint)) : part_color(look);
}
std::int32_t BankGridPainter::shown_look(std::int64_t word) const {
  const std::int32_t look = contents_.grid.look(word);
  if (is_by_tile()) return look;
  const int level = heat_level(counts()[static_cast<std::size_t>(word)], most());
  return level == 0 && look == BankGrid::unused ? look : level;
}
std::string BankGridPainter::cell_text(std::int64_t word) const {
  if (is_by_tile()) return word_text(contents_.grid, word);
  const std::uint32_t count = counts()[static_cast<std::size_t>(word)];
  return count == 0 ? "" : format_count(count);
}
bool BankGridPainter::is_touched(std::int64_t word) const {
  return std::any_of(contents_.touched.begin(), contents_.touched.end(),
                     [&](const TouchedWord& one) { return one.word == word; });
}
/// Whether other parts are shown where this one lies.
bool BankGridPainter::is_covered(std::size_t index) const {
  const BankGridPart& part = contents_.grid.parts()[index];
  const std::int64_t middle = (part.offset + part.bytes / 2) / bank_word_bytes;
  const std::int32_t look = contents_.grid.look(middle);
  return look < 0 || BankGrid::part_of(look) != index;
}
void BankGridPainter::name_tag(ImVec2 from, ImVec2 to, const BankGridPart& part) const {
  const ImVec2 size = ImGui::CalcTextSize(part.name.c_str());
  if (size.y > to.y - from.y) return;
  const ImVec2 at = (from + to - size) * 0.5F;
  const ImVec2 margin{em() * 0.35F, 0};
  canvas_.draw.AddRectFilled(at - margin, at + size + margin, to_u32(color_of(part)), em() * 0.2F);
  canvas_.draw.AddText({std::round(at.x), std::round(at.y)}, to_u32(black_or_white_on(color_of(part))),
                       part.name.c_str());
}

void BankGridPainter::touched_word(const TouchedWord& word) const {
  const float least = 4 * ui_scale();
  ImVec2 from = canvas_.word_min(word.word), to = canvas_.word_max(word.word);
  if (to.y - from.y < least) {
    const float middle = std::round((from.y + to.y) / 2);
    from.y = middle - least / 2;
    to.y = middle + least / 2;
  }
  const float thin = std::max(1.0F, ui_scale());
  const ImVec4 fill = word.collides() ? palette().error : color(shown_look(word.word));
  canvas_.draw.AddRectFilled(from, to, to_u32(fill));
  canvas_.draw.AddRect(from, to, to_u32(palette().plot), 0, 3 * thin);
  canvas_.draw.AddRect(from, to, to_u32(word.collides() ? palette().text : palette().selection), 0,
                       word.collides() ? 2 * thin : thin);
  landmark("shared_memory.touched." + std::to_string(word.word), from, to);
  touched_text(word, from, to, black_or_white_on(fill));
}
void BankGridPainter::touched_text(const TouchedWord& word, ImVec2 from, ImVec2 to,
                                   const ImVec4& text_color) const {
  const std::string lanes = short_lanes(word.lanes);
  const std::string turn =
      word.collides() ? std::to_string(word.turn) + "/" + std::to_string(word.degree) : "";
  const bool two_lines = to.y - from.y >= 2.2F * small_line_height() && has_texts();
  if (two_lines) {
    const float middle = (from.y + to.y) / 2;
    small_text_in(canvas_.draw, from, {to.x, middle}, text_color, cell_text(word.word));
    from.y = middle;
  }
  const std::string words = two_lines || has_texts() ? "lane " + lanes : lanes;
  if (!turn.empty() && small_text_in(canvas_.draw, from, to, text_color, words + "  " + turn)) return;
  if (small_text_in(canvas_.draw, from, to, text_color, words)) return;
  small_text_in(canvas_.draw, from, to, text_color, lanes);
}

}  // namespace tilescope
