// Panel Kernel file, with a worker that answers about any file at once.

#include <algorithm>
#include <fstream>

#include "app/explorer/code/code_difference.hpp"
#include "app/explorer/code/cuda_difference.hpp"
#include "app/explorer/compare/comparison_pair.hpp"
#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/explorer/kernel_file/tried_values.hpp"
#include "app/explorer/memory/layout_search.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/panels/tests/recorded_fixture.hpp"

namespace tilescope {
namespace {

class KernelFilePanelTest : public WorkerPanels {
 protected:
  KernelFilePanelTest() {
    Client::Options worker;
    worker.command = {INSTANT_WORKER};
    explorer_ = std::make_unique<Explorer>(find_installation(), worker, std::function<void()>(),
                                           Measure::time_limit, false);
    save("__global__ void copy() {\n  out[i] = tile[i][0];\n}\n");
  }

  void save(const std::string& text) const { std::ofstream(file_) << text; }
  OpenedFile& opened() { return explorer_->board().get<OpenedFile>(); }
  bool open(test_support::HeadlessGui& gui) {
    opened().open(file_);
    show(gui, "kernel-file");
    return wait_for(gui, "kernel_file.status");
  }
  bool answered(test_support::HeadlessGui& gui) {
    gui.frames();
    return wait_until(gui, [&] { return !opened().waits(); });
  }
  static void type_value(test_support::HeadlessGui& gui, const std::string& what, const std::string& value) {
    gui.click("kernel_file.value." + what);
    gui.type(value);
    gui.key(ImGuiKey_Enter);
  }

  const fs::path file_ = scratch_.folder() / "sample.cu";
};

TEST_F(KernelFilePanelTest, WithoutAFileItOffersToOpenOne) {
  int wanted = 0;
  explorer_->kernel_file_wanted = [&] { ++wanted; };
  test_support::HeadlessGui gui(900, 600);
  show(gui, "kernel-file");
  gui.click("empty_state.button");
  EXPECT_EQ(wanted, 1);
}

TEST_F(KernelFilePanelTest, ShowsKernelsLaunchAndPointInOneAndInTwoColumns) {
  for (const float width : {700.0F, 1600.0F}) {
    test_support::HeadlessGui gui(width, 1400);
    ASSERT_TRUE(open(gui)) << width;
    for (const char* mark : {"kernel_file.kernel.1", "kernel_file.value.N", "kernel_file.value.block",
                             "kernel_file.prediction", "kernel_file.findings", "kernel_file.shared.0"})
      EXPECT_TRUE(gui.has(mark)) << mark << " at " << width;
    EXPECT_FALSE(gui.has("kernel_file.value.kernel")) << "it is chosen in the table";
    EXPECT_EQ(opened().shown()->shared_sites.at(0).source, "out[i] = tile[i][0];");
  }
}

TEST_F(KernelFilePanelTest, ATypedValueGoesBeforeTheGuessUntilItIsReset) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  type_value(gui, "N", "1024");
  ASSERT_TRUE(answered(gui));
  LaunchRow typed{"N", "1024", "a size in the file's main", true, {"1024", "2048", "4096", "8192", "16384"}};
  typed.guess = "4096";
  ASSERT_EQ(opened().launch().size(), 4U);
  EXPECT_EQ(opened().launch()[0], typed);
  EXPECT_FALSE(opened().launch()[1].is_chosen);
  gui.click("kernel_file.reset.N");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().launch()[0].value, "4096");
  EXPECT_FALSE(gui.has("kernel_file.reset.N"));
}

TEST_F(KernelFilePanelTest, ASizeOfTheLaunchIsChosenOnASlider) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  gui.click("slider.N.2048");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().launch()[0].value, "2048");
  EXPECT_TRUE(opened().launch()[0].is_chosen);
  ASSERT_TRUE(gui.has("slider.N.16384")) << "the values stay where they are";
  gui.click("slider.block.128");
  ASSERT_TRUE(answered(gui));
  const auto block = std::ranges::find(opened().launch(), "block", &LaunchRow::what);
  EXPECT_EQ(block->value, "128");
  gui.click("slider.N.4096");
  ASSERT_TRUE(answered(gui));
  EXPECT_FALSE(opened().launch()[0].is_chosen) << "it is the guess again";
}

