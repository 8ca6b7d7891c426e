#include <gtest/gtest.h>
#include <imgui.h>

#include <array>
#include <cmath>
#include <memory>

#include "app/explorer/code/cuda_difference.hpp"
#include "app/explorer/compare/comparison_pair.hpp"
#include "app/panels/compare/part_doors.hpp"
#include "app/panels/compare/waterfall_bars.hpp"
#include "app/panels/tests/panels_fixture.hpp"
#include "app/widgets/tests/headless_gui.hpp"
#include "base/text/search.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"

namespace tilescope {
namespace {

class ComparePanels : public Panels {
 protected:
  /// A predicted point of the shown kernel, `place` among its valid configurations.
  Measurement predicted(std::size_t place, std::vector<PredictionPart> parts) const {
    Measurement point = make_point(explorer_->selection().kernel(), legal_configurations().at(place), "L4");
    Prediction prediction;
    for (const PredictionPart& part : parts) prediction.p50_us += part.microseconds;
    if (parts.empty()) prediction.p50_us = 100;
    prediction.low_us = prediction.p50_us * 0.9;
    prediction.high_us = prediction.p50_us * 1.1;
    prediction.parts = std::move(parts);
    prediction.ratio_error = RatioError{0.1, 0.2};
    point.prediction = prediction;
    MemoryCounts& memory = point.memory.emplace();
    memory.instructions = {{"fma", 1000}, {"lsu", 500}};
    point.resources->sass_sha256 = std::string(64, place == 0 ? '1' : '2');
    return point;
  }
  void open_two() {
    make_present("L4");
    Measurement slow = predicted(0, {{"tensor", 20}, {"bank conflicts", 60}, {"tail", 20}});
    slow.diagnoses = {
        {"bank_conflicts", Severity::cost, {84}, "8-way conflict on K", "evidence", "a swizzle"}};
    ASSERT_TRUE(explorer_->points().open_session(
        write_points("two", {slow, predicted(7, {{"tensor", 25}, {"tail", 15}})})));
    explorer_->board().get<ComparisonPair>().choose_ends(explorer_->points().list());
  }
  /// Lines of text in the drawn item.
  static int lines_of(const test_support::HeadlessGui& gui, const std::string& mark) {
    const std::vector<float> item = gui.rectangle(mark);
    const float line =
        gui.rectangle("compared_figures.row.fma")[3] - gui.rectangle("compared_figures.row.fma")[1];
    return static_cast<int>(std::lround((item.at(3) - item.at(1)) / line));
  }
  static float left(const test_support::HeadlessGui& gui, const std::string& mark) {
    return gui.rectangle(mark).at(0);
  }
};

TEST_F(ComparePanels, WithoutASideTheySayWhatToDo) {
  for (const char* id :
       {"compare", "compare-sides", "distributions", "compared-figures", "code-difference"}) {
    test_support::HeadlessGui gui(500, 400);
    show(gui, id);
    EXPECT_GT(gui.vertices(), 100) << id;
    EXPECT_FALSE(gui.has("compare.verdict")) << id;
  }
}

TEST_F(ComparePanels, TheVerdictAndOneBarForEachPart) {
  open_two();
  for (const ThemeKind theme : {ThemeKind::dark, ThemeKind::light}) {
    test_support::HeadlessGui gui(700, 700, 1, theme);
    show(gui, "compare");
    for (const char* mark :
         {"compare.verdict.FASTER", "compare.ratio", "compare.interval", "compare.name.A", "compare.name.B",
          "compare.reason", "compare.why", "compare.bar.A", "compare.bar.bank conflicts",
          "compare.bar.tensor", "compare.bar.tail", "compare.bar.residual", "compare.bar.B"})
      EXPECT_TRUE(gui.has(mark)) << mark;
    EXPECT_LT(gui.rectangle("compare.bar.bank conflicts")[1], gui.rectangle("compare.bar.tensor")[1])
        << "the largest part first";
  }
  EXPECT_NE(panel("compare").csv().find("bank conflicts,100,40,-60,100.0 %"), std::string::npos)
      << panel("compare").csv();
}

TEST_F(ComparePanels, WhatWasNotDecidedHasNeitherPartsNorAReason) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(
      write_points("near", {predicted(0, {{"tensor", 40}, {"bank conflicts", 60}}),
                            predicted(7, {{"tensor", 79}, {"bank conflicts", 20}})})));
  explorer_->board().get<ComparisonPair>().choose_ends(explorer_->points().list());
  test_support::HeadlessGui gui(700, 700);
  show(gui, "compare");
  ASSERT_TRUE(gui.has("compare.verdict.UNDECIDED"));
  for (const char* mark : {"compare.reason", "compare.bar.A", "compare.bar.B"})
    EXPECT_TRUE(gui.has(mark)) << mark;
  for (const char* mark : {"compare.why", "compare.against", "compare.bar.tensor",
                           "compare.bar.bank conflicts", "compare.bar.residual"})
    EXPECT_FALSE(gui.has(mark)) << mark;
}

