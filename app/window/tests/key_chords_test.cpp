// Key chords that are typed within one frame, as ImGui's queue receives them from the window system.

#include "app/gui/key_chords.hpp"

#include <gtest/gtest.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <string>

#include "app/widgets/tests/headless_gui.hpp"

namespace tilescope {
namespace {

class QuickTypist : public ::testing::Test {
 protected:
  QuickTypist() {
    gui_.show([this] {
      if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_O, ImGuiInputFlags_RouteGlobal)) ++opened_;
      if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z, ImGuiInputFlags_RouteGlobal))
        ++redone_;
      if (ImGui::Shortcut(ImGuiKey_F5, ImGuiInputFlags_RouteGlobal)) ++measured_;
      ImGui::Begin("window");
      if (focus_) ImGui::SetKeyboardFocusHere();
      focus_ = false;
      ImGui::InputText("##text", &text_);
      ImGui::End();
    });
    gui_.frames();
  }

  static void down(ImGuiKey key) { ImGui::GetIO().AddKeyEvent(key, true); }
  static void up(ImGuiKey key) { ImGui::GetIO().AddKeyEvent(key, false); }
  void frame() { gui_.frames(1); }

  test_support::HeadlessGui gui_{400, 300};
  std::string text_ = "twelve";
  bool focus_ = false;
  int opened_ = 0;
  int redone_ = 0;
  int measured_ = 0;
};

TEST_F(QuickTypist, IsUnderstoodHoweverTheEventsFallIntoFrames) {
  // All of Ctrl, O, Ctrl up, O up: a frame may come after each of them, or not.
  for (unsigned frames = 0; frames < 8; ++frames) {
    opened_ = 0;
    down(ImGuiMod_Ctrl);
    down(ImGuiKey_LeftCtrl);
    if ((frames & 1U) != 0) frame();
    down(ImGuiKey_O);
    if ((frames & 2U) != 0) frame();
    up(ImGuiMod_Ctrl);
    up(ImGuiKey_LeftCtrl);
    if ((frames & 4U) != 0) frame();
    up(ImGuiKey_O);
    gui_.frames(4);
    EXPECT_EQ(opened_, 1) << frames;
    EXPECT_EQ(ImGui::GetCurrentContext()->InputEventsQueue.Size, 0) << "nothing is left over";
    EXPECT_FALSE(ImGui::GetIO().KeyCtrl);
  }
}

TEST_F(QuickTypist, MayHoldTwoModifiers) {
  down(ImGuiMod_Ctrl);
  frame();
  down(ImGuiMod_Shift);
  down(ImGuiKey_Z);
  up(ImGuiMod_Ctrl);
  up(ImGuiMod_Shift);
  up(ImGuiKey_Z);
  gui_.frames(4);
  EXPECT_EQ(redone_, 1);
}

TEST_F(QuickTypist, IsNotHeldToHaveTypedAChordByAKeyBeforeTheModifier) {
  down(ImGuiKey_F5);
  up(ImGuiKey_F5);
  down(ImGuiMod_Ctrl);
  down(ImGuiKey_O);
  up(ImGuiKey_O);
  up(ImGuiMod_Ctrl);
  gui_.frames(6);
  EXPECT_EQ(measured_, 1);
  EXPECT_EQ(opened_, 1);
}

TEST_F(QuickTypist, SelectsTheWholeTextAndReplacesIt) {
  focus_ = true;
  gui_.frames();
  ImGui::ClearActiveID();
  focus_ = true;
  gui_.frames(3);
  ImGui::GetInputTextState(ImGui::GetActiveID())->ClearSelection();
  down(ImGuiMod_Ctrl);
  frame();
  down(ImGuiKey_A);
  up(ImGuiMod_Ctrl);
  up(ImGuiKey_A);
  gui_.type("new");
  gui_.frames(3);
  EXPECT_EQ(text_, "new");
}

}  // namespace
}  // namespace tilescope
