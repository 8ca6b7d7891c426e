#include <fstream>

#include "app/panels/tests/panels_fixture.hpp"
#include "profiler/explanation/occupancy/cliffs.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/explanation/occupancy/one_more_block.hpp"

namespace tilescope {
namespace {

/// A session of the default kernel with one compiled point, at the defaults.
class OccupancyPanelTest : public Panels {
 protected:
  Measurement compiled(const Configuration& configuration, std::int64_t registers) const {
    const KernelDeclaration& kernel = explorer_->selection().kernel();
    const DeviceModel& device = explorer_->selection().device();
    Measurement point = make_point(kernel, configuration, device.name);
    const LaunchGeometry geometry = launch_geometry(kernel, configuration, Shape{}, device);
    point.resources = Resources{registers, 0, geometry.dynamic_shared_bytes, 0, 0, std::string(64, '0')};
    point.occupancy = occupancy(device, *point.resources, geometry);
    return point;
  }

  void open(std::vector<Measurement> points) {
    ASSERT_TRUE(explorer_->points().open_session(write_points("compiled", std::move(points))));
    explorer_->shown().show(explorer_->points().list().back());
  }

  Configuration defaults() const { return explorer_->selection().kernel().complete({}); }
  void show_view(test_support::HeadlessGui& gui, const std::string& view) {
    panel("occupancy").take_option("view " + view);
    show(gui, "occupancy");
  }
  /// Shows the map of two parameters, chosen with the mouse.
  void show_map(test_support::HeadlessGui& gui, const std::string& x, const std::string& y) {
    show_view(gui, "map");
    gui.click("occupancy_map.x");
    gui.click("occupancy_map.x." + x);
    gui.click("occupancy_map.y");
    gui.click("occupancy_map.y." + y);
  }
  /// A line of a panel's table, by how it begins.
  std::string line_of(const std::string& start) const {
    const std::string csv = "\n" + panel("occupancy").csv();
    const std::size_t at = csv.find("\n" + start);
    return at == std::string::npos ? "no line" : csv.substr(at + 1, csv.find('\n', at + 1) - at - 1);
  }
  /// Vertices of one color within a landmark.
  static int corners(const test_support::HeadlessGui& gui, ImU32 color, const std::string& mark) {
    const std::vector<float> at = gui.rectangle(mark);
    int count = 0;
    for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
      for (const ImDrawVert& vertex : list->VtxBuffer) {
        const bool inside =
            vertex.pos.x >= at[0] && vertex.pos.x <= at[2] && vertex.pos.y >= at[1] && vertex.pos.y <= at[3];
        if (inside && vertex.col == color) ++count;
      }
    }
    return count;
  }
};

TEST_F(OccupancyPanelTest, TheViewsAreChosenWithTheMouseAndKept) {
  open({compiled(defaults(), 72)});
  test_support::HeadlessGui gui(1000, 500);
  show(gui, "occupancy");
  EXPECT_TRUE(gui.has("plot.occupancy"));
  EXPECT_EQ(panel("occupancy").options(), std::vector<std::string>{"view points"});
  gui.click("occupancy.view.cliffs");
  EXPECT_TRUE(gui.has("plot.cliff.registers"));
  EXPECT_TRUE(gui.has("plot.cliff.shared_memory"));
  EXPECT_TRUE(gui.has("plot.cliff.threads"));
  gui.click("occupancy.view.map");
  EXPECT_TRUE(gui.has("plot.occupancy_map"));
  gui.click("occupancy.view.one_more");
  EXPECT_TRUE(gui.has("one_more.row.0"));
  EXPECT_EQ(panel("occupancy").options(), std::vector<std::string>{"view one_more"});
  panel("occupancy").take_option("view cliffs");
  gui.frames();
  EXPECT_TRUE(gui.has("plot.cliff.threads"));
  EXPECT_TRUE(gui.errors().empty());
}

TEST_F(OccupancyPanelTest, AKernelWithoutParametersShowsItsCliffsFirst) {
  const fs::path file = scratch_.folder() / "plain.cu";
  std::ofstream(file) << R"(/* tilescope-kernel
{"name": "plain", "role": "rung", "title": "Plain", "entry": "plain", "dtypes": ["fp16"], "parameters": [], "constraints": [],
 "grid": ["1", "1", "1"], "threads": "96", "dynamic_shared_bytes": "0", "arguments": []}
*/
extern "C" __global__ void plain() {}
)";
  Experiment experiment;
  experiment.kernel = file.string();
  experiment.device = "L4";
  open({failed_measurement(experiment, Status::wrong_result, "no output")});
  ASSERT_EQ(explorer_->selection().experiment().kernel, file.string());
  open({compiled({}, 40)});
  test_support::HeadlessGui gui(1000, 500);
  show(gui, "occupancy");
  EXPECT_TRUE(gui.has("plot.cliff.registers"));
  EXPECT_EQ(panel("occupancy").options(), std::vector<std::string>{"view points"}) << "it was not chosen";
  gui.click("occupancy.view.points");
  EXPECT_FALSE(gui.has("plot.cliff.registers")) << "the user's choice holds";
}

