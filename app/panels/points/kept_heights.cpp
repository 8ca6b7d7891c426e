#include "app/panels/points/kept_heights.hpp"

#include <imgui.h>

#include <algorithm>

#include "app/widgets/text.hpp"

namespace tilescope {

void KeptHeights::begin() {
  const float width = ImGui::GetContentRegionAvail().x;
  if (width == width_ && em() == text_) return;
  width_ = width;
  text_ = em();
  heights_.clear();
}

float KeptHeights::of(const std::string& part) const {
  const auto found = heights_.find(part);
  return found == heights_.end() ? 0 : found->second;
}

void KeptHeights::note(const std::string& part, float height) {
  float& kept = heights_[part];
  kept = std::max(kept, height);
}

float KeptHeights::begin_part() {
  return ImGui::GetCursorScreenPos().y;
}

void KeptHeights::end_part(const std::string& part, float top) {
  const ImVec2 end = ImGui::GetCursorScreenPos();
  note(part, end.y - top);
  const float kept = of(part);
  if (end.y - top >= kept) return;
  // An item ends the part: ImGui lets no bare cursor enlarge a window.
  ImGui::SetCursorScreenPos({end.x, top + kept - ImGui::GetStyle().ItemSpacing.y});
  ImGui::Dummy({0, 0});
}

}  // namespace tilescope
