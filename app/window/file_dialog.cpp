#include "app/window/file_dialog.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/widgets/accent_button.hpp"
#include "app/widgets/text.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

std::string when(fs::file_time_type time) {
  const auto since = std::chrono::time_point_cast<std::chrono::system_clock::duration>(
      time - fs::file_time_type::clock::now() + std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(std::chrono::system_clock::to_time_t(since)));
}

bool is_enter_pressed() {
  return ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
}

}  // namespace

void FileDialog::show(Purpose purpose, const fs::path& suggested, const std::string& what,
                      const std::vector<std::string>& extensions) {
  purpose_ = purpose;
  extensions_ = extensions;
  // Two dialogs of different files may exist, so the extension is a part of the id.
  title_ = purpose == Purpose::open ? fmt::format("Open {}###file_dialog{}", what, extensions.front())
                                    : fmt::format("Save {} as###file_dialog{}", what, extensions.front());
  requested_ = true;
  folder_help_.clear();
  std::error_code ignored;
  const bool is_folder = fs::is_directory(suggested, ignored);
  name_ = is_folder ? "" : suggested.filename().string();
  go_to(is_folder ? suggested : suggested.parent_path());
}

void FileDialog::show_with_folders(const fs::path& suggested, const std::string& what,
                                   const std::vector<std::string>& extensions,
                                   const std::string& folder_help) {
  show(Purpose::open, suggested, what, extensions);
  folder_help_ = folder_help;
}

void FileDialog::go_to(const fs::path& folder) {
  std::error_code failed;
  folder_ = fs::weakly_canonical(folder.empty() ? fs::current_path(failed) : folder, failed);
  entries_.clear();
  error_.clear();
  confirm_replace_ = false;
  fs::directory_iterator entry(folder_, failed);
  if (failed) error_ = fmt::format("{} cannot be read: {}", folder_.string(), failed.message());
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    const bool is_folder = entry->is_directory(ignored);
    const bool is_listed =
        is_folder || std::ranges::find(extensions_, entry->path().extension().string()) != extensions_.end();
    if (name.starts_with('.') || !is_listed) continue;
    entries_.push_back({name, is_folder, is_folder ? "" : when(entry->last_write_time(ignored))});
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::pair(!a.folder, a.name) < std::pair(!b.folder, b.name);
  });
}

fs::path FileDialog::typed() const {
  const fs::path name(name_);
  return name.is_absolute() ? name : folder_ / name;
}

std::optional<fs::path> FileDialog::accept() {
  error_.clear();
  if (name_.empty()) return std::nullopt;
  fs::path file = typed();
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    go_to(file);
    name_.clear();
    return std::nullopt;
  }
  if (purpose_ == Purpose::open) {
    if (fs::exists(file, ignored)) return file;
    error_ = fmt::format("There is no file {}.", file.string());
    return std::nullopt;
  }
  if (!fs::is_directory(file.parent_path(), ignored)) {
    error_ = fmt::format("There is no folder {}. Choose a folder that exists.", file.parent_path().string());
    return std::nullopt;
  }
  if (file.extension() != extensions_.front()) file += extensions_.front();
  if (fs::exists(file, ignored) && !confirm_replace_) {
    confirm_replace_ = true;
    error_ = fmt::format("{} exists. Press Replace to write over it.", file.filename().string());
    return std::nullopt;
  }
  return file;
}

void FileDialog::draw_folder_line() {
  fs::path chosen;
  fs::path so_far;
  bool first = true;
  for (const fs::path& part : folder_) {
    so_far /= part;
    if (!first) same_line_if_fits(part.string());
    first = false;
    ImGui::PushID(so_far.c_str());
    if (ImGui::SmallButton(part.c_str())) chosen = so_far;
    ImGui::PopID();
  }
  if (!chosen.empty()) go_to(chosen);
}