TEST_F(KernelFilePanelTest, AConstantOfTheSourceIsChosenOnASliderOrTyped) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  gui.click("slider.TILE.64");
  ASSERT_TRUE(answered(gui));
  ASSERT_EQ(opened().launch().size(), 4U);
  EXPECT_EQ(opened().launch()[2].value, "64");
  EXPECT_TRUE(opened().launch()[2].is_chosen);
  type_value(gui, "TILE", "48");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().launch()[2].value, "48");
  gui.click("kernel_file.reset.TILE");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().launch()[2].value, "32");
}

TEST_F(KernelFilePanelTest, AnOutputIsComparedWithAFormulaThatIsTypedOrThatItEquals) {
  save("__global__ void copy(float* out) {}  // output\n");
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  EXPECT_EQ(opened().shown()->status, "Executed, result not checked");
  gui.click("kernel_file.use.out: expected");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().shown()->status, "Correct: 4,096 values match 2 * in");
  EXPECT_FALSE(gui.has("kernel_file.use.out: expected"));
  type_value(gui, "out: expected", " + 1");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().shown()->point.compared[0].formula, "2 * in + 1")
      << "a formula is not selected as a whole";
  EXPECT_EQ(opened().shown()->status, "Incorrect result: 4,000 of 4,096 values differ");
  gui.click("kernel_file.reset.out: expected");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().shown()->status, "Executed, result not checked");
}

TEST_F(KernelFilePanelTest, AnOutputIsComparedWithAnotherKernelUntilNoneIsChosen) {
  save("__global__ void copy(float* out) {}  // output\n");
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  gui.click("kernel_file.use.reference kernel");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().shown()->status, "Correct: 4,096 values match those of scale");
  EXPECT_FALSE(gui.has("kernel_file.use.reference kernel"));
  gui.click("kernel_file.reference");
  gui.click("kernel_file.reference.none");
  ASSERT_TRUE(answered(gui));
  gui.click("kernel_file.reference");
  EXPECT_TRUE(gui.has("kernel_file.reference.0"));
  EXPECT_FALSE(gui.has("kernel_file.reference.1")) << "the kernel itself is not offered";
  gui.click("kernel_file.reference.0");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().shown()->status, "Correct: 4,096 values match those of scale");
  type_value(gui, "reference grid", "8");
  ASSERT_TRUE(answered(gui));
  EXPECT_TRUE(gui.has("kernel_file.reset.reference grid"));
  gui.click("kernel_file.reference");
  gui.click("kernel_file.reference.none");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().shown()->status, "Executed, result not checked");
  EXPECT_FALSE(opened().has_choices()) << "values of its launch go with it";
}

TEST_F(KernelFilePanelTest, KernelsThatAreLaunchedBeforeAreTakenTogetherAndRemovedOneByOne) {
  save("__global__ void copy(float* out) {}  // output\n");
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  EXPECT_FALSE(gui.has("kernel_file.before.1"));
  gui.click("kernel_file.use.before");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().chosen(), (ChosenValues{{"before 1 kernel", "scale"}, {"before 2 kernel", "scale"}}));
  EXPECT_FALSE(gui.has("kernel_file.use.before"));
  gui.click("kernel_file.before.3");
  gui.click("kernel_file.before.3.0");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().chosen().size(), 3u);
  for (int i = 0; i < 3; ++i) {
    gui.click("kernel_file.before.1");
    gui.click("kernel_file.before.1.none");
    ASSERT_TRUE(answered(gui));
  }
  EXPECT_TRUE(opened().chosen().empty());
}

TEST_F(KernelFilePanelTest, APointIsKeptInTheSessionOnce) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  gui.click("kernel_file.keep");
  const Session& session = explorer_->points().document().session();
  ASSERT_EQ(session.points.size(), 1u);
  EXPECT_TRUE(session.points[0]->kernel.ends_with(".cu:copy")) << session.points[0]->kernel;
  gui.click("kernel_file.keep");
  EXPECT_EQ(session.points.size(), 1u);
  gui.click("kernel_file.view.Values");
  gui.frames();
  gui.click("kernel_file.try");
  const auto& tried = explorer_->board().get<TriedValues>();
  ASSERT_TRUE(wait_until(gui, [&] { return tried.rows().size() == 3 && !tried.runs(); }));
  gui.frames();
  gui.click("kernel_file.keep_tried");
  EXPECT_EQ(session.points.size(), 3u) << "TILE is 32 in the source: that point is there";
  for (const SharedMeasurement& point : session.points) EXPECT_TRUE(point->parameters.contains("TILE"));
  EXPECT_TRUE(explorer_->shown().point() && explorer_->shown().point()->arguments) << "plots show the file's";
}

