#include "app/panels/kernel_file/keep_button.hpp"

#include <imgui.h>

#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/explorer/kernel_file/session_points.hpp"
#include "app/gui/landmarks.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

void draw_keep_button(Explorer& explorer, const OpenedFileView& view) {
  if (!has_run(view.point.status)) return;
  constexpr const char* label = "Keep point";
  same_line_if_fits(label);
  if (ImGui::Button(label)) {
    Board& board = explorer.board();
    add_to_session(board, {{view.point, board.get<OpenedFile>().chosen()}});
  }
  landmark("kernel_file.keep");
  help_tooltip("Adds this point to the session: tables, reports and later comparisons have it.");
}

}  // namespace tilescope