TEST_F(ComparePanels, ReasonsAgainstTheFasterSideAreAParagraphOfTheirOwn) {
  open_two();
  test_support::HeadlessGui gui(700, 700);
  show(gui, "compare");
  EXPECT_FALSE(gui.has("compare.against")) << "5 of 60 µs are not notable";
  Measurement b = predicted(7, {{"tensor", 30}, {"tail", 15}});
  explorer_->board().get<ComparisonPair>().choose(Side::b, std::make_shared<const Measurement>(b));
  gui.frames();
  ASSERT_TRUE(gui.has("compare.against")) << "tensor +10 of -55 µs";
  EXPECT_GT(gui.rectangle("compare.against")[1], gui.rectangle("compare.why")[3] - 1);
}

TEST_F(ComparePanels, ABarIsADoorToThePanelThatShowsIt) {
  open_two();
  test_support::HeadlessGui gui(700, 700);
  std::string wanted;
  explorer_->panel_wanted = [&](const std::string& panel) { wanted = panel; };
  show(gui, "compare");
  const Experiment a = explorer_->board().get<ComparisonPair>().experiment(Side::a);
  gui.click("compare.bar.bank conflicts");
  EXPECT_EQ(wanted, "microscope");
  EXPECT_EQ(explorer_->selection().experiment().parameters, a.parameters)
      << "the microscope shows the side that has the conflicts";
  gui.frames();
  gui.click("compare.bar.tail");
  EXPECT_EQ(wanted, "model");
  gui.click("compare.bar.tensor");
  EXPECT_EQ(wanted, "source");
}

TEST_F(ComparePanels, ALineWhoseTimeChangesIsADoorToTheSource) {
  make_present("L4");
  Measurement slow = predicted(0, {{"bank conflicts", 80}, {"tail", 20}});
  Measurement fast = predicted(7, {{"tensor", 25}, {"tail", 15}});
  slow.prediction->lines = {{84, "", 10, 50, 1000}, {12, "", 5, 5, 10}};
  fast.prediction->lines = {{84, "", 10, 10, 1000}, {12, "", 5, 5, 10}};
  slow.provenance.source_sha256 = fast.provenance.source_sha256 = std::string(64, 'a');
  ASSERT_TRUE(explorer_->points().open_session(write_points("lines", {slow, fast})));
  explorer_->board().get<ComparisonPair>().choose_ends(explorer_->points().list());
  test_support::HeadlessGui gui(700, 1000);
  show(gui, "compare");
  ASSERT_TRUE(gui.has("compare.line.84"));
  EXPECT_FALSE(gui.has("compare.line.12")) << "its time is equal";
  std::string wanted;
  explorer_->panel_wanted = [&](const std::string& panel) { wanted = panel; };
  gui.click("compare.line.84");
  EXPECT_EQ(wanted, "source");
  EXPECT_EQ(explorer_->selection().experiment().parameters, slow.parameters) << "which spends more there";
}

