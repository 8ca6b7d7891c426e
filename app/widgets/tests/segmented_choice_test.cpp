#include "app/widgets/segmented_choice.hpp"

#include <gtest/gtest.h>
#include <imgui.h>

#include "app/widgets/tests/headless_gui.hpp"

namespace tilescope {
namespace {

/// Three names in a panel, the second of which is disabled.
class SegmentedChoiceTest : public ::testing::Test {
 protected:
  SegmentedChoiceTest() {
    choice_.id = "choice";
    choice_.segments = {
        {"row_major", "row_major", ""}, {"padded", "padded", "no"}, {"xor_swizzle", "xor_swizzle", ""}};
    gui_.show([this] {
      ImGui::SetNextWindowPos({10, 10});
      ImGui::SetNextWindowSize({width_, 180});
      ImGui::Begin("panel");
      const SegmentedAction action = segmented_choice(choice_);
      if (action.chosen) choice_.current = *action.chosen;
      hovered_ = action.hovered;
      ImGui::End();
    });
    gui_.frames();
  }
  ~SegmentedChoiceTest() override { EXPECT_TRUE(gui_.errors().empty()) << gui_.errors().front(); }

  test_support::HeadlessGui gui_{400, 200};
  float width_ = 380;
  SegmentedChoice choice_;
  std::optional<std::size_t> hovered_;
};

TEST_F(SegmentedChoiceTest, AClickChooses) {
  gui_.click("xor_swizzle");
  EXPECT_EQ(choice_.current, 2u);
  EXPECT_EQ(hovered_, 2u);
}

TEST_F(SegmentedChoiceTest, ADisabledOneIsNotChosenAndIsHoveredForItsReason) {
  gui_.click("padded");
  EXPECT_EQ(choice_.current, 0u);
  EXPECT_EQ(hovered_, 1u);
}

TEST_F(SegmentedChoiceTest, TheArrowsStepOverDisabledOnes) {
  gui_.click("row_major");
  gui_.key(ImGuiKey_RightArrow);
  EXPECT_EQ(choice_.current, 2u);
  gui_.key(ImGuiKey_LeftArrow);
  EXPECT_EQ(choice_.current, 0u);
}

TEST_F(SegmentedChoiceTest, APressThatEndsElsewhereChoosesNothing) {
  gui_.move_to("xor_swizzle");
  gui_.press();
  ImGui::GetIO().AddMousePosEvent(390, 190);
  gui_.frames();
  gui_.release();
  EXPECT_EQ(choice_.current, 0u);
}

TEST_F(SegmentedChoiceTest, SegmentsThatDoNotFitAreInTheNextRow) {
  EXPECT_EQ(gui_.rectangle("row_major")[1], gui_.rectangle("xor_swizzle")[1]);
  width_ = 200;
  gui_.frames();
  EXPECT_LT(gui_.rectangle("row_major")[1], gui_.rectangle("xor_swizzle")[1]);
  EXPECT_LE(gui_.rectangle("xor_swizzle")[2], 210);
  gui_.click("xor_swizzle");
  EXPECT_EQ(choice_.current, 2u);
}

TEST_F(SegmentedChoiceTest, NoneNeedBeChosen) {
  choice_.current = choice_.segments.size();
  gui_.frames();
  gui_.click("row_major");
  EXPECT_EQ(choice_.current, 0u);
}

}  // namespace
}  // namespace tilescope
