#include "app/widgets/parameter_slider.hpp"

#include <gtest/gtest.h>
#include <imgui.h>

#include "app/widgets/tests/headless_gui.hpp"

namespace tilescope {
namespace {

/// A slider over 8, 16, 32, 64, of which 32 is invalid, and the actions that it returned.
class ParameterSlider : public ::testing::Test {
 protected:
  ParameterSlider() {
    slider_.name = "M";
    for (const char* label : {"8", "16", "32", "64"}) slider_.values.push_back({label, ""});
    slider_.values[2].why_invalid = "M must not be 32";
    gui_.show([this] {
      ImGui::SetNextWindowPos({10, 10});
      ImGui::SetNextWindowSize({380, 180});
      ImGui::Begin("panel");
      const SliderAction action = parameter_slider(slider_);
      if (action.moved_to) {
        slider_.current = *action.moved_to;
        ++moves_;
      }
      if (action.released) ++releases_;
      if (action.sweep.toggled) slider_.swept = !slider_.swept;
      take(action.sweep);
      ImGui::End();
    });
    gui_.frames();
  }

  ~ParameterSlider() override { EXPECT_TRUE(gui_.errors().empty()) << gui_.errors().front(); }

  test_support::HeadlessGui gui_{400, 200};
  SliderView slider_;
  void take(const SweepAction& action) {
    for (SliderValue& value : slider_.values) {
      if (action.all_values) value.in_sweep = true;
      if (action.no_value) value.in_sweep = false;
    }
    if (action.toggled_value) slider_.values[*action.toggled_value].in_sweep ^= true;
  }

  int moves_ = 0;
  int releases_ = 0;
};

TEST_F(ParameterSlider, AClickOnAValueTakesItAndIsOneStep) {
  gui_.click("slider.M.64");
  EXPECT_EQ(slider_.current, 3u);
  EXPECT_EQ(moves_, 1);
  EXPECT_EQ(releases_, 1);
}

TEST_F(ParameterSlider, ADragTakesEachValueThatItPassesAndEndsOnce) {
  gui_.move_to("slider.M.8");
  gui_.press();
  gui_.move_to("slider.M.16");
  EXPECT_EQ(slider_.current, 1u);
  gui_.move_to("slider.M.64");
  EXPECT_EQ(slider_.current, 3u);
  EXPECT_EQ(releases_, 0);
  gui_.release();
  EXPECT_EQ(moves_, 2);
  EXPECT_EQ(releases_, 1);
}

TEST_F(ParameterSlider, AnInvalidValueIsNotTaken) {
  gui_.click("slider.M.32");
  EXPECT_EQ(slider_.current, 0u);
  EXPECT_EQ(moves_, 0);
}

TEST_F(ParameterSlider, AnInvalidConfigurationCanBeLeftInSteps) {
  slider_.all_allowed = true;
  gui_.click("slider.M.32");
  EXPECT_EQ(slider_.current, 2u);
}

TEST_F(ParameterSlider, TheArrowsStepOverInvalidValues) {
  gui_.click("slider.M.16");
  const int releases = releases_;
  gui_.key(ImGuiKey_RightArrow);
  EXPECT_EQ(slider_.current, 3u);
  gui_.key(ImGuiKey_LeftArrow);
  EXPECT_EQ(slider_.current, 1u);
  gui_.key(ImGuiKey_LeftArrow);
  gui_.key(ImGuiKey_LeftArrow);
  EXPECT_EQ(slider_.current, 0u);
  EXPECT_EQ(releases_, releases + 3);
}

TEST_F(ParameterSlider, ThePillTakesItIntoTheSweep) {
  gui_.click("vary.M");
  EXPECT_TRUE(slider_.swept);
  EXPECT_EQ(moves_, 0);
}

TEST_F(ParameterSlider, TheValuesOfASweepAreChosenInAList) {
  EXPECT_FALSE(gui_.has("vary.M.values")) << "it is not in the sweep";
  gui_.click("vary.M");
  gui_.click("vary.M.values");
  gui_.click("vary.M.16");
  EXPECT_FALSE(slider_.values[1].in_sweep);
  gui_.click("vary.M.none");
  for (const SliderValue& value : slider_.values) EXPECT_FALSE(value.in_sweep) << value.value;
  gui_.click("vary.M.64");
  EXPECT_TRUE(slider_.values[3].in_sweep);
  gui_.click("vary.M.all");
  for (const SliderValue& value : slider_.values) EXPECT_TRUE(value.in_sweep) << value.value;
  EXPECT_EQ(moves_, 0);
}

TEST_F(ParameterSlider, ThePillsAreHigherThanTheirText) {
  const auto at = gui_.rectangle("vary.M");
  EXPECT_GE(at[3] - at[1], 15 + 4) << "text of 15 pixels and its border";
}

TEST_F(ParameterSlider, TheTooltipHasTheHelpAndTheReason) {
  gui_.move_to("slider.M.16");
  gui_.frames(20);  // the mouse rests
  const int without_help = gui_.vertices();
  slider_.help = "Rows of a block.";
  gui_.frames();
  const int letter = 4;
  EXPECT_GT(gui_.vertices(), without_help + 10 * letter);
  const int without_reason = gui_.vertices();
  gui_.move_to("slider.M.32");
  gui_.frames(20);
  EXPECT_GT(gui_.vertices(), without_reason + 20 * letter);
}

TEST_F(ParameterSlider, NamesAreButtonsSideBySide) {
  slider_.segmented = true;
  gui_.frames();
  gui_.click("slider.M.16");
  EXPECT_EQ(slider_.current, 1u);
  EXPECT_EQ(releases_, 1);
  gui_.click("slider.M.32");
  EXPECT_EQ(slider_.current, 1u) << "it is invalid";
  gui_.key(ImGuiKey_RightArrow);
  EXPECT_EQ(slider_.current, 3u);
  slider_.all_allowed = true;
  gui_.click("slider.M.32");
  EXPECT_EQ(slider_.current, 2u);
}

TEST_F(ParameterSlider, ASwitchIsMarkedWithItsValue) {
  slider_.segmented = true;
  slider_.values = {{"0", "", "Off"}, {"1", "", "On"}};
  slider_.current = 0;
  gui_.frames();
  gui_.click("slider.M.1");
  EXPECT_EQ(slider_.current, 1u);
}

TEST_F(ParameterSlider, AValueThatIsNotDeclaredHasNoKnobAndCanBeLeft) {
  slider_.current = slider_.values.size();
  gui_.frames();
  gui_.click("slider.M.16");
  EXPECT_EQ(slider_.current, 1u);
}

TEST_F(ParameterSlider, AKeyWithoutAKnownValueGoesToTheNearEnd) {
  gui_.click("slider.M.8");
  slider_.current = slider_.values.size();
  gui_.key(ImGuiKey_LeftArrow);
  EXPECT_EQ(slider_.current, 3u);
}

}  // namespace
}  // namespace tilescope