TEST_F(ComparePanels, EachPartOfTheModelHasADoor) {
  for (const char* part : {"issue slots", "tensor", "FMA and ALU", "MUFU", "shared memory", "bank conflicts",
                           "L2 and DRAM", "barriers", "launch", "block start", "instruction fetch", "tail"}) {
    WaterfallBar bar;
    bar.name = part;
    EXPECT_NO_THROW(panel(door_of(bar).panel)) << part;
    EXPECT_EQ(panel(door_of(bar).panel).title(), door_of(bar).title) << part;
  }
}

TEST_F(ComparePanels, FiguresOfBothWithTheDifferenceAndTheDiagnoses) {
  open_two();
  test_support::HeadlessGui gui(420, 1600);
  show(gui, "compared-figures");
  EXPECT_TRUE(gui.has("compared_figures.row.Predicted p50"));
  EXPECT_EQ(lines_of(gui, "compared_figures.row.Minimum wavefronts"), 1);
  EXPECT_TRUE(gui.has("compared_figures.row.fma")) << "the instruction mix";
  EXPECT_TRUE(gui.has("compared_figures.diagnoses.A"));
  EXPECT_FALSE(gui.has("compared_figures.diagnoses.B"));
  EXPECT_NE(panel("compared-figures").csv().find("Predicted p50,100.00 µs,40.00 µs,-60.0 %"),
            std::string::npos)
      << panel("compared-figures").csv();
}

TEST_F(ComparePanels, AFigureWithoutRoomForItsNameTakesTwoLines) {
  open_two();
  test_support::HeadlessGui gui(340, 1600);
  show(gui, "compared-figures");
  EXPECT_EQ(lines_of(gui, "compared_figures.row.Minimum wavefronts"), 2);
  EXPECT_EQ(lines_of(gui, "compared_figures.row.Wavefronts"), 1);
}

TEST_F(ComparePanels, AClickOnAColumnOfTheLadderMakesItB) {
  ASSERT_TRUE(explorer_->points().open_recorded(explorer_->installation().examples / "ladder_h200.json"));
  explorer_->board().get<ComparisonPair>().choose_ends(explorer_->points().recorded());
  test_support::HeadlessGui gui(1400, 700);
  show(gui, "compared-figures");
  gui.click("compared_figures.view.ladder");
  gui.frames();
  ASSERT_TRUE(gui.has("compared_ladder.column.mma_flash"));
  gui.click("compared_ladder.column.mma_flash");
  ASSERT_TRUE(explorer_->board().get<ComparisonPair>().choice(Side::b).point);
  EXPECT_EQ(explorer_->board().get<ComparisonPair>().choice(Side::b).point->kernel, "mma_flash");
  EXPECT_EQ(panel("compared-figures").options(), std::vector<std::string>{"view ladder"});
}

TEST_F(ComparePanels, RecordedPointsHaveBoxesOnOneAxis) {
  ASSERT_TRUE(
      explorer_->points().open_recorded(explorer_->installation().examples / "flash_scalar_h200.json"));
  explorer_->board().get<ComparisonPair>().choose_ends(explorer_->points().recorded());
  test_support::HeadlessGui gui(600, 200);
  show(gui, "distributions");
  EXPECT_TRUE(gui.has("distributions.row.A"));
  EXPECT_TRUE(gui.has("distributions.row.B"));
  EXPECT_FALSE(gui.has("distributions.histogram")) << "only samples make one";
  EXPECT_TRUE(gui.has("distributions.axis")) << "its title";
  EXPECT_FALSE(gui.has("distributions.beyond"));
}

