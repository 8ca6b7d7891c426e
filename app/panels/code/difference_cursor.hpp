#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/widgets/code_list.hpp"
#include "base/text/line_diff.hpp"

namespace tilescope {

/// The sign, the color and the wash of a line of a difference.
void dress(CodeRow& line, DiffKind kind);

/// The user's place in the rows of a difference, with the buttons that go to the stretches that differ.
class DifferenceCursor {
 public:
  /// `hunks` are the first rows of the stretches, ascending.
  void draw_buttons(const std::vector<std::uint32_t>& hunks, const std::string& help);
  /// Puts the cursor and what is to be scrolled to into a list.
  void place_in(CodeList& list) {
    list.cursor = row_;
    list.scroll_to = std::exchange(scroll_to_, std::nullopt);
  }
  bool is_at(std::size_t row) const { return row_ == row; }
  void choose(std::size_t row) { row_ = static_cast<std::uint32_t>(row); }
  void scroll_to(std::uint32_t row) { scroll_to_ = row; }
  void go_to(std::uint32_t row) { row_ = scroll_to_ = row; }
  void reset() { row_.reset(); }

 private:
  void go_to_hunk(const std::vector<std::uint32_t>& hunks, bool forward);

  /// The row that was clicked or gone to.
  std::optional<std::uint32_t> row_;
  std::optional<std::uint32_t> scroll_to_;
};

}  // namespace tilescope