TEST_F(OccupancyPanelTest, TheCliffsStandSideBySideAndBelowEachOtherWhereNarrow) {
  open({compiled(defaults(), 72)});
  {
    test_support::HeadlessGui gui(1000, 500);
    show_view(gui, "cliffs");
    EXPECT_EQ(gui.rectangle("plot.cliff.registers")[1], gui.rectangle("plot.cliff.threads")[1]);
  }
  test_support::HeadlessGui gui(420, 900);
  show(gui, "occupancy");
  EXPECT_GT(gui.rectangle("plot.cliff.shared_memory")[1], gui.rectangle("plot.cliff.registers")[3]);
}

// The curve is read off with the mouse: the tooltip is drawn over the step that the view model has there.
TEST_F(OccupancyPanelTest, TheCurvesDrawnAreThoseOfTheCalculator) {
  open({compiled(defaults(), 72)});
  test_support::HeadlessGui gui(1000, 500);
  show_view(gui, "cliffs");
  const Measurement& point = *explorer_->points().list().back();
  const DeviceModel& device = explorer_->selection().device();
  const auto needs = block_needs(point, &explorer_->selection().kernel(), device);
  ASSERT_TRUE(needs.has_value());
  EXPECT_EQ(panel("occupancy").csv(), cliffs_csv(occupancy_cliffs(device, *needs)));
  gui.move_to("plot.cliff.registers");
  gui.frames();
  EXPECT_TRUE(gui.has("cliffs.tooltip"));
}

TEST_F(OccupancyPanelTest, ClicksOnAMapCellSetTheSliders) {
  open({compiled(defaults(), 72)});
  test_support::HeadlessGui gui(1000, 600);
  show_map(gui, "BLOCK_M", "BLOCK_N");
  gui.click("occupancy_map.cell.16.32");
  EXPECT_EQ(value_of("BLOCK_M"), ParameterValue(std::int64_t{16}));
  EXPECT_EQ(value_of("BLOCK_N"), ParameterValue(std::int64_t{32}));
  EXPECT_EQ(gui.rectangle("occupancy_map.current"), gui.rectangle("occupancy_map.cell.16.32"));
}

TEST_F(OccupancyPanelTest, AnInvalidCellOfTheMapSetsNothing) {
  open({compiled(defaults(), 72)});
  test_support::HeadlessGui gui(1000, 600);
  show_map(gui, "BLOCK_M", "NUM_WARPS");
  const KernelDeclaration& kernel = explorer_->selection().kernel();
  std::string invalid;
  for (const ParameterValue& rows : kernel.find_parameter("BLOCK_M")->values) {
    for (const ParameterValue& warps : kernel.find_parameter("NUM_WARPS")->values) {
      Configuration configuration = defaults();
      configuration["BLOCK_M"] = rows;
      configuration["NUM_WARPS"] = warps;
      if (!explorer_->selection().why_invalid_with(configuration).empty())
        invalid = "occupancy_map.cell." + to_string(rows) + "." + to_string(warps);
    }
  }
  ASSERT_FALSE(invalid.empty()) << "every combination is valid";
  const Experiment before = explorer_->selection().experiment();
  gui.click(invalid);
  EXPECT_EQ(explorer_->selection().experiment(), before);
}

