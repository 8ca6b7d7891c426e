#pragma once

#include <imgui.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "app/gui/theme.hpp"
#include "app/widgets/bank_grid.hpp"

namespace tilescope {

// The size of the texts in the cells and beside them.
float small_line_height();
ImVec2 small_text_size(const std::string& text);
void small_text(ImDrawList& draw, ImVec2 at, const ImVec4& color, const std::string& text);

/// Color of a level from 1 to heat_levels.
ImVec4 heat_color(int level);

/// Where cells lie on the screen, and what draws them.
struct BankGridCanvas {
  const BankGridZoom& zoom;
  ImVec2 min, max;
  ImDrawList& draw;

  ImVec2 at(std::int64_t bank, std::int64_t row) const {
    return {std::round(min.x + zoom.x_of(static_cast<double>(bank))),
            std::round(min.y + zoom.y_of(static_cast<double>(row)))};
  }
  ImVec2 word_min(std::int64_t word) const { return at(word % grid_banks, word / grid_banks); }
  ImVec2 word_max(std::int64_t word) const { return at(word % grid_banks + 1, word / grid_banks + 1); }
  bool sees(std::int64_t word) const {
    const std::int64_t row = word / grid_banks, bank = word % grid_banks;
    return row >= zoom.first_row() && row < zoom.end_row() && bank >= zoom.first_bank() &&
           bank < zoom.end_bank();
  }
  /// A line between cells leaves room for something else.
  bool has_lines() const { return zoom.cell_height() >= 5 * ui_scale(); }
};

/// Draws the layers of a bank grid, the lowest first.
class BankGridPainter {
 public:
  BankGridPainter(const BankGridContents& contents, const BankGridCanvas& canvas)
      : contents_(contents), canvas_(canvas) {}

  void boxes(const std::vector<BankGridBox>& boxes) const;
  /// Between cells that are large enough.
  void lines() const;
  /// The names of parts in the middle of what is seen of them, until cells have texts.
  void names() const;
  /// Draws the text of each cell that has room for it.
  void texts() const;
  /// The words of the access on top. A collision is filled, other words are framed, so that the shape
  /// distinguishes them, too. Over counts there is only a frame around them: the counts stay visible.
  void touched() const;
  void marked_byte() const;
  /// A dot in the corner of each watched word.
  void watched() const;

 private:
  bool shows_contents() const { return contents_.coloring == BankGridColoring::contents; }
  ImVec4 content_color(std::int32_t look) const;
  bool is_by_tile() const { return contents_.coloring == BankGridColoring::tiles; }
  bool has_texts() const;
  const std::vector<std::uint32_t>& counts() const;
  std::uint32_t most() const;
  ImVec4 part_color(std::int32_t look) const;
  ImVec4 color(std::int32_t look) const;
  std::int32_t shown_look(std::int64_t word) const;
  std::string cell_text(std::int64_t word) const;
  bool is_touched(std::int64_t word) const;
  void name_tag(ImVec2 from, ImVec2 to, std::size_t part) const;
  void touched_word(const TouchedWord& word) const;
  void frames() const;
  void frame_sides(std::int64_t word, const ImVec4& color, float weight) const;
  bool has_mark(ImVec2 from, ImVec2 to) const;
  void draw_tag(ImVec2 from, ImVec2 to, const std::string& names, const ImVec4& color) const;
  void small_mark(const TouchedWord& word, ImVec2 from, ImVec2 to) const;
  void touched_text(const TouchedWord& word, ImVec2 from, ImVec2 to, const ImVec4& text_color) const;

  const BankGridContents& contents_;
  const BankGridCanvas& canvas_;
};

}  // namespace tilescope
