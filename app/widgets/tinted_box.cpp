#include "app/widgets/tinted_box.hpp"

#include "app/gui/theme.hpp"

namespace tilescope {

TintedBox::TintedBox(const char* id, const ImVec4& color) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, wash(color, tint_opacity));
  ImGui::PushStyleColor(ImGuiCol_Border, wash(color, 0.55F));
  ImGui::BeginChild(id, {0, 0},
                    ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_Borders | ImGuiChildFlags_NavFlattened);
  ImGui::PopStyleColor(2);
}

TintedBox::~TintedBox() {
  ImGui::EndChild();
}

}  // namespace tilescope