TEST_F(OccupancyPanelTest, OnlyCompiledCellsAreExact) {
  Configuration other = defaults();
  other["BLOCK_M"] = std::int64_t{16};
  open({compiled(other, 40), compiled(defaults(), 72)});
  test_support::HeadlessGui gui(1000, 600);
  show_map(gui, "BLOCK_M", "BLOCK_N");
  const std::string columns = to_string(defaults().at("BLOCK_N"));
  EXPECT_NE(line_of(columns + ",16,exact,").find(",40,"), std::string::npos) << line_of(columns + ",16,");
  EXPECT_NE(line_of(columns + "," + to_string(defaults().at("BLOCK_M")) + ",exact,").find(",72,"),
            std::string::npos);
  const std::string csv = panel("occupancy").csv();
  std::size_t exact = 0;
  for (std::size_t at = csv.find(",exact,"); at != std::string::npos; at = csv.find(",exact,", at + 1))
    ++exact;
  EXPECT_EQ(exact, 2u);
}

// Registers depend on D, dtype and causal, not on how many heads and keys there are.
TEST_F(OccupancyPanelTest, ThePointOfALongerSequenceKnowsTheRegistersToo) {
  Measurement longer = compiled(defaults(), 56);
  longer.shape.Sq = longer.shape.Sk = 2048;
  Measurement causal = compiled(defaults(), 90);
  causal.shape.causal = true;
  open({causal, longer});
  Experiment here = explorer_->selection().experiment();
  here.shape = Shape{};
  explorer_->selection().set_experiment(here);
  test_support::HeadlessGui gui(1000, 600);
  show_view(gui, "map");
  const std::string csv = panel("occupancy").csv();
  EXPECT_NE(csv.find(",exact,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",56,"), std::string::npos) << csv;
}

TEST_F(OccupancyPanelTest, AnExactCellIsFilledAndABoundIsNot) {
  open({compiled(defaults(), 72)});
  test_support::HeadlessGui gui(1000, 600);
  show_view(gui, "map");
  const std::string current = "occupancy_map.current";
  const Measurement& point = *explorer_->points().list().back();
  const ImVec4 fill = palette().series[static_cast<std::size_t>(point.occupancy->limiter)];
  EXPECT_GE(corners(gui, ImGui::ColorConvertFloat4ToU32(wash(fill, 0.22F)), current), 4);
}

TEST_F(OccupancyPanelTest, OneMoreBlockShowsTheRowsOfItsViewModel) {
  open({compiled(defaults(), 200)});
  test_support::HeadlessGui gui(1000, 600);
  show_view(gui, "one_more");
  const Measurement& point = *explorer_->points().list().back();
  const DeviceModel& device = explorer_->selection().device();
  const OneMoreBlock next =
      one_more_block(device, *block_needs(point, &explorer_->selection().kernel(), device));
  EXPECT_EQ(panel("occupancy").csv(), one_more_csv(next));
  const std::size_t rows = saving_rows(next).size();
  EXPECT_TRUE(gui.has("one_more.row." + std::to_string(rows - 1)));
  EXPECT_FALSE(gui.has("one_more.row." + std::to_string(rows)));
}

TEST_F(OccupancyPanelTest, TheNumbersOfOneMoreBlockEndBelowEachOther) {
  open({compiled(defaults(), 200)});
  test_support::HeadlessGui gui(473, 600);
  show_view(gui, "one_more");
  for (const char* column : {"4", "5", "6"}) {
    const float end = gui.rectangle(std::string("one_more.cell.0.") + column)[2];
    EXPECT_NEAR(gui.rectangle(std::string("one_more.cell.1.") + column)[2], end, 1) << column;
  }
}

TEST_F(OccupancyPanelTest, OneMoreBlockLeavesOutColumnsBeforeItScrolls) {
  Configuration rows = defaults();
  rows["SMEM_LAYOUT"] = std::string("row_major");
  open({compiled(rows, 53)});
  test_support::HeadlessGui gui(474, 600);
  panel("occupancy").take_option("view one_more");
  show(gui, "occupancy");
  EXPECT_FALSE(gui.has("one_more.cell.1.5")) << "the warps stand in the sentence above";
  EXPECT_LE(gui.rectangle("one_more.cell.1.6")[2], 474) << "the occupancy is not cut";
}

TEST_F(OccupancyPanelTest, SeveralPointsAtOnePlaceAreCountedAndThoseOfOtherSettingsNamed) {
  Configuration other = defaults();
  other["SMEM_LAYOUT"] = std::string("padded");
  open({compiled(other, 72), compiled(defaults(), 72), compiled(defaults(), 72)});
  test_support::HeadlessGui gui(1000, 600);
  show(gui, "occupancy");
  EXPECT_TRUE(gui.has("occupancy.count.2"));
  EXPECT_TRUE(gui.has("occupancy.other_settings"));
  gui.click("occupancy.all");
  gui.frames();
  EXPECT_FALSE(gui.has("occupancy.other_settings"));
}

TEST_F(OccupancyPanelTest, ThePlotStaysWithinItsAxesAndADoubleClickShowsAll) {
  Configuration other = defaults();
  other["SMEM_LAYOUT"] = std::string("padded");
  open({compiled(other, 72), compiled(defaults(), 72), compiled(defaults(), 72)});
  test_support::HeadlessGui gui(1000, 600);
  show(gui, "occupancy");
  const std::vector<float> place = gui.rectangle("occupancy.count.2");
  gui.wheel("plot.occupancy", 0, -20);
  gui.frames();
  EXPECT_EQ(gui.rectangle("occupancy.count.2"), place) << "no farther out than all";
  gui.wheel("plot.occupancy", 0, 2);
  gui.frames();
  EXPECT_TRUE(!gui.has("occupancy.count.2") || gui.rectangle("occupancy.count.2") != place) << "nearer";
  ImGui::GetIO().MouseDoubleClickTime = 5;  // a frame of the test takes 0.1 s
  gui.click("plot.occupancy");
  gui.click("plot.occupancy");
  gui.frames();
  ASSERT_TRUE(gui.has("occupancy.count.2"));
  EXPECT_EQ(gui.rectangle("occupancy.count.2"), place);
}

TEST_F(OccupancyPanelTest, AKernelOfALibraryAndAFailedPointSaySo) {
  test_support::HeadlessGui gui(700, 500);
  Experiment experiment = explorer_->selection().experiment();
  experiment.kernel = "cudnn_sdpa";
  explorer_->selection().set_experiment(experiment);
  for (const char* view : {"points", "cliffs", "map", "one_more"}) {
    show_view(gui, view);
    EXPECT_GT(gui.vertices(), 200) << view;
    EXPECT_FALSE(gui.has("plot.occupancy_map")) << view;
  }
  experiment.kernel = "flash_scalar";
  explorer_->selection().set_experiment(experiment);
  Measurement failed = make_point(explorer_->selection().kernel(), defaults(), "L4");
  failed.status = Status::compile_failed;
  failed.reason = "The kernel does not compile.";
  failed.resources.reset();
  failed.occupancy.reset();
  open({failed});
  panel("occupancy").take_option("view cliffs");
  gui.frames();
  EXPECT_FALSE(gui.has("plot.cliff.registers"));
  EXPECT_EQ(panel("occupancy").csv(), "");
}

}  // namespace
}  // namespace tilescope
