#include "app/widgets/accent_button.hpp"

#include "app/gui/theme.hpp"

namespace tilescope {

bool accent_button(const char* label, const ImVec2& size) {
  // The text's colour is for the accent alone: the button keeps it under the mouse, and differs by its frame.
  const ImVec4 accent = palette().accent;
  for (const ImGuiCol color : {ImGuiCol_Button, ImGuiCol_ButtonHovered, ImGuiCol_ButtonActive})
    ImGui::PushStyleColor(color, accent);
  ImGui::PushStyleColor(ImGuiCol_Text, palette().accent_text);
  const bool is_clicked = ImGui::Button(label, size);
  ImGui::PopStyleColor(4);
  if (ImGui::IsItemHovered())
    ImGui::GetWindowDrawList()->AddRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
                                        ImGui::GetColorU32(palette().text), ImGui::GetStyle().FrameRounding);
  return is_clicked;
}

}  // namespace tilescope
