#include "app/widgets/bank_grid_painter.hpp"

#include <implot.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "app/gui/landmarks.hpp"
#include "app/gui/vectors.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/contrast.hpp"
#include "app/widgets/hatch.hpp"
#include "app/widgets/text.hpp"
#include "base/text/format.hpp"

namespace tilescope {

namespace {

/// Opacity of parts that are not the highlighted one, and of padding.
constexpr float faint = 0.3F;
constexpr float text_size = 0.85F;

/// On top of the surface of a plot.
ImVec4 opaque(const ImVec4& color) {
  return blend(color, palette().plot);
}

/// The part of a cell that is seen.
struct SeenCell {
  ImVec2 min, max;
};
SeenCell seen(const BankGridCanvas& canvas, ImVec2 min, ImVec2 max) {
  return {{std::max(min.x, canvas.min.x), std::max(min.y, canvas.min.y)},
          {std::min(max.x, canvas.max.x), std::min(max.y, canvas.max.y)}};
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

float content_strength(WordState state) {
  if (state == WordState::changed) return 1;
  return state == WordState::written ? 0.45F : 0.1F;
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
  for (std::size_t index = 0; index < contents_.grid.parts().size(); ++index) {
    const BankGridPart& part = contents_.grid.parts()[index];
    const bool one_row = part.end_row() - part.first_row() == 1;
    const std::int64_t first_bank = one_row ? part.offset / bank_word_bytes % grid_banks : 0;
    const std::int64_t banks = one_row ? (part.bytes + bank_word_bytes - 1) / bank_word_bytes : grid_banks;
    const ImVec2 from = canvas_.at(first_bank, part.first_row());
    const ImVec2 to = canvas_.at(std::min<std::int64_t>(first_bank + banks, grid_banks), part.end_row());
    const SeenCell cell = seen(canvas_, from, to);
    if (cell.max.x <= cell.min.x || cell.max.y <= cell.min.y) continue;
    landmark("shared_memory.part." + part.name, cell.min, cell.max);
    if (!(is_by_tile() || shows_contents()) || has_texts()) continue;
    name_tag(cell.min, cell.max, index);
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
      if (look == BankGrid::outside || (is_by_tile() && is_touched(word))) continue;
      const SeenCell cell = seen(canvas_, canvas_.word_min(word), canvas_.word_max(word));
      small_text_in(canvas_.draw, cell.min, cell.max, black_or_white_on(color(shown_look(word))),
                    cell_text(word));
    }
  }
}

void BankGridPainter::touched() const {
  if (!is_by_tile()) return frames();
  for (const TouchedWord& word : contents_.touched) {
    if (canvas_.sees(word.word)) touched_word(word);
  }
}

void BankGridPainter::frames() const {
  for (const TouchedWord& word : contents_.touched) {
    if (canvas_.sees(word.word)) frame_sides(word.word, palette().plot, 4 * ui_scale());
  }
  for (const TouchedWord& word : contents_.touched) {
    if (!canvas_.sees(word.word)) continue;
    frame_sides(word.word, palette().text, 2 * ui_scale());
    landmark("shared_memory.touched." + std::to_string(word.word), canvas_.word_min(word.word),
             canvas_.word_max(word.word));
  }
}

/// Only towards words that the access does not touch: small cells have no room for a frame each.
void BankGridPainter::frame_sides(std::int64_t word, const ImVec4& color, float weight) const {
  const float reach = std::max(1.0F, weight / 2);
  const ImVec2 from = canvas_.word_min(word) - ImVec2{reach, reach};
  const ImVec2 to = canvas_.word_max(word) + ImVec2{reach, reach};
  const std::int64_t bank = word % grid_banks;
  const auto fill = [&](ImVec2 min, ImVec2 max) { canvas_.draw.AddRectFilled(min, max, to_u32(color)); };
  if (bank == 0 || !is_touched(word - 1)) fill(from, {from.x + 2 * reach, to.y});
  if (bank + 1 == grid_banks || !is_touched(word + 1)) fill({to.x - 2 * reach, from.y}, to);
  if (!is_touched(word - grid_banks)) fill(from, {to.x, from.y + 2 * reach});
  if (!is_touched(word + grid_banks)) fill({from.x, to.y - 2 * reach}, to);
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

void BankGridPainter::watched() const {
  if (contents_.watched_bytes == nullptr) return;
  for (const std::uint64_t byte : *contents_.watched_bytes) {
    const std::int64_t word = static_cast<std::int64_t>(byte) / bank_word_bytes;
    if (!canvas_.sees(word)) continue;
    const ImVec2 from = canvas_.word_min(word), to = canvas_.word_max(word);
    canvas_.draw.AddRect(from, to, to_u32(palette().error), 0, 2 * ui_scale());
    canvas_.draw.AddCircleFilled(from, 3 * ui_scale(), to_u32(palette().error));
    landmark("shared_memory.watched." + std::to_string(word), from, to);
  }
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
  if (shows_contents()) return content_color(look);
  if (!is_by_tile()) return look == 0 ? opaque(wash(palette().muted, 0.18F)) : heat_color(look);
  const bool is_faint = contents_.highlighted_part && *contents_.highlighted_part != BankGrid::part_of(look);
  if (BankGrid::is_padding(look)) return opaque(wash(part_color(look), is_faint ? 0.1F : faint));
  return is_faint ? opaque(wash(part_color(look), faint)) : part_color(look);
}
/// The more has happened to a word, the stronger the color of its part.
ImVec4 BankGridPainter::content_color(std::int32_t look) const {
  const std::optional<std::size_t> part = part_of_content(contents_.grid, look);
  const ImVec4 color = part ? color_of(contents_.grid.parts()[*part]) : palette().muted;
  const float strength = content_strength(state_of_look(look));
  const bool is_faint = contents_.highlighted_part && contents_.highlighted_part != part;
  return opaque(wash(color, is_faint ? strength * faint : strength));
}
std::int32_t BankGridPainter::shown_look(std::int64_t word) const {
  const std::int32_t look = contents_.grid.look(word);
  if (is_by_tile()) return look;
  if (shows_contents()) return content_look(contents_.grid, *contents_.values, word);
  const int level = heat_level(counts()[static_cast<std::size_t>(word)], most());
  return level == 0 && look == BankGrid::unused ? look : level;
}
std::string BankGridPainter::cell_text(std::int64_t word) const {
  if (is_by_tile()) return word_text(contents_.grid, word);
  if (shows_contents()) return content_text(contents_.grid, *contents_.values, word);
  const std::uint32_t count = counts()[static_cast<std::size_t>(word)];
  return count == 0 ? "" : format_count(count);
}
bool BankGridPainter::is_touched(std::int64_t word) const {
  return std::any_of(contents_.touched.begin(), contents_.touched.end(),
                     [&](const TouchedWord& one) { return one.word == word; });
}
void BankGridPainter::name_tag(ImVec2 from, ImVec2 to, std::size_t part) const {
  std::string names = names_in_middle(contents_.grid, part);
  if (shows_contents()) {
    const std::string held = content_name(contents_.grid, *contents_.values, part);
    if (ImGui::CalcTextSize(held.c_str()).x + em() < to.x - from.x) names = held;
  }
  if (names.empty()) return;
  ImGui::PushFont(fonts().bold, 0);
  draw_tag(from, to, names, color_of(contents_.grid.parts()[part]));
  ImGui::PopFont();
}
bool BankGridPainter::has_mark(ImVec2 from, ImVec2 to) const {
  return std::any_of(contents_.touched.begin(), contents_.touched.end(), [&](const TouchedWord& word) {
    const ImVec2 min = canvas_.word_min(word.word), max = canvas_.word_max(word.word);
    return min.x < to.x && max.x > from.x && min.y < to.y && max.y > from.y;
  });
}
/// In the middle, beside it where the marks of the access are; nothing where the name does not fit.
void BankGridPainter::draw_tag(ImVec2 from, ImVec2 to, const std::string& names, const ImVec4& color) const {
  const ImVec2 size = ImGui::CalcTextSize(names.c_str());
  const ImVec2 margin{em() * 0.35F, 0};
  if (size.y > to.y - from.y || size.x + 2 * margin.x > to.x - from.x) return;
  const auto place = [&](float share) {
    return ImVec2{from.x + (to.x - from.x - size.x) * share, (from.y + to.y - size.y) / 2};
  };
  ImVec2 at = place(0.5F);
  for (const float share : {0.75F, 0.25F}) {
    if (!has_mark(at - margin, at + size + margin)) break;
    if (const ImVec2 other = place(share); !has_mark(other - margin, other + size + margin)) at = other;
  }
  canvas_.draw.AddRectFilled(at - margin, at + size + margin, to_u32(color), em() * 0.2F);
  canvas_.draw.AddText({std::round(at.x), std::round(at.y)}, to_u32(black_or_white_on(color)), names.c_str());
}

void BankGridPainter::touched_word(const TouchedWord& word) const {
  ImVec2 from = canvas_.word_min(word.word), to = canvas_.word_max(word.word);
  if (!canvas_.has_lines()) return small_mark(word, from, to);
  const float thin = std::max(1.0F, ui_scale());
  const ImVec4 fill = word.collides() ? palette().error : color(shown_look(word.word));
  canvas_.draw.AddRectFilled(from, to, to_u32(palette().plot));
  canvas_.draw.AddRectFilled(from + ImVec2{thin, thin}, to, to_u32(fill));
  if (!word.collides())
    canvas_.draw.AddRect(from + ImVec2{thin, thin}, to, to_u32(palette().text), 0, 2 * thin);
  landmark("shared_memory.touched." + std::to_string(word.word), from, to);
  const SeenCell cell = seen(canvas_, from, to);
  touched_text(word, cell.min, cell.max, black_or_white_on(fill));
}
/// Where cells are too small for frames a collision fills its cell, another word only the middle of it.
void BankGridPainter::small_mark(const TouchedWord& word, ImVec2 from, ImVec2 to) const {
  const float least = 3 * ui_scale(), height = std::max(to.y - from.y, least);
  if (to.y - from.y < least) from.y = std::round((from.y + to.y - least) / 2);
  const float inset = word.collides() ? 0 : std::round((to.x - from.x) * 0.3F);
  from = {from.x + inset, from.y};
  to = {to.x - inset, from.y + height};
  canvas_.draw.AddRectFilled(from, to, to_u32(word.collides() ? palette().error : palette().text));
  landmark("shared_memory.touched." + std::to_string(word.word), from, to);
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
