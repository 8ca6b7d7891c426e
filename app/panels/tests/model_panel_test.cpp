#include <cmath>

#include "app/gui/help_texts.hpp"
#include "app/panels/model/model_bars.hpp"
#include "app/panels/tests/panels_fixture.hpp"
#include "app/widgets/contrast.hpp"

namespace tilescope {
namespace {

class ModelPanelTest : public Panels {
 protected:
  /// Measured in 100 µs; `place` of its configuration among the valid ones.
  Measurement compared(double predicted_us, std::size_t place = 0) const {
    Measurement point = predicted(predicted_us, place);
    add_latency(point, 100);
    return point;
  }
  Measurement predicted(double p50_us, std::size_t place = 0) const {
    const KernelDeclaration& kernel = explorer_->selection().kernel();
    Measurement point = make_point(kernel, legal_configurations().at(place), "L4");
    point.prediction = Prediction{
        p50_us, p50_us * 0.9, p50_us * 1.1, 20, "model", "", {{"launch", 3}, {"tensor", p50_us - 3}}};
    return point;
  }
  void open(std::vector<Measurement> points) {
    make_present("L4");
    ASSERT_TRUE(explorer_->points().open_session(write_points("model", std::move(points))));
  }
  /// A recorded session of one point.
  void open_recorded(Measurement point) {
    ASSERT_TRUE(explorer_->points().open_recorded(write_points("recorded", {std::move(point)})));
    ASSERT_EQ(explorer_->points().recorded().size(), 1U);
  }
  /// [px] How far two dots are apart, in both directions.
  static ImVec2 apart(const test_support::HeadlessGui& gui, const std::string& a, const std::string& b) {
    const std::vector<float> first = gui.rectangle(a), second = gui.rectangle(b);
    return {second[0] - first[0], second[1] - first[1]};
  }
  static float width(const test_support::HeadlessGui& gui, const std::string& mark) {
    const std::vector<float> at = gui.rectangle(mark);
    return at[2] - at[0];
  }
};

TEST_F(ModelPanelTest, WithoutAnyPointItSaysWhatToDo) {
  test_support::HeadlessGui gui(900, 600);
  show(gui, "model");
  EXPECT_FALSE(gui.has("plot.model"));
  EXPECT_FALSE(gui.has("model.heading"));
}

TEST_F(ModelPanelTest, BarsAreAsLongAsTheirTimes) {
  open({compared(80)});
  explorer_->shown().show(explorer_->points().list().front());
  test_support::HeadlessGui gui(900, 1400);
  show(gui, "model");
  for (const char* mark : {"model.heading", "model.bar.predicted", "model.bar.roofline", "model.bar.measured",
                           "model.share.tensor", "model.share.launch"})
    EXPECT_TRUE(gui.has(mark)) << mark;
  EXPECT_NEAR(width(gui, "model.part.tensor") / width(gui, "model.part.launch"), 77.0 / 3, 6);
  EXPECT_LT(gui.rectangle("model.share.tensor")[1], gui.rectangle("model.share.launch")[1])
      << "the largest first";
}

TEST_F(ModelPanelTest, APointThatWasNotMeasuredHasNoBarOfIt) {
  open({predicted(80)});
  explorer_->shown().show(explorer_->points().list().front());
  test_support::HeadlessGui gui(900, 900);
  show(gui, "model");
  EXPECT_TRUE(gui.has("model.bar.predicted"));
  EXPECT_FALSE(gui.has("model.bar.measured"));
  EXPECT_TRUE(gui.has("model.no_errors"));
  EXPECT_FALSE(gui.has("plot.model"));
}

TEST_F(ModelPanelTest, APointWithoutAPredictionSaysSo) {
  Measurement point = compared(80);
  point.prediction.reset();
  point.notes = {"No prediction: the model does not know an instruction."};
  open({point});
  explorer_->shown().show(explorer_->points().list().front());
  test_support::HeadlessGui gui(900, 600);
  show(gui, "model");
  EXPECT_TRUE(gui.has("model.no_prediction"));
  EXPECT_FALSE(gui.has("model.bar.predicted"));
}

TEST_F(ModelPanelTest, DotsLieByTheirTimesAndAClickShowsThePoint) {
  open({compared(100), compared(50, 1), compared(200, 2)});
  test_support::HeadlessGui gui(900, 1600);
  show(gui, "model");
  const std::vector<float> equal = gui.rectangle("model.dot.0.0");
  const std::vector<float> fast = gui.rectangle("model.dot.0.1");
  const std::vector<float> slow = gui.rectangle("model.dot.0.2");
  EXPECT_FLOAT_EQ(equal[0], fast[0]) << "all were measured in one time";
  EXPECT_NEAR(fast[1] - equal[1], equal[1] - slow[1], 1)
      << "half and twice are equally far on a logarithmic axis";
  gui.click("model.dot.0.1");
  gui.frames();
  EXPECT_EQ(explorer_->shown().point(), explorer_->points().list().at(1));
  EXPECT_TRUE(gui.has("model.ring"));
}

TEST_F(ModelPanelTest, ADoubleClickShowsAllPointsAsAtFirst) {
  Measurement slow = compared(1000, 2);
  add_latency(slow, 1100);
  open({compared(100), compared(50, 1), slow});
  test_support::HeadlessGui gui(900, 1600);
  show(gui, "model");
  const std::vector<float> before = gui.rectangle("model.dot.0.2");
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
  gui.wheel("plot.model", 0, 3);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
  ASSERT_NE(gui.rectangle("model.dot.0.2"), before) << "it zooms";
  gui.double_click("plot.model");
  EXPECT_EQ(gui.rectangle("model.dot.0.2"), before);
}

TEST_F(ModelPanelTest, TheWheelScrollsThePanelAndZoomsWithCtrl) {
  open({compared(100), compared(50, 1), compared(200, 2)});
  test_support::HeadlessGui gui(600, 700);
  show(gui, "model");
  const ImVec2 before = apart(gui, "model.dot.0.1", "model.dot.0.2");
  const float top = gui.rectangle("plot.model")[1];
  gui.wheel("model.dot.0.0", 0, -1);
  EXPECT_LT(gui.rectangle("plot.model")[1], top) << "scrolled";
  EXPECT_NEAR(apart(gui, "model.dot.0.1", "model.dot.0.2").y, before.y, 0.01F) << "not zoomed";
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
  gui.wheel("model.dot.0.0", 0, 1);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
  EXPECT_GT(std::abs(apart(gui, "model.dot.0.1", "model.dot.0.2").y), std::abs(before.y) * 1.05F);
}

TEST_F(ModelPanelTest, ItZoomsOutNoFurtherThanAroundItsPoints) {
  open({compared(100), compared(50, 1), compared(200, 2)});
  test_support::HeadlessGui gui(900, 1600);
  show(gui, "model");
  const float before = std::abs(apart(gui, "model.dot.0.1", "model.dot.0.2").y);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
  for (int i = 0; i < 60; ++i) gui.wheel("plot.model", 0, -3);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
  EXPECT_GT(std::abs(apart(gui, "model.dot.0.1", "model.dot.0.2").y), before / 8);
}

TEST_F(ModelPanelTest, APredictedPointHasTheBarOfTheRecordedOneOfItsConfiguration) {
  open({predicted(80)});
  test_support::HeadlessGui gui(900, 1400);
  explorer_->shown().show(explorer_->points().list().front());
  show(gui, "model");
  EXPECT_FALSE(gui.has("model.timed"));
  open_recorded(compared(90));
  explorer_->shown().show(explorer_->points().list().front());
  gui.frames();
  EXPECT_TRUE(gui.has("model.timed"));
  EXPECT_TRUE(gui.has("model.bar.measured"));
}

TEST_F(ModelPanelTest, ThePanelPointNamesTheRecordedPointAndLeadsToThisPanel) {
  open({predicted(80)});
  explorer_->shown().show(explorer_->points().list().front());
  std::string wanted;
  explorer_->panel_wanted = [&](const std::string& id) { wanted = id; };
  test_support::HeadlessGui gui(480, 1400);
  show(gui, "details");
  EXPECT_FALSE(gui.has("details.row.Recorded"));
  gui.click("details.link.Predicted limit");
  EXPECT_EQ(wanted, "model");
  open_recorded(compared(90));
  explorer_->shown().show(explorer_->points().list().front());
  gui.frames();
  EXPECT_TRUE(gui.has("details.row.Recorded"));
}

TEST_F(ModelPanelTest, ATimedPointLeavesNoGapInThePanelPointOfAPredictedOne) {
  open({predicted(80)});
  open_recorded(compared(90, 1));
  explorer_->shown().show(explorer_->points().list().front());
  test_support::HeadlessGui gui(480, 1400);
  show(gui, "details");
  const std::vector<float> before = gui.rectangle("details.row.Blocks per SM");
  explorer_->shown().show(explorer_->points().recorded().front());
  gui.frames();
  explorer_->shown().show(explorer_->points().list().front());
  gui.frames();
  EXPECT_EQ(gui.rectangle("details.row.Blocks per SM"), before);
}

constexpr const char* parts_of_the_model[] = {
    "launch",        "block start", "instruction fetch", "issue slots", "tensor",  "FMA and ALU", "MUFU",
    "shared memory", "tail",        "bank conflicts",    "L2 and DRAM", "barriers"};

TEST_F(ModelPanelTest, EveryPartIsInTheGlossary) {
  const HelpTexts texts = read_help_texts(fs::path(TILESCOPE_SOURCE_DIR) / "assets" / "help");
  for (const char* part : parts_of_the_model) EXPECT_NE(glossary_text(texts.glossary, part), "") << part;
  EXPECT_EQ(glossary_text(texts.glossary, "tens"), "") << "a part of a term is not the term";
}

TEST_F(ModelPanelTest, EveryPartStandsOutAgainstThePanel) {
  for (const ThemeKind theme : {ThemeKind::dark, ThemeKind::light}) {
    const test_support::HeadlessGui gui(400, 300, 1, theme);
    for (const char* part : parts_of_the_model) {
      EXPECT_GE(contrast_ratio(color_of_part(part, 0), palette().surface), 3)
          << part << (theme == ThemeKind::dark ? ", dark" : ", light");
    }
  }
}

TEST_F(ModelPanelTest, PartsAndTheRooflineAreExplainedUnderTheMouse) {
  open({predicted(80)});
  explorer_->shown().show(explorer_->points().list().front());
  test_support::HeadlessGui gui(900, 1400);
  show(gui, "model");
  gui.move_to("model.part.tensor");
  EXPECT_TRUE(gui.has("model.part_tooltip"));
  gui.move_to("model.bar.roofline");
  EXPECT_TRUE(gui.has("model.roofline_tooltip"));
  EXPECT_FALSE(gui.has("model.part_tooltip"));
}

TEST_F(ModelPanelTest, TheWorstMissesAreRowsThatShowTheirPoint) {
  open({compared(110), compared(50, 1), compared(120, 2)});
  test_support::HeadlessGui gui(900, 1800);
  show(gui, "model");
  EXPECT_TRUE(gui.has("model.errors.flash_scalar"));
  EXPECT_TRUE(gui.has("model.errors.tensor"));
  EXPECT_FALSE(gui.has("model.miss.3"));
  gui.click("model.miss.0");
  gui.frames();
  EXPECT_EQ(explorer_->shown().point(), explorer_->points().list().at(1));
}

TEST_F(ModelPanelTest, AShapeWithoutSuchPointsLeadsBackToAll) {
  Measurement other = compared(110);
  other.shape.B += 1;
  Measurement alone = predicted(80);
  open({other, alone});
  test_support::HeadlessGui gui(900, 1600);
  panel("model").take_option("shapes one");
  show(gui, "model");
  EXPECT_FALSE(gui.has("plot.model"));
  gui.click("model.all_shapes");
  gui.frames();
  EXPECT_TRUE(gui.has("plot.model"));
  EXPECT_EQ(panel("model").options(), (std::vector<std::string>{"kernels all", "shapes all"}));
}

TEST_F(ModelPanelTest, ItIsDrawnAtEverySizeAndItsTableIsExported) {
  open({compared(110), compared(50, 1)});
  explorer_->shown().show(explorer_->points().list().front());
  for (const auto& [width, height] : {std::pair(1600.0F, 900.0F), std::pair(420.0F, 300.0F)}) {
    test_support::HeadlessGui gui(width, height);
    show(gui, "model");
    EXPECT_TRUE(gui.has("model.heading")) << width;
  }
  const std::string csv = panel("model").csv();
  EXPECT_NE(csv.find("\npart of the shown point,tensor,"), std::string::npos);
  EXPECT_NE(csv.find("\npoint,flash_scalar,L4,"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
