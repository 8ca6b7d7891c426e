#include <imgui.h>
#include <imgui_internal.h>

#include <cctype>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/window/workspace.hpp"

namespace tilescope {

namespace {

/// "file" for File: landmarks have small letters.
std::string menu_mark(std::string menu) {
  for (char& letter : menu) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return menu;
}

/// Closes the popups above the dialog that waits for an answer, if one does.
void close_popups() {
  const ImVector<ImGuiPopupData>& popups = ImGui::GetCurrentContext()->OpenPopupStack;
  int kept = popups.Size;
  while (kept > 0) {
    const ImGuiWindow* window = popups[kept - 1].Window;
    if (window != nullptr && (window->Flags & ImGuiWindowFlags_Modal) != 0) break;
    --kept;
  }
  if (kept < popups.Size) ImGui::ClosePopupToLevel(kept, true);
}

}  // namespace

void Workspace::draw_menu_bar() {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {10 * ui_scale(), 8 * ui_scale()});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  const bool visible = ImGui::BeginMainMenuBar();
  ImGui::PopStyleVar(2);
  if (!visible) return;
  for (const std::string& menu : actions_.menus()) {
    const bool shown = ImGui::BeginMenu(menu.c_str());
    landmark("menu." + menu_mark(menu));
    if (!shown) continue;
    actions_.draw_items(menu);
    ImGui::EndMenu();
  }
  tabs_.draw_tabs();
  draw_session_title();
  ImGui::EndMainMenuBar();
}

void Workspace::draw_session_title() {
  const SessionDocument& document = explorer_.points().document();
  const std::string title = document.title() + (document.is_dirty() ? " •" : "");
  const float width = ImGui::CalcTextSize(title.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetWindowWidth() - width - 14 * ui_scale());
  ImGui::PushStyleColor(ImGuiCol_Text, palette().muted);
  ImGui::TextUnformatted(title.c_str());
  ImGui::PopStyleColor();
  if (!document.file().empty()) {
    ImGui::SetItemTooltip("%s", document.file().c_str());
  } else if (!document.autosave_file().empty()) {
    ImGui::SetItemTooltip("Not saved under a name; autosaved to %s", document.autosave_file().c_str());
  }
}

/// Escape closes what lies on top. ImGui closes one popup, which a menu below the mouse opens again at once:
/// all go. It knows nothing of help windows. An active item, such as a text being edited, is closed first.
void Workspace::close_on_escape() {
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false) && !item_was_active_) {
    if (popup_was_open_) {
      close_popups();
    } else {
      help_.close_last();
    }
  }
  popup_was_open_ = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  item_was_active_ = ImGui::IsAnyItemActive();
}

}  // namespace tilescope
