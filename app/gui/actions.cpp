#include "app/gui/actions.hpp"

#include <imgui_internal.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/gui/landmarks.hpp"

namespace tilescope {

namespace {

std::string menu_title(const Action& action) {
  const std::string detail = action.detail ? action.detail() : "";
  return detail.empty() ? action.title : action.title + ": " + detail;
}

void draw_item(const Action& action);

void draw_submenu(const Action& action) {
  const std::vector<Action> children = action.is_enabled() ? action.children() : std::vector<Action>{};
  // While it is open, ImGui's last item is in the submenu.
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  landmark("menu." + action.id, corner,
           {corner.x + ImGui::GetContentRegionAvail().x, corner.y + ImGui::GetTextLineHeight()});
  if (!ImGui::BeginMenu(action.title.c_str(), !children.empty())) return;
  if (!action.tooltip.empty()) ImGui::TextDisabled("%s", action.tooltip.c_str());
  for (const Action& child : children) draw_item(child);
  ImGui::EndMenu();
}

void draw_item(const Action& action) {
  if (action.children) return draw_submenu(action);
  ImGui::PushID(action.id.c_str());
  const bool checked = action.checked && action.checked();
  const bool chosen = ImGui::MenuItem(menu_title(action).c_str(), shortcut_text(action.shortcut).c_str(),
                                      checked, action.is_enabled());
  landmark("menu." + action.id);
  if (!action.tooltip.empty()) ImGui::SetItemTooltip("%s", action.tooltip.c_str());
  ImGui::PopID();
  if (chosen) action.run();
}

bool is_pressed(const Action& action) {
  ImGuiInputFlags flags = ImGuiInputFlags_RouteGlobal;
  if (action.repeats) flags |= ImGuiInputFlags_Repeat;
  const bool first = action.shortcut != 0 && ImGui::Shortcut(action.shortcut, flags);
  const bool second = action.second_shortcut != 0 && ImGui::Shortcut(action.second_shortcut, flags);
  return first || second;
}

bool run_among(const std::vector<Action>& actions, std::string_view id) {
  for (const Action& action : actions) {
    if (action.children && id.starts_with(action.id + ".") && run_among(action.children(), id)) return true;
    if (action.id != id || !action.run || !action.is_enabled()) continue;
    action.run();
    return true;
  }
  return false;
}

/// With the whole name in the title.
void collect(const std::vector<Action>& actions, std::vector<Action>& every) {
  for (Action action : actions) {
    if (!action.is_in_palette || action.children) continue;
    const std::string detail = action.detail ? action.detail() : "";
    action.full_title = action.name() + (detail.empty() ? "" : ": " + detail);
    every.push_back(std::move(action));
  }
}

}  // namespace

std::string shortcut_text(ImGuiKeyChord chord) {
  if (chord == ImGuiKey_None) return "";
  std::string text = ImGui::GetKeyChordName(chord);
  const std::pair<const char*, const char*> signs[] = {{"Equal", "="}, {"Minus", "-"}};
  for (const auto& [name, sign] : signs) {
    if (text.ends_with(name))
      text.replace(text.size() - std::string_view(name).size(), std::string::npos, sign);
  }
  return text;
}

void ActionList::add(Action action) {
  const bool is_taken = std::any_of(actions_.begin(), actions_.end(), [&](const Action& other) {
    return other.id == action.id || (action.shortcut != 0 && other.shortcut == action.shortcut);
  });
  if (is_taken)
    throw std::logic_error("Two actions have the id '" + action.id + "' or its shortcut '" +
                           shortcut_text(action.shortcut) + "'.");
  action.starts_group = std::exchange(begins_group_, false) || action.starts_group;
  actions_.push_back(std::move(action));
}

void ActionList::add(std::vector<Action> actions) {
  for (Action& action : actions) add(std::move(action));
}

std::vector<std::string> ActionList::menus() const {
  std::vector<std::string> menus;
  for (const Action& action : actions_) {
    if (!action.menu.empty() && std::find(menus.begin(), menus.end(), action.menu) == menus.end())
      menus.push_back(action.menu);
  }
  return menus;
}

bool ActionList::run(std::string_view id) const {
  return run_among(actions_, id);
}

std::vector<Action> ActionList::every() const {
  std::vector<Action> every;
  collect(actions_, every);
  for (const Action& action : actions_) {
    if (action.children && action.is_enabled()) collect(action.children(), every);
  }
  return every;
}

void ActionList::take_shortcuts() const {
  if (ImGui::GetTopMostPopupModal() != nullptr) return;
  // All are asked before one runs: ImGui learns in each frame which shortcuts there are.
  const Action* pressed = nullptr;
  for (const Action& action : actions_) {
    if ((action.shortcut != 0 || action.second_shortcut != 0) && is_pressed(action)) pressed = &action;
  }
  if (pressed != nullptr && pressed->is_enabled()) pressed->run();
}

void ActionList::draw_items(const std::string& menu) const {
  bool first = true;
  for (const Action& action : actions_) {
    if (action.menu != menu) continue;
    if (action.starts_group && !first) ImGui::Separator();
    first = false;
    draw_item(action);
  }
}

}  // namespace tilescope