TEST_F(ComparePanels, SamplesInTurnsAreHistogramsWithTheirNoteInView) {
  start_with({INSTANT_WORKER, "0", "present"});
  ComparisonPair& pair = explorer_->board().get<ComparisonPair>();
  pair.pin_sliders(Side::a);
  pair.move(Side::b, "NUM_WARPS", std::int64_t{4});
  pair.end_move();
  for (const float height : {400.0F, 200.0F}) {
    test_support::HeadlessGui gui(600, height);
    show(gui, "distributions");
    ASSERT_TRUE(wait_for([&] {
      gui.frames(1);
      return pair.comparison() && pair.comparison()->series;
    }));
    gui.frames();
    EXPECT_EQ(gui.has("distributions.histogram"), height > 300) << "where there is room for one";
    ASSERT_TRUE(gui.has("distributions.beyond")) << "the slowest sample of A";
    EXPECT_LT(gui.rectangle("distributions.row.B")[3], gui.rectangle("distributions.axis")[1]);
    EXPECT_LT(gui.rectangle("distributions.axis")[3], gui.rectangle("distributions.beyond")[1]);
    EXPECT_LT(gui.rectangle("distributions.beyond")[3], height) << "nothing is cut off at the foot";
  }
}

TEST_F(ComparePanels, SidesAreChosenAndMovedInThePanelAandB) {
  open_two();
  test_support::HeadlessGui gui(320, 700);
  ComparisonPair& pair = explorer_->board().get<ComparisonPair>();
  show(gui, "compare-sides");
  gui.click("side.B.pinned");
  EXPECT_EQ(pair.choice(Side::b).kind, SideChoice::Kind::pinned);
  gui.frames();
  EXPECT_LT(gui.rectangle("side.B.SMEM_LAYOUT")[1], 700);
  gui.click("side.B.SMEM_LAYOUT.row_major");
  EXPECT_EQ(to_string(pair.experiment(Side::b).parameters.at("SMEM_LAYOUT")), "row_major");
  const Experiment b = pair.experiment(Side::b);
  gui.click("sides.swap");
  EXPECT_EQ(pair.experiment(Side::a), b);
  gui.click("side.B.sliders");
  EXPECT_TRUE(pair.follows_sliders(Side::b));
  gui.click("sides.move_both");
  EXPECT_TRUE(pair.moves_both());
}

TEST_F(ComparePanels, ParametersKeepTheOrderOfTheirDeclaration) {
  open_two();
  test_support::HeadlessGui gui(320, 900);
  show(gui, "compare-sides");
  const auto is_in_order = [&] {
    float last = 0;
    for (const ParameterDeclaration& parameter : explorer_->selection().kernel().parameters) {
      const float top = gui.rectangle("side.A." + parameter.name)[1];
      if (top <= last) return false;
      last = top;
    }
    return true;
  };
  EXPECT_TRUE(is_in_order()) << "of two points";
  explorer_->board().get<ComparisonPair>().pin(Side::a,
                                               explorer_->board().get<ComparisonPair>().experiment(Side::a));
  explorer_->board().get<ComparisonPair>().pin(Side::b,
                                               explorer_->board().get<ComparisonPair>().experiment(Side::a));
  gui.frames();
  EXPECT_TRUE(is_in_order()) << "of equal sides";
  const std::vector<float> before = gui.rectangle("side.B.SMEM_LAYOUT.row_major");
  gui.click("side.B.SMEM_LAYOUT.row_major");
  gui.click("side.B.SMEM_LAYOUT.padded");
  gui.frames();
  EXPECT_EQ(gui.rectangle("side.B.SMEM_LAYOUT.row_major"), before) << "a second click hits the same row";
  EXPECT_TRUE(is_in_order()) << "of sides that differ";
}

TEST_F(ComparePanels, APointThatArrivesDoesNotMoveTheRowsUnderTheMouse) {
  ComparisonPair& pair = explorer_->board().get<ComparisonPair>();
  const std::array points{std::make_shared<const Measurement>(predicted(0, {})),
                          std::make_shared<const Measurement>(predicted(7, {}))};
  for (const Side side : both_sides) pair.pin(side, experiment_of(*points[index_of(side)]));
  test_support::HeadlessGui gui(320, 900);
  show(gui, "compare-sides");
  const std::vector<float> before = gui.rectangle("side.A.NUM_WARPS");
  for (const Side side : both_sides) {
    ASSERT_FALSE(pair.point(side));
    explorer_->points().add(points[index_of(side)], pair.experiment(side));
    gui.frames();
    ASSERT_TRUE(pair.point(side));
    EXPECT_EQ(gui.rectangle("side.A.NUM_WARPS"), before) << to_string(side);
  }
}

