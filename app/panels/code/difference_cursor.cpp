#include "app/panels/code/difference_cursor.hpp"

#include <imgui.h>

#include <algorithm>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

void dress(CodeRow& line, DiffKind kind) {
  line.color = palette().text;
  switch (kind) {
    case DiffKind::same:
      line.color = palette().muted;
      break;
    case DiffKind::renamed:
      line.sign = '~';
      break;
    case DiffKind::removed:
      line.sign = '-';
      line.background = wash(palette().error, 2 * tint_opacity);
      break;
    case DiffKind::added:
      line.sign = '+';
      line.background = wash(palette().ok, 2 * tint_opacity);
      break;
  }
}

void DifferenceCursor::go_to_hunk(const std::vector<std::uint32_t>& hunks, bool forward) {
  if (hunks.empty()) return;
  auto next = hunks.begin();
  if (forward) {
    next = row_ ? std::upper_bound(hunks.begin(), hunks.end(), *row_) : hunks.begin();
    if (next == hunks.end()) next = hunks.begin();
  } else {
    next = row_ ? std::lower_bound(hunks.begin(), hunks.end(), *row_) : hunks.begin();
    next = next == hunks.begin() ? hunks.end() - 1 : next - 1;
  }
  row_ = scroll_to_ = *next;
}

void DifferenceCursor::draw_buttons(const std::vector<std::uint32_t>& hunks, const std::string& help) {
  ImGui::BeginDisabled(hunks.empty());
  if (ImGui::ArrowButton("##previous_hunk", ImGuiDir_Up)) go_to_hunk(hunks, false);
  landmark("source.hunk.previous");
  ImGui::SameLine();
  if (ImGui::ArrowButton("##next_hunk", ImGuiDir_Down)) go_to_hunk(hunks, true);
  landmark("source.hunk.next");
  ImGui::EndDisabled();
  help_tooltip(help);
}

}  // namespace tilescope
