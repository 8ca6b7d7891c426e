#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/shell/landmarks.hpp"
#include "app/shell/theme.hpp"
#include "app/shell/workspace.hpp"

namespace tilescope {

namespace fs = std::filesystem;

void Workspace::take_shortcuts() {
  const ImGuiInputFlags once = ImGuiInputFlags_RouteGlobal;
  const ImGuiInputFlags repeated = once | ImGuiInputFlags_Repeat;
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_N, once)) new_session();
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_O, once)) ask_for_file_to_open();
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_S, once)) save();
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_S, once)) ask_for_file_to_save();
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_Q, once)) quit_ = true;
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_Z, once)) explorer_.selection().undo();
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z, once)) explorer_.selection().redo();
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_Y, once)) explorer_.selection().redo();
  if (ImGui::Shortcut(ImGuiKey_F5, once)) explorer_.jobs().measure_again();
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_Equal, repeated)) set_scale(1.1F);
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_Minus, repeated)) set_scale(1 / 1.1F);
  if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_0, once)) set_scale(0);
  tabs_.take_shortcuts();
}

void Workspace::draw_menu_bar() {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {10 * ui_scale(), 8 * ui_scale()});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  const bool visible = ImGui::BeginMainMenuBar();
  ImGui::PopStyleVar(2);
  if (!visible) return;
  draw_file_menu();
  draw_edit_menu();
  draw_view_menu();
  draw_help_menu();
  tabs_.draw_tabs();
  draw_session_title();
  ImGui::EndMainMenuBar();
}

void Workspace::draw_file_menu() {
  const bool shown = ImGui::BeginMenu("File");
  landmark("menu.file");
  if (!shown) return;
  if (ImGui::MenuItem("New session", "Ctrl+N")) new_session();
  if (ImGui::MenuItem("Open...", "Ctrl+O")) ask_for_file_to_open();
  landmark("menu.file.open");
  if (ImGui::BeginMenu("Open recent", !settings_.recent.empty())) {
    const std::vector<fs::path> recent = settings_.recent;  // Opening one moves it to the front.
    for (const fs::path& file : recent) {
      if (ImGui::MenuItem(file.filename().c_str())) open(file);
      ImGui::SetItemTooltip("%s", file.c_str());
    }
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Unnamed sessions")) {
    draw_kept_sessions();
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Examples", !examples_.empty())) {
    for (const fs::path& file : examples_) {
      if (ImGui::MenuItem(file.stem().c_str())) explorer_.points().begin_opening_recorded(file);
    }
    ImGui::Separator();
    ImGui::TextDisabled("Drawn behind your points, as recorded");
    ImGui::EndMenu();
  }
  if (ImGui::MenuItem("Close recorded sessions", nullptr, false, !explorer_.points().recorded().empty())) {
    explorer_.points().close_all_recorded();
  }
  ImGui::Separator();
  if (ImGui::MenuItem("Save", "Ctrl+S")) save();
  landmark("menu.file.save");
  if (ImGui::MenuItem("Save as...", "Ctrl+Shift+S")) ask_for_file_to_save();
  PanelExport::draw_menu(panels_);
  ImGui::Separator();
  if (ImGui::MenuItem("Quit", "Ctrl+Q")) quit_ = true;
  ImGui::EndMenu();
}

/// What was measured without being saved under a name, after a crash too; newest first, for the names are times.
void Workspace::draw_kept_sessions() {
  std::vector<fs::path> files = list_json_files(explorer_.installation().data / "sessions");
  std::reverse(files.begin(), files.end());
  if (files.size() > 12) files.resize(12);
  for (const fs::path& file : files) {
    if (ImGui::MenuItem(file.stem().c_str())) open(file);
  }
  if (files.empty()) ImGui::TextDisabled("None");
}