TEST_F(ComparePanels, ASideIsClearedWithAButton) {
  open_two();
  test_support::HeadlessGui gui(320, 900);
  show(gui, "compare-sides");
  ASSERT_TRUE(gui.has("sides.count"));
  gui.click("side.B.clear");
  gui.frames();
  EXPECT_EQ(explorer_->board().get<ComparisonPair>().choice(Side::b).kind, SideChoice::Kind::none);
  EXPECT_TRUE(explorer_->board().get<ComparisonPair>().choice(Side::a).point);
  EXPECT_FALSE(gui.has("sides.count")) << "nothing differs from an empty side";
  EXPECT_EQ(explorer_->board().get<ComparisonPair>().missing().heading, "Side B is empty");
}

TEST_F(ComparePanels, DifferentShapesAreRefusedUntilAskedForAndThenMarked) {
  open_two();
  Measurement other = *explorer_->points().list().back();
  other.shape.Sq = other.shape.Sk = 256;
  const SharedMeasurement shorter = std::make_shared<const Measurement>(other);
  explorer_->board().get<ComparisonPair>().choose(Side::b, shorter);
  test_support::HeadlessGui gui(700, 800);
  show(gui, "compare");
  EXPECT_TRUE(gui.has("compare.refusal"));
  for (const char* mark : {"compare.verdict", "compare.ratio", "compare.interval", "compare.why",
                           "compare.bar.A", "compare.take_conditions"})
    EXPECT_FALSE(gui.has(mark)) << mark;
  EXPECT_LT(gui.rectangle("compare.refusal")[1], gui.rectangle("compare.name.A")[1]) << "the reason first";
  EXPECT_EQ(panel("compare").csv().find("bank conflicts"), std::string::npos);

  gui.click("compare.all_the_same");
  gui.frames();
  EXPECT_FALSE(gui.has("compare.refusal"));
  ASSERT_TRUE(gui.has("compare.verdict"));
  ASSERT_TRUE(gui.has("compare.mark"));
  const std::vector<float> verdict = gui.rectangle("compare.verdict"), mark = gui.rectangle("compare.mark");
  EXPECT_GT(mark[0], verdict[2]);
  EXPECT_GE(mark[1], verdict[1]);
  EXPECT_LE(mark[3], verdict[3] + 1) << "in the line of the verdict";

  explorer_->board().get<ComparisonPair>().choose(Side::b, std::make_shared<const Measurement>(other));
  gui.frames();
  EXPECT_TRUE(gui.has("compare.refusal")) << "it was asked for another point";
  explorer_->board().get<ComparisonPair>().choose(Side::b, explorer_->points().list().back());
  gui.frames();
  EXPECT_TRUE(gui.has("compare.verdict"));
  EXPECT_FALSE(gui.has("compare.mark")) << "of one shape";
}

TEST_F(ComparePanels, DifferentShapesCanBeMadeEqual) {
  open_two();
  Measurement other = *explorer_->points().list().back();
  other.shape.Sq = other.shape.Sk = 256;
  explorer_->board().get<ComparisonPair>().choose(Side::a, std::make_shared<const Measurement>(other));
  explorer_->board().get<ComparisonPair>().follow_sliders(Side::b);
  explorer_->selection().select_point(*explorer_->points().list().front());
  test_support::HeadlessGui gui(700, 800);
  show(gui, "compare");
  ASSERT_TRUE(gui.has("compare.refusal"));
  ASSERT_TRUE(gui.has("compare.take_conditions"));
  gui.click("compare.take_conditions");
  EXPECT_EQ(explorer_->selection().experiment().shape.Sq, 256);
}

