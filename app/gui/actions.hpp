#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// A command that the user can run: menus, shortcuts, the list of shortcuts and the command palette are made
/// from one list of these.
struct Action {
  /// Unique: "file.open". The landmark of its menu item is "menu." before it.
  std::string id;
  /// As in its menu: "Open...".
  std::string title;
  /// Menu in the menu bar: "File"; empty for an action that only the command palette has.
  std::string menu = {};
  /// 0 for none.
  ImGuiKeyChord shortcut = ImGuiKey_None;
  std::function<void()> run = {};
  /// Empty for always.
  std::function<bool()> enabled = {};
  /// For an item with a check mark.
  std::function<bool()> checked = {};
  /// Detail that the title leaves out, as of now: "BLOCK_M 32 -> 64"; may return "".
  std::function<std::string()> detail = {};
  /// Makes the item a submenu of these, which has no `run`; their ids begin with this one's. Asked for while the menu or
  /// the palette is open.
  std::function<std::vector<Action>()> children = {};
  /// Instead of the title where the menu is not seen: "Theme: dark".
  std::string full_title = {};
  std::string tooltip = {};
  /// Does the same.
  ImGuiKeyChord second_shortcut = ImGuiKey_None;
  /// While the keys are held.
  bool repeats = false;
  /// A line in the menu before it.
  bool starts_group = false;
  bool is_in_palette = true;

  bool is_enabled() const { return !enabled || enabled(); }
  const std::string& name() const { return full_title.empty() ? title : full_title; }
};

/// "Ctrl+Shift+P"; "" for none.
std::string shortcut_text(ImGuiKeyChord chord);

class ActionList {
 public:
  void add(Action action);
  void add(std::vector<Action> actions);
  /// A line in the menu before the action that is added next.
  void begin_group() { begins_group_ = true; }

  const std::vector<Action>& all() const { return actions_; }
  /// The menus in the order in which they were first named.
  std::vector<std::string> menus() const;
  /// Runs the enabled action with this id, of submenus too; returns whether there is one.
  bool run(std::string_view id) const;
  /// For the palette, with full titles; what is in submenus comes last.
  std::vector<Action> every() const;

  /// Runs the actions of the shortcuts that the user pressed; none while a dialog is open.
  void take_shortcuts() const;
  /// The items of a menu that is open.
  void draw_items(const std::string& menu) const;

 private:
  std::vector<Action> actions_;
  bool begins_group_ = false;
};

}  // namespace tilescope
