#include "app/widgets/split_panel.hpp"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/theme.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

constexpr float least_height_em = 24;
// The lower part may be higher where the upper one leaves room.
constexpr float lower_share = 0.48F;

/// [px] That ImGui gives any child. A height of 0 would mean all that is left.
float least_height_of_part() {
  return std::max(4.0F, ImGui::GetStyle().WindowRounding);
}

/// Returns the height of the content, which was `known` in the last frame. The content is as wide with a scroll bar as
/// without one: no text wraps anew when it comes. [px]
float draw_part(const char* id, float height, float known, const std::function<void()>& content) {
  const bool scrolls = known > height;
  const ImVec2 size{scrolls ? 0 : -ImGui::GetStyle().ScrollbarSize, height};
  ImGui::BeginChild(id, size, ImGuiChildFlags_NavFlattened,
                    scrolls ? ImGuiWindowFlags_AlwaysVerticalScrollbar : ImGuiWindowFlags_NoScrollbar);
  const float top = ImGui::GetCursorPosY();
  content();
  const float end = ImGui::GetCursorPosY();
  ImGui::EndChild();
  return std::max(0.0F, end - top - ImGui::GetStyle().ItemSpacing.y);
}

/// Between the parts, where the upper one goes on behind the lower one.
void draw_edge() {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float y = std::round(corner.y - ImGui::GetStyle().ItemSpacing.y / 2);
  ImGui::GetWindowDrawList()->AddLine({corner.x, y}, {corner.x + ImGui::GetContentRegionAvail().x, y},
                                      ImGui::GetColorU32(ImGuiCol_Border), ui_scale());
}

}  // namespace

void SplitPanel::draw(const std::function<void()>& upper, const std::function<void()>& lower) {
  const float room = ImGui::GetContentRegionAvail().y;
  if (room < least_height_em * em()) {
    upper();
    lower();
    return;
  }
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  const float above = upper_ == 0 ? room : upper_;
  const float below =
      std::max(least_height_of_part(), std::min(lower_, std::max(room * lower_share, room - above - gap)));
  const float height = std::min(above, room - below - gap);
  const bool is_cut = upper_ > height && lower_ > 0;
  upper_ = draw_part("upper", height, upper_, upper);
  if (is_cut) draw_edge();
  lower_ = draw_part("lower", below, lower_, lower);
}

}  // namespace tilescope
