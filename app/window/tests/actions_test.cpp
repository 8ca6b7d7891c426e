// One list of actions: its menus, its shortcuts and the command palette.

#include "app/gui/actions.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "app/widgets/tests/headless_gui.hpp"
#include "app/window/command_palette.hpp"
#include "app/window/fuzzy_match.hpp"

namespace tilescope {
namespace {

TEST(FuzzyMatch, FindsLettersInTheirOrder) {
  EXPECT_TRUE(fuzzy_match("rzo", "Reset zoom"));
  EXPECT_TRUE(fuzzy_match("RESET ZOOM", "Reset zoom"));
  EXPECT_TRUE(fuzzy_match("", "Reset zoom"));
  EXPECT_FALSE(fuzzy_match("mooz", "Reset zoom"));
  EXPECT_FALSE(fuzzy_match("zoomzoomzoom", "Reset zoom"));
  EXPECT_EQ(fuzzy_match("rzo", "Reset zoom")->positions, (std::vector<std::size_t>{0, 6, 7}));
}

TEST(FuzzyMatch, PrefersRunsAndBeginningsOfWords) {
  const auto score = [](const char* query, const char* text) {
    return fuzzy_match(query, text).value().score;
  };
  EXPECT_GT(score("save", "Save as..."), score("save", "Session: alpha, v3, e"));
  EXPECT_GT(score("sp", "Show panel"), score("sp", "Dispatch"));
  EXPECT_GT(score("open", "Open..."), score("open", "Examples: a reopened one"));
  EXPECT_EQ(fuzzy_match("om", "Zoom room mode")->positions, (std::vector<std::size_t>{2, 3})) << "a run";
}

TEST(ShortcutText, IsWhatTheKeysSay) {
  EXPECT_EQ(shortcut_text(ImGuiKey_None), "");
  test_support::HeadlessGui gui(100,
                                100);  // The names of modifiers are the platform's, which a context knows.
  EXPECT_EQ(shortcut_text(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P), "Ctrl+Shift+P");
  EXPECT_EQ(shortcut_text(ImGuiMod_Ctrl | ImGuiKey_Equal), "Ctrl+=");
  EXPECT_EQ(shortcut_text(ImGuiMod_Ctrl | ImGuiKey_Minus), "Ctrl+-");
  EXPECT_EQ(shortcut_text(ImGuiKey_F5), "F5");
}

class Actions : public ::testing::Test {
 protected:
  Actions() {
    actions_.add({"file.open", "Open...", "File", ImGuiMod_Ctrl | ImGuiKey_O, [this] { ran_ = "open"; }});
    Action recent{"file.recent", "Open recent", "File"};
    recent.children = [this] {
      Action child{"file.recent.sweep", "sweep.json", "", {}, [this] { ran_ = "recent"; }};
      child.full_title = "Open recent: sweep.json";
      return std::vector<Action>{child};
    };
    actions_.add(recent);
    Action undo{"edit.undo", "Undo", "Edit", ImGuiMod_Ctrl | ImGuiKey_Z, [this] { ran_ = "undo"; }};
    undo.enabled = [this] { return can_undo_; };
    undo.detail = [] { return "BLOCK_M 32 -> 64"; };
    undo.second_shortcut = ImGuiMod_Alt | ImGuiKey_Backspace;
    actions_.add(undo);
    gui_.show([this] {
      actions_.take_shortcuts();
      if (ImGui::BeginMainMenuBar()) {
        for (const std::string& menu : actions_.menus()) {
          if (!ImGui::BeginMenu(menu.c_str())) continue;
          actions_.draw_items(menu);
          ImGui::EndMenu();
        }
        ImGui::EndMainMenuBar();
      }
      palette_.draw();
    });
    gui_.frames();
  }

  void press(ImGuiKey modifier, ImGuiKey key) {
    ImGui::GetIO().AddKeyEvent(modifier, true);
    ImGui::GetIO().AddKeyEvent(key, true);
    ImGui::GetIO().AddKeyEvent(modifier, false);
    ImGui::GetIO().AddKeyEvent(key, false);
    gui_.frames(4);
  }
  void open_palette() {
    palette_.show(actions_.every());
    gui_.frames();
  }