void Workspace::draw_edit_menu() {
  if (!ImGui::BeginMenu("Edit")) return;
  if (ImGui::MenuItem("Undo", "Ctrl+Z", false, explorer_.selection().can_undo()))
    explorer_.selection().undo();
  if (ImGui::MenuItem("Redo", "Ctrl+Shift+Z", false, explorer_.selection().can_redo()))
    explorer_.selection().redo();
  ImGui::Separator();
  if (ImGui::MenuItem("Measure again", "F5")) explorer_.jobs().measure_again();
  if (ImGui::MenuItem("Cancel the sweep", nullptr, false, explorer_.jobs().sweep() != nullptr))
    explorer_.jobs().cancel_sweep();
  ImGui::EndMenu();
}

void Workspace::draw_view_menu() {
  const bool shown = ImGui::BeginMenu("View");
  landmark("menu.view");
  if (!shown) return;
  for (const auto& panel : panels_) {
    ImGui::MenuItem(panel->title().c_str(), nullptr, &panel->open);
    landmark("menu.view." + panel->id());
  }
  ImGui::Separator();
  tabs_.draw_menu_items();
  ImGui::Separator();
  const bool light = settings_.light;
  if (ImGui::MenuItem("Dark", nullptr, !light)) settings_.light = false;
  if (ImGui::MenuItem("Light", nullptr, light)) settings_.light = true;
  if (settings_.light != light) theme_changed_ = true;
  ImGui::Separator();
  if (ImGui::MenuItem("Larger", "Ctrl+=")) set_scale(1.1F);
  if (ImGui::MenuItem("Smaller", "Ctrl+-")) set_scale(1 / 1.1F);
  if (ImGui::MenuItem("Size of the display", "Ctrl+0", settings_.scale == 0)) set_scale(0);
  ImGui::EndMenu();
}

void Workspace::draw_help_menu() {
  if (!ImGui::BeginMenu("Help")) return;
  if (ImGui::MenuItem("About Tilescope")) about_ = true;
  ImGui::EndMenu();
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
    ImGui::SetItemTooltip("Not saved under a name yet; kept in %s", document.autosave_file().c_str());
  }
}

void Workspace::draw_about() {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({440 * ui_scale(), 0});
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                                 ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin("About Tilescope", &about_, flags)) {
    ImGui::PushFont(fonts().bold, ImGui::GetStyle().FontSizeBase * 1.5F);
    ImGui::Text("Tilescope %s", tilescope_version().c_str());
    ImGui::PopFont();
    ImGui::TextWrapped(
        "Explores the performance of GPU attention kernels: move a slider, and the kernel is compiled, "
        "checked, launched and plotted.");
    ImGui::Spacing();
    ImGui::TextDisabled("%zu kernels, %zu devices", explorer_.kernels().all().size(),
                        explorer_.selection().devices().size());
    ImGui::TextDisabled("Installation: %s", explorer_.installation().root.c_str());
    ImGui::TextDisabled("Dear ImGui %s, ImPlot, GLFW, glad", ImGui::GetVersion());
  }
  ImGui::End();
}

void Workspace::new_session() {
  explorer_.points().new_session();
}

void Workspace::ask_for_file_to_open() {
  const fs::path& file = explorer_.points().document().file();
  opening_ = true;
  dialog_.show(FileDialog::Purpose::open,
               file.empty() ? explorer_.installation().data / "sessions" : file.parent_path());
}

void Workspace::ask_for_file_to_save() {
  const SessionDocument& document = explorer_.points().document();
  const fs::path suggested = !document.file().empty()
                                 ? document.file()
                                 : explorer_.installation().data / "sessions" /
                                       fmt::format("{}.json", explorer_.selection().experiment().kernel);
  opening_ = false;
  dialog_.show(FileDialog::Purpose::save, suggested);
}

void Workspace::open(const fs::path& file) {
  explorer_.points().begin_opening(file, [this, file] { settings_.add_recent(file); });
}

void Workspace::save() {
  if (explorer_.points().document().file().empty()) {
    ask_for_file_to_save();
  } else {
    explorer_.points().begin_saving();
  }
}

/// `factor` 0 goes back to the display's own scale.
void Workspace::set_scale(float factor) {
  if (factor == 0) {
    settings_.scale = 0;
  } else {
    const float tenths = std::round(ui_scale() * factor * 20) / 20;
    settings_.scale = std::clamp(tenths, 0.75F, 4.0F);
  }
  theme_changed_ = true;
}

}  // namespace tilescope
