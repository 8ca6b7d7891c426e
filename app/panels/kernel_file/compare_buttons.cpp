#include "app/panels/kernel_file/compare_buttons.hpp"

#include <imgui.h>

#include <string>

#include "app/explorer/compare/comparison_pair.hpp"
#include "app/explorer/kernel_file/compared_files.hpp"
#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/gui/landmarks.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {
namespace {

void choose(Explorer& explorer, Side side, const OpenedFileView& view) {
  Board& board = explorer.board();
  const OpenedFile& opened = board.get<OpenedFile>();
  board.get<ComparedFiles>().choose(side, view.point, opened.file().filename().string(), opened.chosen(),
                                    view.source);
  if (explorer.comparison_is_shown()) return;
  if (board.get<ComparisonPair>().is_of_file(other_side(side))) return explorer.comparison_wanted();
  explorer.notices().offer("The point is side " + to_string(side) + ". Compare another one as " +
                               to_string(other_side(side)) + ".",
                           "Open Compare", [&explorer] { explorer.comparison_wanted(); });
}

}  // namespace

void draw_compare_buttons(Explorer& explorer, const OpenedFileView& view) {
  if (!has_run(view.point.status)) return;
  for (const Side side : both_sides) {
    const std::string label = "Compare as " + to_string(side);
    same_line_if_fits(label);
    if (ImGui::Button(label.c_str())) choose(explorer, side, view);
    landmark("kernel_file.compare_" + to_string(side));
    help_tooltip("Keeps this point as side " + to_string(side) +
                 " of the comparison, which says which of two is faster and why.");
  }
}

}  // namespace tilescope
