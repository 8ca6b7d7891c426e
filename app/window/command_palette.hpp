#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "app/gui/actions.hpp"
#include "app/window/fuzzy_match.hpp"

namespace tilescope {

/// A list of all actions to type at: letters narrow it, the arrow keys choose, Enter runs, Escape leaves.
class CommandPalette {
 public:
  /// Shows the palette from the next frame on; the actions are fixed at this call.
  void show(std::vector<Action> actions);
  void draw();

 private:
  struct Row {
    const Action* action;
    FuzzyMatch match;
  };

  void search();
  void move(int rows);
  void draw_input();
  void draw_rows();
  bool draw_row(const Row& row, std::size_t index);

  std::vector<Action> actions_;
  std::vector<Row> rows_;
  std::string query_;
  std::size_t chosen_ = 0;
  bool requested_ = false;
  bool scrolls_to_chosen_ = false;
  /// Chosen in this frame.
  const Action* to_run_ = nullptr;
};

}  // namespace tilescope