TEST_F(KernelFilePanelTest, AnInvalidValueIsASentenceAndTheFormStays) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  type_value(gui, "N", "many");
  ASSERT_TRUE(wait_for(gui, "kernel_file.problem"));
  EXPECT_EQ(opened().shown()->problem, "'many' for N is not a number");
  EXPECT_TRUE(gui.has("kernel_file.value.block"));
  gui.click("kernel_file.reset_all");
  EXPECT_TRUE(wait_for(gui, "kernel_file.status"));
}

TEST_F(KernelFilePanelTest, EachKernelKeepsItsValues) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  type_value(gui, "N", "1024");
  ASSERT_TRUE(answered(gui));
  gui.click("kernel_file.kernel.1");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().shown()->point.entry, "scale");
  EXPECT_EQ(opened().launch()[0].value, "4096");
  gui.click("kernel_file.kernel.0");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().launch()[0].value, "1024");
}

TEST_F(KernelFilePanelTest, ValuesAreTriedSideBySideAndAClickChoosesOne) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  auto& tried = explorer_->board().get<TriedValues>();
  gui.click("kernel_file.view.Values");
  gui.frames();
  gui.click("kernel_file.try");
  ASSERT_TRUE(wait_until(gui, [&] { return tried.rows().size() == 3 && !tried.runs(); }));
  EXPECT_EQ(tried.combinations(),
            (std::vector<ValueCombination>{{{"TILE", "16"}}, {{"TILE", "32"}}, {{"TILE", "64"}}}));
  EXPECT_EQ(tried.rows()[0].latency_us, 120);
  EXPECT_EQ(
      tried.summary(),
      "Lowest predicted latency: TILE=64, 30.00 µs (1 of 3 cannot be told from the best); no result was "
      "checked");
  gui.frames();
  const auto is_above = [&](const char* one, const char* other) {
    return gui.rectangle(one)[1] < gui.rectangle(other)[1];
  };
  EXPECT_TRUE(is_above("kernel_file.tried.16", "kernel_file.tried.64"));
  EXPECT_FALSE(gui.has("kernel_file.tried_fastest.0"));
  EXPECT_TRUE(gui.has("kernel_file.tried_fastest.1") && gui.has("kernel_file.tried_fastest.2"));
  gui.click("kernel_file.tried_latency");
  gui.frames();
  EXPECT_TRUE(is_above("kernel_file.tried.64", "kernel_file.tried.16")) << "the fastest comes first";
  gui.click("kernel_file.tried.64");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().chosen(), (ChosenValues{{"TILE", "64"}}));
  EXPECT_EQ(opened().shown()->point.prediction->p50_us, 30);
  EXPECT_FALSE(tried.is_outdated()) << "the varied value may be any of them";
  type_value(gui, "N", "1024");
  ASSERT_TRUE(answered(gui));
  EXPECT_TRUE(tried.is_outdated());
  gui.click("kernel_file.kernel.1");
  ASSERT_TRUE(answered(gui));
  gui.frames();
  EXPECT_TRUE(tried.varied().empty()) << "the rows were another kernel's";
  EXPECT_TRUE(tried.rows().empty());
}

TEST_F(KernelFilePanelTest, ValuesAreTypedForANumberOfTheLaunch) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  auto& tried = explorer_->board().get<TriedValues>();
  gui.click("kernel_file.view.Values");
  gui.frames();
  gui.click("kernel_file.vary");
  gui.frames();
  gui.click("kernel_file.vary.N");
  gui.frames();
  gui.click("kernel_file.values");
  gui.type("512, many");
  gui.key(ImGuiKey_Enter);
  ASSERT_TRUE(wait_until(gui, [&] { return tried.rows().size() == 2 && !tried.runs(); }));
  EXPECT_EQ(tried.rows()[0].problem, "");
  EXPECT_EQ(tried.rows()[1].problem, "'many' for N is not a number");
  EXPECT_TRUE(tried.rows()[1].is_faulty);
}

