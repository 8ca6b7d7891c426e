#include "app/widgets/split_panel.hpp"

#include <imgui.h>

#include <algorithm>

#include "app/widgets/text.hpp"

namespace tilescope {

namespace {

constexpr float least_height_em = 24;
// The lower part may be higher where the upper one leaves room.
constexpr float lower_share = 0.45F;

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
  // A height of 0 would mean all that is left. What is not drawn yet still has a height.
  const float below = std::max(1.0F, std::min(lower_, std::max(room * lower_share, room - above - gap)));
  upper_ = draw_part("upper", std::min(above, room - below - gap), upper_, upper);
  lower_ = draw_part("lower", below, lower_, lower);
}

}  // namespace tilescope