void FileDialog::draw_entries() {
  const float height = 300 * ui_scale();
  const ImGuiTableFlags flags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersOuter;
  if (!ImGui::BeginTable("entries", 2, flags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("Changed", ImGuiTableColumnFlags_WidthFixed, 150 * ui_scale());
  ImGui::TableHeadersRow();
  fs::path enter;
  for (const Entry& entry : entries_) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const std::string label = entry.folder ? entry.name + "/" : entry.name;
    const ImGuiSelectableFlags row = ImGuiSelectableFlags_SpanAllColumns |
                                     ImGuiSelectableFlags_AllowDoubleClick |
                                     ImGuiSelectableFlags_NoAutoClosePopups;
    if (ImGui::Selectable(label.c_str(), entry.name == name_, row)) {
      if (entry.folder) {
        enter = folder_ / entry.name;
      } else {
        name_ = entry.name;
        confirm_replace_ = false;
        row_chosen_ = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) || is_enter_pressed();
      }
    }
    landmark("file_dialog.row." + entry.name);
    ImGui::TableNextColumn();
    ImGui::TextDisabled("%s", entry.changed.c_str());
  }
  if (entries_.empty()) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextDisabled("No such files here");
  }
  ImGui::EndTable();
  if (!enter.empty()) go_to(enter);
}

// On the line of the other buttons, at its left end.
bool FileDialog::draw_folder_button() const {
  if (folder_help_.empty()) return false;
  const bool is_clicked = ImGui::Button("Open this folder");
  landmark("file_dialog.folder");
  help_tooltip(folder_help_);
  ImGui::SameLine();
  return is_clicked;
}

std::optional<fs::path> FileDialog::draw() {
  if (title_.empty()) return std::nullopt;
  if (requested_) {
    ImGui::OpenPopup(title_.c_str());
    requested_ = false;
    focus_name_ = true;
  }
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  // As high as its contents in each frame: an error must not push the buttons out.
  ImGui::SetNextWindowSize({640 * ui_scale(), 0}, ImGuiCond_Always);
  bool stays_open = true;
  if (!ImGui::BeginPopupModal(title_.c_str(), &stays_open, ImGuiWindowFlags_NoSavedSettings))
    return std::nullopt;
  draw_folder_line();
  draw_entries();
  if (focus_name_) ImGui::SetKeyboardFocusHere();
  focus_name_ = false;
  ImGui::SetNextItemWidth(-FLT_MIN);
  const ImGuiInputTextFlags input = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
  bool accepted = ImGui::InputTextWithHint("##name", "File name or path", &name_, input);
  if (ImGui::IsItemEdited()) confirm_replace_ = false;
  landmark("file_dialog.name");
  ImGui::PushStyleColor(ImGuiCol_Text, palette().error);
  ImGui::TextWrapped("%s", error_.c_str());
  ImGui::PopStyleColor();
  if (!error_.empty()) landmark("file_dialog.error");
  const bool takes_folder = draw_folder_button();
  const char* verb = purpose_ == Purpose::open ? "Open" : confirm_replace_ ? "Replace" : "Save";
  const ImVec2 button(110 * ui_scale(), 0);
  ImGui::SetCursorPosX(ImGui::GetWindowWidth() - 2 * button.x - ImGui::GetStyle().WindowPadding.x -
                       ImGui::GetStyle().ItemSpacing.x);
  // Enter means the dialog's own button wherever no item takes it, as after a click on a row; not the Enter that opened
  // the dialog.
  const bool item_takes_enter = ImGui::IsAnyItemActive() || ImGui::GetIO().NavVisible;
  const bool chosen_by_key = !item_takes_enter && !ImGui::IsWindowAppearing() && is_enter_pressed();
  const bool cancelled = ImGui::Button("Cancel", button) || ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  ImGui::SameLine();
  accepted = accent_button(verb, button) || accepted || std::exchange(row_chosen_, false) || chosen_by_key;
  landmark("file_dialog.accept");
  std::optional<fs::path> file;
  if (accepted) file = accept();
  if (takes_folder) file = folder_;
  if (file || cancelled) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  return file;
}

}  // namespace tilescope