TEST_F(ComparePanels, AMeasuredTimeAgainstAPredictionLeadsToTwoPredictions) {
  start_with({INSTANT_WORKER});
  Measurement timed = make_point(explorer_->selection().kernel(), legal_configurations().at(0), "L4");
  add_latency(timed, 100);
  ComparisonPair& pair = explorer_->board().get<ComparisonPair>();
  pair.choose(Side::a, std::make_shared<const Measurement>(timed));
  pair.choose(Side::b, std::make_shared<const Measurement>(predicted(7, {{"tensor", 20}})));
  test_support::HeadlessGui gui(700, 800);
  show(gui, "compare");
  EXPECT_TRUE(gui.has("compare.verdict.UNDECIDED"));
  EXPECT_FALSE(gui.has("compare.ratio"));
  EXPECT_FLOAT_EQ(left(gui, "compare.name.A"), left(gui, "compare.name.B"));
  EXPECT_GT(gui.rectangle("compare.name.A")[1], gui.rectangle("compare.verdict")[3] - 1)
      << "the sides are below the verdict";
  ASSERT_TRUE(gui.has("compare.predictions"));
  gui.click("compare.predictions");
  EXPECT_EQ(pair.choice(Side::a).kind, SideChoice::Kind::pinned);
  EXPECT_EQ(pair.experiment(Side::a).parameters, timed.parameters);

  timed.kernel = "a_kernel_that_went";
  pair.choose(Side::a, std::make_shared<const Measurement>(timed));
  gui.frames();
  EXPECT_TRUE(gui.has("compare.verdict.UNDECIDED"));
  EXPECT_FALSE(gui.has("compare.predictions")) << "nothing predicts a kernel that is not here";
}

// A's value is long and B has none: their columns are as wide as they need.
TEST_F(ComparePanels, ALongValueHasTheRoomThatTheOtherSideDoesNotNeed) {
  Measurement a = make_point(explorer_->selection().kernel(), legal_configurations().at(0), "L4"), b = a;
  a.kernel = b.kernel = "sample.cu";
  a.parameters = {{"entry", std::string("a_kernel_with_a_long_name")}};
  b.parameters = {};
  a.arguments = b.arguments = Configuration{};
  ComparisonPair& pair = explorer_->board().get<ComparisonPair>();
  pair.choose(Side::a, std::make_shared<const Measurement>(a));
  pair.choose(Side::b, std::make_shared<const Measurement>(b));
  test_support::HeadlessGui gui(360, 600);
  show(gui, "compare-sides");
  ASSERT_TRUE(gui.has("side.A.entry"));
  const std::vector<float> value = gui.rectangle("side.A.entry");
  EXPECT_GT(left(gui, "side.B.entry") - value[0], 0.6F * (360 - value[0])) << "more than half";
  EXPECT_GE(value[2] - value[0], ImGui::CalcTextSize("a_kernel_with_a_long_name").x - 1);
}

TEST_F(ComparePanels, PartsHaveTheColorOfWhatTheyDoToTheTime) {
  const test_support::HeadlessGui gui(100, 100);
  const auto color = [](const std::string& name, double to_us) {
    WaterfallBar bar;
    bar.name = name;
    bar.from_us = 100;
    bar.to_us = to_us;
    return ImGui::ColorConvertFloat4ToU32(color_of_change(bar));
  };
  EXPECT_EQ(color("bank conflicts", 40), ImGui::ColorConvertFloat4ToU32(palette().ok));
  EXPECT_EQ(color("tensor", 40), color("bank conflicts", 40));
  EXPECT_EQ(color("bank conflicts", 140), ImGui::ColorConvertFloat4ToU32(palette().error));
}