TEST_F(KernelFilePanelTest, AllCombinationsOfTwoRowsAreTriedAndAClickChoosesBoth) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  auto& tried = explorer_->board().get<TriedValues>();
  gui.click("kernel_file.view.Values");
  gui.frames();
  EXPECT_FALSE(gui.has("kernel_file.vary_less_1")) << "one row stays";
  gui.click("kernel_file.vary_more");
  gui.frames();
  ASSERT_TRUE(gui.has("kernel_file.values_2"));
  gui.click("kernel_file.values_2");
  gui.type("512, 1024, 512");
  gui.key(ImGuiKey_Enter);
  ASSERT_TRUE(wait_until(gui, [&] { return tried.rows().size() == 6 && !tried.runs(); }));
  EXPECT_EQ(tried.varied(), (std::vector<std::string>{"TILE", "N"}));
  EXPECT_EQ(tried.combinations()[1], (ValueCombination{{"TILE", "16"}, {"N", "1024"}}));
  EXPECT_EQ(tried.rows()[5].values, (std::vector<std::string>{"64", "1024"}));
  gui.frames();
  gui.click("kernel_file.tried.64,1024");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().chosen(), (ChosenValues{{"N", "1024"}, {"TILE", "64"}}));
  EXPECT_FALSE(tried.is_outdated()) << "both may be any of them";
  gui.click("kernel_file.vary_less_1");
  gui.frames();
  EXPECT_FALSE(gui.has("kernel_file.values_2"));
  gui.click("kernel_file.try");
  ASSERT_TRUE(wait_until(gui, [&] { return tried.rows().size() == 2 && !tried.runs(); }));
  EXPECT_EQ(tried.varied(), (std::vector<std::string>{"N"}));
}

TEST_F(KernelFilePanelTest, MoreCombinationsThanAreExecutedAreNotStarted) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  gui.click("kernel_file.view.Values");
  gui.frames();
  std::string many;
  for (int value = 1; value <= 257; ++value) many += std::to_string(value) + ",";
  gui.click("kernel_file.values");
  gui.type(many);
  gui.key(ImGuiKey_Enter);
  gui.frames();
  EXPECT_TRUE(gui.has("kernel_file.combinations")) << "says how many there may be";
  EXPECT_FALSE(explorer_->board().get<TriedValues>().runs());
}

TEST_F(KernelFilePanelTest, PointsGoOnWhereAnotherPanelIsShownUntilTheyAreCancelled) {
  Client::Options worker;
  worker.command = {INSTANT_WORKER, "30"};
  explorer_ = std::make_unique<Explorer>(find_installation(), worker, std::function<void()>(),
                                         Measure::time_limit, false);
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  auto& tried = explorer_->board().get<TriedValues>();
  gui.click("kernel_file.view.Values");
  gui.frames();
  gui.click("kernel_file.vary_more");
  gui.frames();
  gui.click("kernel_file.try");
  ASSERT_TRUE(wait_for(gui, "kernel_file.trying"));
  EXPECT_TRUE(gui.has("kernel_file.stop"));
  gui.click("kernel_file.view.Result");
  gui.frames();
  EXPECT_FALSE(gui.has("kernel_file.trying"));
  show(gui, "points");
  const std::size_t before = tried.rows().size();
  ASSERT_TRUE(wait_until(gui, [&] { return tried.rows().size() >= before + 2; }));
  EXPECT_TRUE(tried.runs());
  tried.cancel();
  const std::size_t done = tried.rows().size();
  EXPECT_LT(done, tried.combinations().size());
  gui.frames(20);
  EXPECT_EQ(tried.rows().size(), done);
}

TEST_F(KernelFilePanelTest, AFileThatIsOpenedAgainHasItsKernelAndItsValues) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  type_value(gui, "N", "1024");
  ASSERT_TRUE(answered(gui));
  gui.click("kernel_file.kernel.1");
  ASSERT_TRUE(answered(gui));
  gui.click("slider.TILE.64");
  ASSERT_TRUE(answered(gui));
  const fs::path other = scratch_.folder() / "other.cu";
  std::ofstream(other) << "__global__ void copy() {}\n";
  opened().open(other);
  ASSERT_TRUE(answered(gui));
  EXPECT_FALSE(opened().has_choices());
  EXPECT_EQ(opened().kernel(), "");
  opened().open(file_);
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().shown()->point.entry, "scale");
  EXPECT_EQ(opened().chosen(), (ChosenValues{{"TILE", "64"}}));
  gui.click("kernel_file.kernel.0");
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().chosen(), (ChosenValues{{"N", "1024"}}));
  LaunchRow typed{"N", "1024", "a size in the file's main", true, {"1024", "2048", "4096", "8192", "16384"}};
  typed.guess = "4096";
  EXPECT_EQ(opened().launch()[0], typed) << "with the reason of the guess that it replaces";
}

