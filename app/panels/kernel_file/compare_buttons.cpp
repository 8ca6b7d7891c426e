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

// The first point that is kept stays on the page: there is nothing to compare it with.
bool opens_comparison(const Explorer& explorer, Side side) {
  return !explorer.comparison_is_shown() &&
         explorer.board().get<ComparisonPair>().is_of_file(other_side(side));
}

std::string name_of_side(const Explorer& explorer, Side side) {
  const SharedMeasurement& point = explorer.board().get<ComparisonPair>().choice(side).point;
  const std::string parameters = to_string(point->parameters);
  return point->kernel + (parameters.empty() ? "" : " " + parameters);
}

void choose(Explorer& explorer, Side side, const OpenedFileView& view) {
  Board& board = explorer.board();
  const OpenedFile& opened = board.get<OpenedFile>();
  const bool opens = opens_comparison(explorer, side);
  board.get<ComparedFiles>().choose(side, view.point, opened.file().filename().string(), opened.chosen(),
                                    view.source, opened.recorded_file());
  if (opens) return explorer.comparison_wanted();
  if (explorer.comparison_is_shown()) return;
  explorer.notices().offer("The point is side " + to_string(side) + ": compare another one with it.",
                           "Open Compare", [&explorer] { explorer.comparison_wanted(); });
}

}  // namespace

void draw_compare_buttons(Explorer& explorer, const OpenedFileView& view) {
  if (!has_run(view.point.status)) return;
  for (const Side side : both_sides) {
    const std::string own = to_string(side), other = to_string(other_side(side));
    const bool opens = opens_comparison(explorer, side);
    const std::string label = (opens ? "Compare with " + other : "Compare as " + own);
    same_line_if_fits(label);
    // The button stays the same one when its words change.
    if (ImGui::Button((label + "###compare " + own).c_str())) choose(explorer, side, view);
    landmark("kernel_file.compare_" + own);
    help_tooltip(
        "Keeps this point as side " + own +
        (opens ? ", and opens Compare: " + other + " is " + name_of_side(explorer, other_side(side)) + "."
               : " of the comparison, which says which of two is faster and why."));
  }
}

}  // namespace tilescope