  ActionList actions_;
  CommandPalette palette_;
  std::string ran_;
  bool can_undo_ = true;
  test_support::HeadlessGui gui_{900, 600};
};

TEST_F(Actions, RunByTheirShortcuts) {
  press(ImGuiMod_Ctrl, ImGuiKey_O);
  EXPECT_EQ(ran_, "open");
  press(ImGuiMod_Ctrl, ImGuiKey_Z);
  EXPECT_EQ(ran_, "undo");
  ran_.clear();
  press(ImGuiMod_Alt, ImGuiKey_Backspace);
  EXPECT_EQ(ran_, "undo") << "by the second one";
  ran_.clear();
  can_undo_ = false;
  press(ImGuiMod_Ctrl, ImGuiKey_Z);
  EXPECT_EQ(ran_, "") << "disabled";
}

TEST_F(Actions, RunById) {
  EXPECT_TRUE(actions_.run("file.recent.sweep"));
  EXPECT_EQ(ran_, "recent");
  can_undo_ = false;
  EXPECT_FALSE(actions_.run("edit.undo"));
  EXPECT_FALSE(actions_.run("no.such"));
}

TEST_F(Actions, AreRefusedWithAnIdOrAShortcutThatIsTaken) {
  EXPECT_THROW(actions_.add({"file.open", "Open", "File"}), std::logic_error);
  EXPECT_THROW(actions_.add({"file.other", "Other", "File", ImGuiMod_Ctrl | ImGuiKey_O}), std::logic_error);
}

TEST_F(Actions, AreAllInThePalette) {
  std::vector<std::string> names;
  for (const Action& action : actions_.every()) names.push_back(action.name());
  EXPECT_EQ(names,
            (std::vector<std::string>{"Open...", "Undo: BLOCK_M 32 -> 64", "Open recent: sweep.json"}));
}

TEST_F(Actions, AreFoundByTypingAndRunByEnter) {
  open_palette();
  EXPECT_TRUE(gui_.has("palette.file.open"));
  gui_.type("swe");
  EXPECT_FALSE(gui_.has("palette.file.open"));
  EXPECT_TRUE(gui_.has("palette.file.recent.sweep"));
  gui_.key(ImGuiKey_Enter);
  EXPECT_EQ(ran_, "recent");
  EXPECT_FALSE(gui_.has("palette.query")) << "closed";
}

TEST_F(Actions, AreChosenByTheArrowKeys) {
  open_palette();
  gui_.key(ImGuiKey_DownArrow);
  gui_.key(ImGuiKey_Enter);
  EXPECT_EQ(ran_, "undo");
  open_palette();
  gui_.key(ImGuiKey_DownArrow);
  gui_.key(ImGuiKey_UpArrow);
  gui_.key(ImGuiKey_UpArrow);
  gui_.key(ImGuiKey_Enter);
  EXPECT_EQ(ran_, "open") << "the first one is the end";
}

TEST_F(Actions, AreRunByAClick) {
  open_palette();
  gui_.click("palette.edit.undo");
  EXPECT_EQ(ran_, "undo");
  EXPECT_FALSE(gui_.has("palette.query"));
}

TEST_F(Actions, NoneRunsWhereNoneMatchesOrTheOneIsDisabled) {
  open_palette();
  gui_.type("qqq");
  gui_.key(ImGuiKey_Enter);
  EXPECT_EQ(ran_, "");
  gui_.key(ImGuiKey_Escape);
  EXPECT_FALSE(gui_.has("palette.query"));
  can_undo_ = false;
  open_palette();
  gui_.type("undo");
  gui_.key(ImGuiKey_Enter);
  EXPECT_EQ(ran_, "");
  EXPECT_TRUE(gui_.has("palette.query")) << "to be searched on";
  gui_.key(ImGuiKey_Escape);
  EXPECT_FALSE(gui_.has("palette.query"));
  EXPECT_TRUE(gui_.errors().empty()) << gui_.errors().front();
}

}  // namespace
}  // namespace tilescope
