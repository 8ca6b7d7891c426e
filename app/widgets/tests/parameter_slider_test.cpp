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
      if (action.toggled_varied) slider_.varied = !slider_.varied;
      ImGui::End();
    });
    gui_.frames();
  }

  ~ParameterSlider() override { EXPECT_TRUE(gui_.errors().empty()) << gui_.errors().front(); }

  testing::HeadlessGui gui_{400, 200};
  SliderView slider_;
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

TEST_F(ParameterSlider, AnIllegalValueIsNotTaken) {
  gui_.click("slider.M.32");
  EXPECT_EQ(slider_.current, 0u);
  EXPECT_EQ(moves_, 0);
}

TEST_F(ParameterSlider, AnIllegalConfigurationCanBeLeftInSteps) {
  slider_.all_allowed = true;
  gui_.click("slider.M.32");
  EXPECT_EQ(slider_.current, 2u);
}

TEST_F(ParameterSlider, TheArrowsStepOverIllegalValues) {
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
  EXPECT_TRUE(slider_.varied);
  EXPECT_EQ(moves_, 0);
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