TEST_F(KernelFilePanelTest, TheSourceHasAFigureBesideEachLine) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  gui.click("kernel_file.view.Source");
  gui.frames();
  EXPECT_TRUE(gui.has("kernel_file.source.row.1"));
  const LineFigures& file = opened().shown()->files.at(0);
  EXPECT_EQ(file.lines.at(1), "  out[i] = tile[i][0];");
  EXPECT_EQ(figure_words(HeatMetric::time, file.of(HeatMetric::time).at(1)), "40.00");
  EXPECT_TRUE(gui.has("kernel_file.metric.excess"));
  gui.click("kernel_file.metric.executions");
  gui.frames();
  EXPECT_EQ(file.of(HeatMetric::executions).at(1), 640);
}

// Times of a kernel with a race say nothing.
TEST_F(KernelFilePanelTest, TheSourceOfAFaultyKernelOpensOnItsFindings) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  gui.click("kernel_file.view.Source");
  gui.frames();
  EXPECT_TRUE(gui.has("kernel_file.shown_metric.time"));
  save("__global__ void copy() {\n  out[i] = tile[i][0];\n" + std::string(200, '\n') + "// race\n}\n");
  const auto before = opened().shown();
  ASSERT_TRUE(wait_until(gui, [&] { return opened().shown() != before && !opened().waits(); }));
  EXPECT_TRUE(wait_for(gui, "kernel_file.shown_metric.findings"));
  EXPECT_TRUE(gui.has("kernel_file.source.row.202")) << "its line is in view";
  gui.click("kernel_file.metric.time");
  gui.frames();
  EXPECT_TRUE(gui.has("kernel_file.shown_metric.time")) << "the user's choice comes first";
}

// Below the table stands what is filled in next.
TEST_F(KernelFilePanelTest, TheTooltipOfAKernelLiesAboveItsRow) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  gui.move_to("kernel_file.kernel.1");
  gui.frames(40);
  const auto& windows = ImGui::GetCurrentContext()->Windows;
  const auto tooltip = std::ranges::find_if(windows, [](const ImGuiWindow* window) {
    return window->Active && (window->Flags & ImGuiWindowFlags_Tooltip) != 0;
  });
  ASSERT_NE(tooltip, windows.end());
  EXPECT_LE((*tooltip)->Rect().Max.y, gui.rectangle("kernel_file.kernel.1")[1]);
}

TEST_F(KernelFilePanelTest, AChangedFileIsAskedAboutAgain) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  save("#error");
  ASSERT_TRUE(wait_for(gui, "kernel_file.problem"));
  EXPECT_EQ(opened().shown()->problem, "the compiler stops at #error");
  fs::remove(file_);
  ASSERT_TRUE(wait_until(gui, [&] { return !opened().problem().empty(); }));
  EXPECT_TRUE(gui.has("kernel_file.problem"));
  save("again");
  EXPECT_TRUE(wait_for(gui, "kernel_file.status"));
}