TEST_F(ComparePanels, APointOfTheTableOrTheLadderBecomesASide) {
  open_two();
  explorer_->board().get<ComparisonPair>().clear(Side::a);
  test_support::HeadlessGui gui(900, 400);
  show(gui, "points");
  gui.right_click("row.1");
  gui.click("row_menu.compare_a");
  EXPECT_TRUE(explorer_->board().get<ComparisonPair>().choice(Side::a).point);
  ASSERT_EQ(explorer_->notices().list().size(), 1U);
  EXPECT_EQ(explorer_->notices().list().front().button, "Open Compare");
  explorer_->notices().dismiss_all();
  explorer_->comparison_is_shown = [] { return true; };
  show(gui, "ladder");
  gui.right_click("ladder.bar." + explorer_->selection().kernel().name + ".0");
  gui.click("row_menu.compare_b");
  EXPECT_TRUE(explorer_->board().get<ComparisonPair>().choice(Side::b).point);
  EXPECT_TRUE(explorer_->notices().list().empty()) << "the comparison is in view";
}

/// The panel Code diff with its sources; the worker is not needed.
class SourcesOfSides : public ComparePanels {
 protected:
  void draw(test_support::HeadlessGui& gui) {
    panel("code-difference").take_option("view source");
    show(gui, "code-difference");
    ASSERT_TRUE(wait_for([&] {
      gui.frames(1);
      return !explorer_->board().get<CudaDifference>().waits();
    }));
    gui.frames();
    EXPECT_TRUE(gui.errors().empty()) << gui.errors().front();
  }
  /// A point of the shown kernel, from its file as it is now.
  Measurement current_point(std::size_t place) const {
    Measurement point = predicted(place, {});
    point.provenance.source_sha256 =
        read_kernel_source(explorer_->selection().kernel().source_path, explorer_->installation().kernels)
            .sha256;
    return point;
  }
  static SharedMeasurement shared(Measurement point) {
    return std::make_shared<const Measurement>(std::move(point));
  }
  void choose(const Measurement& a, const Measurement& b) {
    explorer_->board().get<ComparisonPair>().choose(Side::a, shared(a));
    explorer_->board().get<ComparisonPair>().choose(Side::b, shared(b));
  }
  const SourceDiff& diff() const { return explorer_->board().get<CudaDifference>().sources()->diff; }
  static std::string row(std::size_t number) {
    return "source.difference.cuda.row." + std::to_string(number);
  }
};

TEST_F(SourcesOfSides, OfOneKernelAreEqualAndTheLinesWithWhatDiffersAreMarked) {
  choose(current_point(0), current_point(7));
  test_support::HeadlessGui gui(700, 500);
  draw(gui);
  EXPECT_TRUE(diff().is_same_text());
  ASSERT_FALSE(diff().macros.empty());
  EXPECT_FALSE(gui.has("source.difference.doubt.A and B"));
  ASSERT_GT(diff().hunks.size(), 1u);
  EXPECT_TRUE(gui.has(row(diff().hunks.front()))) << "the first difference is in view";
  EXPECT_FALSE(gui.has(row(0)));
  gui.click("source.hunk.previous");
  gui.frames();
  EXPECT_TRUE(gui.has(row(diff().hunks.back())));
  EXPECT_EQ(panel("code-difference").csv(), diff_csv(diff()));
  EXPECT_EQ(panel("code-difference").options(), std::vector<std::string>{"view source"});
  gui.click("code_difference.view.machine_code");
  gui.frames();
  EXPECT_EQ(panel("code-difference").options(), std::vector<std::string>{"view machine-code"});
}

TEST_F(SourcesOfSides, OfTheSamePointHaveNoDifference) {
  choose(current_point(0), current_point(0));
  test_support::HeadlessGui gui(700, 500);
  draw(gui);
  EXPECT_TRUE(diff().hunks.empty());
  EXPECT_TRUE(gui.has(row(0)));
  EXPECT_LE(gui.rectangle("source.difference.cuda.heading")[3], gui.rectangle(row(0))[1])
      << "the columns of numbers are named";
  EXPECT_TRUE(gui.has("source.difference.summary"));
}

