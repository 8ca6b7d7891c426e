#include "app/window/unsaved_dialog.hpp"

#include <imgui.h>

#include <algorithm>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/accent_button.hpp"

namespace tilescope {

std::optional<UnsavedDialog::Answer> UnsavedDialog::draw(const std::string& name, const std::string& kept) {
  const char* const title = "Unsaved changes###unsaved";
  if (!ImGui::IsPopupOpen(title)) ImGui::OpenPopup(title);
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  const float width = std::min(460 * ui_scale(), viewport.WorkSize.x);
  ImGui::SetNextWindowSize({width, 0});
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoResize;
  if (!ImGui::BeginPopupModal(title, nullptr, flags)) return std::nullopt;
  ImGui::TextWrapped("Save the changes to %s?", name.c_str());
  ImGui::PushStyleColor(ImGuiCol_Text, palette().muted);
  ImGui::TextWrapped(
      "If you do not save, the session as it is now is kept under File, Autosaved sessions, %s.",
      kept.c_str());
  ImGui::PopStyleColor();
  ImGui::Spacing();
  std::optional<Answer> answer;
  const ImVec2 button(
      (width - 2 * ImGui::GetStyle().WindowPadding.x - 2 * ImGui::GetStyle().ItemSpacing.x) / 3, 0);
  const bool escaped = ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  if (ImGui::Button("Cancel", button) || escaped) answer = Answer::cancel;
  landmark("unsaved.cancel");
  ImGui::SameLine();
  if (ImGui::Button("Don't save", button)) answer = Answer::do_not_save;
  landmark("unsaved.do_not_save");
  ImGui::SameLine();
  if (accent_button("Save", button) || ImGui::IsKeyPressed(ImGuiKey_Enter, false)) answer = Answer::save;
  landmark("unsaved.save");
  if (answer) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  return answer;
}

}  // namespace tilescope