TEST_F(KernelFilePanelTest, PointsOfTwoVersionsAreComparedLineByLine) {
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  bool wanted = false;
  explorer_->comparison_wanted = [&] { wanted = true; };
  const auto width_of_button = [&] {
    const std::vector<float> button = gui.rectangle("kernel_file.compare_B");
    return button[2] - button[0];
  };
  const float width_before = width_of_button();
  gui.click("kernel_file.compare_A");
  EXPECT_FALSE(wanted) << "there is nothing to compare it with";
  gui.frames();
  EXPECT_GT(width_of_button(), width_before) << "Compare with A: its label says that it opens Compare";
  save("__global__ void copy() {\n  // twice\n  out[i] = tile[i][0];\n}\n");
  const auto before = opened().shown();
  ASSERT_TRUE(wait_until(gui, [&] { return opened().shown() != before && !opened().waits(); }));
  gui.frames();
  gui.click("kernel_file.compare_B");
  EXPECT_TRUE(wanted);
  const ComparisonPair& pair = explorer_->board().get<ComparisonPair>();
  EXPECT_TRUE(pair.is_of_file(Side::a) && pair.is_of_file(Side::b));
  EXPECT_EQ(pair.choice(Side::a).point->kernel, "sample.cu:copy");
  show(gui, "code-difference");
  gui.click("code_difference.view.source");
  ASSERT_TRUE(wait_for(gui, "source.difference.summary"));
  const auto& rows = explorer_->board().get<CudaDifference>().sources()->diff;
  EXPECT_EQ(rows.added, 1U);
  show(gui, "compare-sides");
  EXPECT_TRUE(gui.has("side.A.state"));
  // Source has what is under the sliders, unless Compare is shown.
  show(gui, "source");
  EXPECT_FALSE(gui.has("source.side.A"));
  explorer_->comparison_is_shown = [] { return true; };
  gui.frames();
  EXPECT_TRUE(gui.has("kernel_file.source.row.2")) << "of A: " << pair.choice(Side::a).point->kernel;
  EXPECT_FALSE(gui.has("kernel_file.source.row.3"));
  gui.click("source.side.B");
  gui.frames();
  EXPECT_TRUE(gui.has("kernel_file.source.row.3")) << "B has a line more";
  EXPECT_NE(panel("source").csv().find("sample.cu,2,"), std::string::npos) << panel("source").csv();
}

TEST_F(KernelFilePanelTest, AClickOnAnAccessShowsItsLanesAndBanks) {
  start_worker(false);
  save(
      "__global__ void column(float* out) {\n"
      "  __shared__ float tile[32][32];\n"
      "  tile[threadIdx.x][threadIdx.y] = 1;\n"
      "  __syncthreads();\n"
      "  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];\n"
      "}\n"
      "int main() { float* out; cudaMalloc(&out, 4096); column<<<1, dim3(32, 32)>>>(out); }\n");
  test_support::HeadlessGui gui(1600, 1400);
  ASSERT_TRUE(open(gui));
  std::string wanted;
  explorer_->panel_wanted = [&](const std::string& id) { wanted = id; };
  gui.click("kernel_file.shared.0");
  EXPECT_EQ(wanted, "file-microscope");
  show(gui, "file-microscope");
  ASSERT_TRUE(wait_for(gui, "microscope.verdict"));
  const auto block = explorer_->board().get<BlockRecorder>(block_of_file).shown();
  ASSERT_TRUE(block);
  EXPECT_EQ(block->threads, 1024U);
  const MemoryFocus& focus = explorer_->board().get<MemoryFocus>(block_of_file);
  const auto site = focus.site_in(*block);
  ASSERT_TRUE(site);
  EXPECT_EQ(block->recording.sites[*site].line, 3U);
  EXPECT_EQ(block->totals[*site].worst_degree, 32U);
  // Without shared memory there is nothing to see of the access that was chosen.
  save("__global__ void column(float* out) { out[threadIdx.x] = 1; }\n");
  EXPECT_TRUE(wait_for(gui, "empty_state.button"));
}

constexpr const char* columns_read =
    "__global__ void turn(const float* in, float* out) {\n"
    "  __shared__ float tile[32][32];\n"
    "  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];\n"
    "  __syncthreads();\n"
    "  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n"
    "}\n"
    "int main() { float *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096);\n"
    "  turn<<<1, dim3(32, 32)>>>(a, b); }\n";

