#include "app/panels/tests/panels_fixture.hpp"
#include "app/panels/tune/parameter_views.hpp"

namespace tilescope {
namespace {

/// The panel in a window of its own, as in the smallest layout: sliders do not all fit.
class ConfigurationPanelTest : public Panels {
 protected:
  void choose(const std::string& kernel) {
    Experiment experiment;
    experiment.kernel = kernel;
    explorer_->selection().set_experiment(experiment);
  }

  const ParameterDeclaration& parameter(const std::string& name) const {
    return *explorer_->selection().kernel().find_parameter(name);
  }
};

TEST_F(ConfigurationPanelTest, ASwitchIsOneWhoseHelpSaysWhatItTurnsOn) {
  choose("mma_flash");
  EXPECT_TRUE(is_switch(parameter("Q_IN_REGISTERS")));
  EXPECT_FALSE(is_switch(parameter("BLOCK_M")));
  choose("cp_async");
  EXPECT_FALSE(is_switch(parameter("IN_FLIGHT"))) << "a number of groups";
  choose("idle_swizzle");
  EXPECT_TRUE(is_switch(parameter("SWIZZLE")));
  EXPECT_FALSE(is_switch(parameter("FAULT"))) << "its names are its values";
}

TEST_F(ConfigurationPanelTest, NamesAndZeroAndOneAreSegments) {
  choose("mma_flash");
  for (const SliderView& view : parameter_views(*explorer_)) {
    const bool expected = view.values.front().value == "0" || view.values.front().value == "row_major";
    EXPECT_EQ(view.segmented, expected) << view.name;
    if (view.name == "Q_IN_REGISTERS") {
      EXPECT_EQ(view.values[0].shown(), "Off");
      EXPECT_EQ(view.values[1].value, "1");
    }
  }
}

TEST_F(ConfigurationPanelTest, ASegmentSetsItsParameter) {
  test_support::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  gui.click("slider.SMEM_LAYOUT.padded");
  EXPECT_EQ(value_of("SMEM_LAYOUT"), ParameterValue(std::string("padded")));
  gui.key(ImGuiKey_LeftArrow);
  EXPECT_EQ(value_of("SMEM_LAYOUT"), ParameterValue(std::string("row_major")));
  explorer_->selection().undo();
  EXPECT_EQ(value_of("SMEM_LAYOUT"), ParameterValue(std::string("padded")));
}

TEST_F(ConfigurationPanelTest, FromAPointOfNvccAButtonLeadsBackToNvrtc) {
  test_support::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  EXPECT_FALSE(gui.has("compiler.nvrtc"));
  Experiment experiment = explorer_->selection().experiment();
  experiment.compiler = KernelCompiler::nvcc;
  explorer_->selection().set_experiment(experiment);
  gui.frames();
  gui.click("compiler.nvrtc");
  EXPECT_EQ(explorer_->selection().experiment().compiler, KernelCompiler::nvrtc);
  explorer_->selection().undo();
  EXPECT_EQ(explorer_->selection().experiment().compiler, KernelCompiler::nvcc);
}

TEST_F(ConfigurationPanelTest, TheTypeOfTheShapeIsASegment) {
  test_support::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  gui.click("shape.dtype.bf16");
  EXPECT_EQ(explorer_->selection().experiment().shape.dtype, DataType::bf16);
}

/// Letters of a colour: "Valid configuration" is the only green text of the panel.
bool draws_color(const ImVec4& color) {
  const ImU32 wanted = ImGui::ColorConvertFloat4ToU32(color);
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
    for (const ImDrawVert& vertex : list->VtxBuffer) {
      if (vertex.col == wanted) return true;
    }
  }
  return false;
}

TEST_F(ConfigurationPanelTest, NothingIsValidBesideAnInvalidShape) {
  test_support::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  EXPECT_TRUE(draws_color(palette().ok));
  gui.click("shape.Hkv");
  gui.type("3");
  EXPECT_FALSE(draws_color(palette().ok)) << "while it is typed";
  gui.key(ImGuiKey_Enter);
  EXPECT_FALSE(draws_color(palette().ok)) << "Hq is not a multiple of it";
  gui.click("shape.Hkv");
  gui.type("8");
  gui.key(ImGuiKey_Enter);
  EXPECT_TRUE(draws_color(palette().ok));
  gui.click("shape.D");
  gui.type("80");
  EXPECT_FALSE(draws_color(palette().ok)) << "the kernel does not take it";
}

TEST_F(ConfigurationPanelTest, TheFootStaysInSightWhileTheSlidersScroll) {
  choose("mma_flash");
  test_support::HeadlessGui gui(320, 420);
  show(gui, "configuration");
  gui.click("vary.BLOCK_M");
  ASSERT_TRUE(gui.has("button.sweep"));
  EXPECT_TRUE(gui.has("configuration.validity"));
  const auto before = gui.rectangle("button.sweep");
  EXPECT_LE(before[3], 420);
  EXPECT_FALSE(gui.has("slider.PERSISTENT")) << "all sliders fit: the test is of no use";
  gui.move_to("slider.BLOCK_M");
  ImGui::GetIO().AddMouseWheelEvent(0, -100);
  gui.frames(10);
  EXPECT_TRUE(gui.has("slider.PERSISTENT"));
  EXPECT_EQ(gui.rectangle("button.sweep"), before);
}

}  // namespace
}  // namespace tilescope
