#include "app/window/help_windows.hpp"

#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/gui/landmarks.hpp"
#include "app/gui/theme.hpp"
#include "app/window/performance_page.hpp"

namespace tilescope {

namespace {

/// [px] of a screen whose scale is 1; a height of 0 fits the content.
struct PageStyle {
  const char* title;
  const char* mark;
  float width;
  float height;
};

PageStyle style_of(HelpWindows::Page page) {
  switch (page) {
    case HelpWindows::Page::about:
      return {"About Tilescope", "help.about", 460, 0};
    case HelpWindows::Page::shortcuts:
      return {"Shortcuts", "help.shortcuts", 640, 620};
    case HelpWindows::Page::glossary:
      return {"Glossary", "help.glossary", 560, 560};
    case HelpWindows::Page::performance:
      return {"Performance", "help.performance", 640, 440};
  }
  return {};
}

bool begin_page(const PageStyle& style, bool& stays_open) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const ImVec2 room(viewport.WorkSize.x * 0.94F, viewport.WorkSize.y * 0.94F);
  ImGui::SetNextWindowPos(viewport.GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  const ImVec2 size(std::min(style.width * ui_scale(), room.x), std::min(style.height * ui_scale(), room.y));
  ImGui::SetNextWindowSize(size, ImGuiCond_Appearing);
  ImGui::SetNextWindowSizeConstraints({240 * ui_scale(), 0}, room);
  const ImGuiWindowFlags flags =
      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings;
  const bool shown = ImGui::Begin(style.title, &stays_open, flags);
  const ImVec2 corner = ImGui::GetWindowPos();
  const ImVec2 extent = ImGui::GetWindowSize();
  landmark(style.mark, corner, {corner.x + extent.x, corner.y + extent.y});
  return shown;
}

void draw_heading(const std::string& text) {
  ImGui::Spacing();
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopFont();
  ImGui::Separator();
}

void draw_muted(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, palette().muted);
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::PopStyleColor();
}

std::string both_shortcuts(const Action& action) {
  const std::string second = shortcut_text(action.second_shortcut);
  return shortcut_text(action.shortcut) + (second.empty() ? "" : ", " + second);
}

}  // namespace

void HelpWindows::show(Page page) {
  std::erase(open_, page);
  open_.push_back(page);
  to_focus_ = page;
  focuses_ = true;
}

bool HelpWindows::close_last() {
  if (open_.empty()) return false;
  open_.pop_back();
  return true;
}

void HelpWindows::draw(const Explorer& explorer, const ActionList& actions) {
  const std::vector<Page> open = open_;
  for (const Page page : open) {
    bool stays_open = true;
    if (focuses_ && page == to_focus_) {
      ImGui::SetNextWindowFocus();
      focuses_ = false;
    }
    if (begin_page(style_of(page), stays_open)) {
      if (page == Page::about) draw_about(explorer);
      if (page == Page::shortcuts) draw_shortcuts(actions);
      if (page == Page::glossary) draw_glossary();
      if (page == Page::performance) draw_performance(explorer.meter());
    }
    ImGui::End();
    if (!stays_open) std::erase(open_, page);
  }
}

void HelpWindows::draw_about(const Explorer& explorer) const {
  ImGui::PushFont(fonts().bold, ImGui::GetStyle().FontSizeBase * 1.5F);
  ImGui::Text("Tilescope %s", tilescope_version().c_str());
  ImGui::PopFont();
  ImGui::TextWrapped(
      "Explores the performance of GPU attention kernels: move a slider, and the kernel is compiled, "
      "checked, launched and plotted.");
  ImGui::Spacing();
  draw_muted(fmt::format("{} kernels, {} devices", explorer.kernels().all().size(),
                         explorer.selection().devices().size()));
  draw_muted(fmt::format("Installation: {}", explorer.installation().root.string()));
  draw_muted(fmt::format("Built with Dear ImGui {}, ImPlot, GLFW, glad", ImGui::GetVersion()));
}

void HelpWindows::draw_shortcuts(const ActionList& actions) const {
  // The actions that only the palette has come last, without a menu's name.
  std::vector<std::string> menus = actions.menus();
  for (const std::string& menu : menus) {
    draw_heading(menu);
    if (!ImGui::BeginTable(menu.c_str(), 2)) continue;
    ImGui::TableSetupColumn("title", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, 190 * ui_scale());
    for (const Action& action : actions.all()) {
      if (action.menu != menu || action.shortcut == 0) continue;
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(action.name().c_str());
      ImGui::TableNextColumn();
      draw_muted(both_shortcuts(action));
    }
    ImGui::EndTable();
  }
  draw_gestures();
}

void HelpWindows::draw_gestures() const {
  draw_heading("Mouse");
  if (!ImGui::BeginTable("gestures", 3)) return;
  ImGui::TableSetupColumn("where", ImGuiTableColumnFlags_WidthFixed, 80 * ui_scale());
  ImGui::TableSetupColumn("gesture", ImGuiTableColumnFlags_WidthFixed, 170 * ui_scale());
  ImGui::TableSetupColumn("effect", ImGuiTableColumnFlags_WidthStretch);
  const std::string* last = nullptr;
  for (const Gesture& gesture : texts_.gestures) {
    ImGui::TableNextColumn();
    if (last == nullptr || *last != gesture.where) ImGui::TextUnformatted(gesture.where.c_str());
    last = &gesture.where;
    ImGui::TableNextColumn();
    ImGui::TextWrapped("%s", gesture.gesture.c_str());
    ImGui::TableNextColumn();
    draw_muted(gesture.effect);
  }
  ImGui::EndTable();
}

void HelpWindows::draw_glossary() {
  ImGui::SetNextItemWidth(-FLT_MIN);
  ImGui::InputTextWithHint("##filter", "Search terms", &filter_);
  landmark("glossary.filter");
  if (ImGui::BeginChild("entries")) {
    const auto entries = find_entries(texts_.glossary, filter_);
    for (const GlossaryEntry* entry : entries) {
      ImGui::Spacing();
      ImGui::PushFont(fonts().bold, 0);
      ImGui::TextUnformatted(entry->term.c_str());
      landmark("glossary." + entry->term);
      ImGui::PopFont();
      ImGui::TextWrapped("%s", entry->text.c_str());
    }
    if (entries.empty()) ImGui::TextDisabled("No term matches");
  }
  ImGui::EndChild();
}

}  // namespace tilescope