TEST_F(KernelFilePanelTest, TheAdviceOnConflictsLeadsToALayoutThatIsCompiledAndCounted) {
  start_worker(false);
  save(columns_read);
  test_support::HeadlessGui gui(1600, 1400);
  ASSERT_TRUE(open(gui));
  std::string wanted;
  explorer_->panel_wanted = [&](const std::string& id) { wanted = id; };
  gui.click("advice.1.layouts");
  EXPECT_EQ(wanted, "file-swizzle-solver");
  show(gui, "file-swizzle-solver");
  ASSERT_TRUE(wait_for(gui, "solver.row.1"));
  EXPECT_FALSE(gui.has("solver.pitch")) << "the source declares rows";
  EXPECT_FALSE(gui.has("solver.apply")) << "a swizzle is the user's to write";
  EXPECT_TRUE(gui.has("solver.why_not"));
  EXPECT_NE(panel("file-swizzle-solver").csv().find("pad 4 B"), std::string::npos);
  gui.click("solver.row.1");
  gui.frames();
  gui.click("solver.apply");
  ASSERT_TRUE(wait_for(gui, "solver.undo"));
  ASSERT_TRUE(answered(gui));
  EXPECT_EQ(opened().chosen().at("tile: added columns"), "1");
  ASSERT_TRUE(wait_until(gui, [&] {
    const auto& applied = explorer_->board().get<LayoutSearch>(block_of_file).applied();
    return applied && applied->recorded == 64U;
  }));
  gui.click("solver.undo");
  EXPECT_TRUE(opened().chosen().empty());
}

TEST_F(KernelFilePanelTest, ItsSharedMemoryIsDrawnByItsArrays) {
  start_worker(false);
  save(columns_read);
  test_support::HeadlessGui gui(1600, 1400);
  ASSERT_TRUE(open(gui));
  show(gui, "file-shared-memory");
  ASSERT_TRUE(wait_for(gui, "shared_memory.list.tile"));
  EXPECT_NE(panel("file-shared-memory").csv().find("tile,tile,0,4096,32,32,4,32,0"), std::string::npos)
      << panel("file-shared-memory").csv();
  // Another access is marked.
  gui.click("microscope.site");
  gui.click("microscope.site.1");
  gui.frames();
  const MemoryFocus& focus = explorer_->board().get<MemoryFocus>(block_of_file);
  ASSERT_TRUE(focus.chosen_site());
  EXPECT_EQ(focus.chosen_site()->line, 3U) << "the store, which has no conflicts";
  EXPECT_TRUE(gui.has("shared_memory.marked"));
  gui.click("shared_memory.contents");
  ASSERT_TRUE(wait_for(gui, "shared_memory.changes"));
  EXPECT_FALSE(gui.has("microscope.site")) << "the play head has no access";
  save("__global__ void turn(float* out) { out[threadIdx.x] = 1; }\n");
  EXPECT_TRUE(wait_until(gui, [&] { return !gui.has("shared_memory.contents"); }));
}

TEST_F(KernelFilePanelTest, WithoutAFileTheMemoryPanelsSaySo) {
  for (const char* name : {"file-shared-memory", "file-swizzle-solver"}) {
    test_support::HeadlessGui gui(900, 600);
    show(gui, name);
    gui.frames();
    EXPECT_EQ(explorer_->board().get<BlockRecorder>(block_of_file).missing().heading, "No kernel file")
        << name;
    EXPECT_EQ(panel(name).csv(), "");
  }
}

TEST_F(KernelFilePanelTest, MachineCodeOfTwoVersionsIsCompared) {
  start_worker(false);
  const std::string launch = "int main() { float* x; cudaMalloc(&x, 256); add<<<1, 64>>>(x); }\n";
  save("__global__ void add(float* x) { x[threadIdx.x] += 1; }\n" + launch);
  test_support::HeadlessGui gui(1600, 900);
  ASSERT_TRUE(open(gui));
  gui.click("kernel_file.compare_A");
  save("__global__ void add(float* x) { x[threadIdx.x] = rsqrtf(x[threadIdx.x]); }\n" + launch);
  const auto before = opened().shown();
  ASSERT_TRUE(wait_until(gui, [&] { return opened().shown() != before && !opened().waits(); }));
  gui.frames();
  gui.click("kernel_file.compare_B");
  show(gui, "code-difference");
  auto& difference = explorer_->board().get<CodeDifference>();
  ASSERT_TRUE(wait_until(gui, [&] { return difference.code() != nullptr; }));
  const auto uses_mufu = [](const std::vector<SassLine>& lines) {
    return std::ranges::any_of(lines, [](const SassLine& line) { return line.text.starts_with("MUFU"); });
  };
  EXPECT_FALSE(uses_mufu(difference.code()->left()));
  EXPECT_TRUE(uses_mufu(difference.code()->right()));
  EXPECT_EQ(panel("code-difference").options(), std::vector<std::string>{"view machine-code"});
}