TEST_F(SourcesOfSides, OfTwoKernelsDifferAndAreSearched) {
  explorer_->board().get<ComparisonPair>().choose_kernel(Side::a, "naive");
  explorer_->board().get<ComparisonPair>().choose_kernel(Side::b, "tiled");
  test_support::HeadlessGui gui(900, 600);
  draw(gui);
  EXPECT_EQ(diff().files.front(), "naive.cu | tiled.cu");
  EXPECT_GT(diff().removed, 10u);
  EXPECT_GT(diff().added, 10u);
  const std::string last = "tiled(";
  const auto hit = find_rows(diff().texts, last);
  ASSERT_FALSE(hit.empty());
  gui.click("source.search");
  gui.type(last);
  gui.frames();
  EXPECT_TRUE(gui.has(row(hit.front())));
  EXPECT_TRUE(gui.has("source.hits"));
}

TEST_F(SourcesOfSides, OfARecordedPointAreThoseOfTheSession) {
  make_present("L4");
  // Its source is one line, which the kernel's file is not.
  ASSERT_TRUE(explorer_->points().open_session(write_points("old", {predicted(0, {}), predicted(7, {})})));
  explorer_->board().get<ComparisonPair>().choose_ends(explorer_->points().list());
  test_support::HeadlessGui gui(700, 500);
  draw(gui);
  EXPECT_EQ(diff().texts, (std::vector<std::string>{"flash_scalar.cu", "first"}));
  EXPECT_TRUE(gui.has("source.difference.remark.A and B")) << "the file has changed since";
  explorer_->board().get<ComparisonPair>().follow_sliders(Side::b);
  draw(gui);
  EXPECT_EQ(diff().removed, 1u);
  EXPECT_GT(diff().added, 100u);
  EXPECT_TRUE(gui.has("source.difference.remark.A"));
}

TEST_F(SourcesOfSides, OfAPointThatNobodyKeptIsThePresentFileWithAWarning) {
  Measurement old = current_point(0);
  old.provenance.source_sha256 = "of an earlier file";
  choose(old, current_point(7));
  test_support::HeadlessGui gui(700, 500);
  draw(gui);
  EXPECT_TRUE(gui.has("source.difference.doubt.A"));
  EXPECT_FALSE(gui.has("source.difference.doubt.B"));
  EXPECT_TRUE(explorer_->board().get<CudaDifference>().sources()->side(Side::a).is_doubtful);
  old.provenance.source_sha256.clear();
  choose(old, current_point(7));
  draw(gui);
  EXPECT_TRUE(gui.has("source.difference.doubt.A")) << "without a hash nothing is known of it";
}

TEST_F(SourcesOfSides, ThatAreNotThereAreSaidToBeMissing) {
  Measurement gone = current_point(0);
  gone.kernel = "a_kernel_that_went";
  gone.provenance.source_sha256 = "of an earlier file";
  choose(current_point(7), gone);
  test_support::HeadlessGui gui(700, 500);
  draw(gui);
  EXPECT_TRUE(gui.has("source.difference.missing"));
  EXPECT_EQ(panel("code-difference").csv(), "");
  const MissingAnswer& missing = explorer_->board().get<CudaDifference>().sources()->side(Side::b).missing;
  EXPECT_EQ(missing.heading, "No source of B");
  EXPECT_NE(missing.text.find("a_kernel_that_went"), std::string::npos) << missing.text;
  explorer_->board().get<ComparisonPair>().choose_kernel(Side::b, "cudnn_sdpa");
  draw(gui);
  EXPECT_NE(explorer_->board().get<CudaDifference>().sources()->side(Side::b).missing.text.find("cuDNN"),
            std::string::npos);
}

TEST_F(ComparePanels, AreDrawnAtAnySizeAndScale) {
  open_two();
  for (const float scale : {1.0F, 2.5F}) {
    for (const char* id :
         {"compare", "compare-sides", "distributions", "compared-figures", "code-difference"}) {
      test_support::HeadlessGui gui(260 * scale, 180 * scale, scale);
      show(gui, id);
      EXPECT_GT(gui.vertices(), 100) << id;
    }
  }
}

}  // namespace
}  // namespace tilescope