TEST_F(KernelFilePanelTest, ABlockIsSteppedBesideItsSource) {
  start_worker(false);
  save(
      "__global__ void shift(float* out) {\n"
      "  __shared__ float row[64];\n"
      "  row[threadIdx.x] = threadIdx.x;\n"
      "  __syncthreads();\n"
      "  out[blockIdx.x * 64 + threadIdx.x] = row[63 - threadIdx.x];\n"
      "}\n"
      "int main() { float* out; cudaMalloc(&out, 1024); shift<<<4, 64>>>(out); }\n");
  test_support::HeadlessGui gui(1600, 1400);
  ASSERT_TRUE(open(gui));
  gui.click("kernel_file.view.Step");
  ASSERT_TRUE(wait_for(gui, "execution.plot"));
  auto& stepping = explorer_->board().get<BlockStepping>(block_of_file);
  const auto has_stop = [&](std::uint32_t line) {
    return wait_until(gui, [&] {
      const auto stop = stepping.stop();
      return stop && !stepping.is_outdated() && stop->warps[0].line == line;
    });
  };
  EXPECT_EQ(stepping.stop()->main_file, "sample.cu");
  EXPECT_EQ(stepping.stop()->warps.size(), 2U);
  ASSERT_TRUE(wait_for(gui, "kernel_file.source.sign.4"));
  gui.click("kernel_file.metric.executions");
  gui.click("kernel_file.view.Source");
  gui.frames();
  EXPECT_TRUE(gui.has("kernel_file.shown_metric.executions")) << "one metric for both";
  gui.click("kernel_file.view.Step");
  ASSERT_TRUE(wait_for(gui, "kernel_file.source.sign.4"));
  gui.click("kernel_file.source.sign.4");
  ASSERT_EQ(stepping.breakpoints(), (std::set<BreakpointLine>{{"", 5}}));
  gui.click("execution.continue");
  EXPECT_TRUE(has_stop(5));
  gui.click("execution.back");
  EXPECT_TRUE(has_stop(4)) << "the barrier";
  stepping.choose_block(3);
  EXPECT_TRUE(wait_until(gui, [&] { return stepping.stop()->grid[0] == 4 && stepping.stop()->slot == 0; }));
  // A newer file is executed, and stepped from its start.
  save(
      "__global__ void shift(float* out) { out[threadIdx.x] = 1; }\n"
      "int main() { float* out; cudaMalloc(&out, 256); shift<<<1, 64>>>(out); }\n");
  EXPECT_TRUE(wait_until(gui, [&] {
    const auto stop = stepping.stop();
    return stepping.block() == 0 && stop && stop->grid[0] == 1 && stop->slot == 0;
  }));
}

TEST_F(KernelFilePanelTest, AMacroOfTheBuildIsDefinedBelowTheMessage) {
  start_worker(false);
  save(
      "__global__ void set(float* out) { out[threadIdx.x] = TILE; }\n"
      "int main() { float* out; cudaMalloc(&out, 4 * TILE); set<<<1, TILE>>>(out); }\n");
  test_support::HeadlessGui gui(1600, 900);
  opened().open(file_);
  show(gui, "kernel-file");
  ASSERT_TRUE(wait_for(gui, "kernel_file.definition"));
  EXPECT_FALSE(gui.has("kernel_file.include_folder"));
  gui.click("kernel_file.definition");
  gui.type("TILE=32");
  gui.click("kernel_file.definition.button");
  ASSERT_TRUE(wait_for(gui, "kernel_file.status"));
  EXPECT_EQ(opened().shown()->point.block[0], 32U);
}

TEST_F(KernelFilePanelTest, ACancelledRunIsRepeatedByReload) {
  Client::Options worker;
  worker.command = {INSTANT_WORKER, "60000"};
  explorer_ = std::make_unique<Explorer>(find_installation(), worker, std::function<void()>(),
                                         Measure::time_limit, false);
  test_support::HeadlessGui gui(1600, 900);
  opened().open(file_);
  show(gui, "kernel-file");
  ASSERT_TRUE(wait_for(gui, "kernel_file.cancel"));
  gui.click("kernel_file.cancel");
  EXPECT_TRUE(gui.has("kernel_file.cancelled"));
  EXPECT_FALSE(opened().waits());
  gui.click("kernel_file.reload");
  EXPECT_TRUE(wait_for(gui, "kernel_file.cancel"));
}

}  // namespace
}  // namespace tilescope
