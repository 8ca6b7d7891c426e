// Points of a file's kernel in the plots, in the place of the kernel under the sliders.

#include "app/explorer/tests/sample_file_point.hpp"
#include "app/panels/tests/panels_fixture.hpp"

namespace tilescope {
namespace {

class FilePointsTest : public Panels {
 protected:
  /// `tiles` and `sizes`: the values of the points, one for each combination.
  void keep(const std::vector<std::int64_t>& tiles, const std::vector<std::int64_t>& sizes) {
    for (const std::int64_t tile : tiles)
      for (const std::int64_t n : sizes) keep_point(tile, n);
  }
  void keep_point(std::int64_t tile, std::int64_t n) {
    shown_ = shared_file_point(tile, n);
    explorer_->points().add_of_file(shown_, {});
  }
  void show_last() { explorer_->shown().show(shown_); }

  SharedMeasurement shown_;
};

TEST_F(FilePointsTest, LatencyIsDrawnAgainstTheValuesThatDifferOnceAPointOfTheFileIsShown) {
  keep({16, 32}, {512, 1024});
  test_support::HeadlessGui gui(900, 600);
  show(gui, "latency");
  EXPECT_FALSE(gui.has("latency.file")) << "the kernel under the sliders";
  show_last();
  gui.frames();
  EXPECT_TRUE(gui.has("latency.file"));
  EXPECT_NE(panel("latency").csv().find("\"not checked, predicted for L4\",32,"), std::string::npos)
      << panel("latency").csv();
  gui.click("latency.axis");
  gui.frames();
  EXPECT_TRUE(gui.has("latency.axis.TILE"));
  EXPECT_FALSE(gui.has("latency.axis.BLOCK_M"));
  gui.click("latency.axis.n");
  gui.frames();
  const std::string csv = panel("latency").csv();
  EXPECT_NE(csv.find("L4\",512,"), std::string::npos) << csv;
  EXPECT_EQ(csv.find("TILE=16"), std::string::npos) << "TILE as in the shown point: " << csv;
  gui.click("latency.all");
  gui.frames();
  EXPECT_NE(panel("latency").csv().find("TILE=16"), std::string::npos);
  explorer_->shown().stop();
  gui.frames();
  EXPECT_FALSE(gui.has("latency.file"));
  gui.click("latency.axis");
  gui.frames();
  EXPECT_TRUE(gui.has("latency.axis.BLOCK_M"));
}

TEST_F(FilePointsTest, TheHeatMapHasTwoValuesAndAClickShowsAPoint) {
  keep({16, 32}, {512, 1024});
  show_last();
  test_support::HeadlessGui gui(900, 600);
  show(gui, "heat_map");
  ASSERT_TRUE(gui.has("heat_map.cell.32.1024"));
  EXPECT_TRUE(gui.has("heat_map.file"));
  EXPECT_TRUE(gui.has("heat_map.predicted_key")) << "it starts on predictions";
  EXPECT_NE(panel("heat_map").csv().find("rows: n, columns: TILE"), std::string::npos)
      << panel("heat_map").csv();
  const Experiment before = explorer_->selection().experiment();
  gui.click("heat_map.cell.16.512");
  gui.frames();
  const SharedMeasurement shown = explorer_->shown().point();
  ASSERT_TRUE(shown);
  EXPECT_EQ(to_string(shown->parameters), "TILE=16 n=512");
  EXPECT_EQ(explorer_->selection().experiment(), before) << "the sliders stay";
}

TEST_F(FilePointsTest, PointsThatDifferInNothingOrOneValueSayHowToGetOthers) {
  keep({16}, {512});
  show_last();
  std::string wanted;
  explorer_->panel_wanted = [&](const std::string& id) { wanted = id; };
  test_support::HeadlessGui gui(900, 600);
  show(gui, "latency");
  gui.click("empty_state.button");
  EXPECT_EQ(wanted, "kernel-file");
  keep({32}, {512});
  gui.frames();
  EXPECT_TRUE(gui.has("plot.latency"));
  show(gui, "heat_map");
  EXPECT_TRUE(gui.has("empty_state.button")) << "they differ in TILE alone";
}

TEST_F(FilePointsTest, ANameThatIsCutInTheTableHasATooltip) {
  for (const char* name : {"sum.cu:sum_of_the_rows_by_warps", "sum.cu:sum"}) {
    Measurement point = sample_file_point(16, 512);
    point.kernel = name;
    explorer_->points().add_of_file(std::make_shared<const Measurement>(std::move(point)), {});
  }
  test_support::HeadlessGui gui(1000, 400);
  show(gui, "points");
  const auto has_tooltip_in_row = [&](const std::string& row) {
    const std::vector<float> header = gui.rectangle("points.header.kernel"), of_row = gui.rectangle(row);
    ImGui::GetIO().AddMousePosEvent((header[0] + header[2]) / 2, (of_row[1] + of_row[3]) / 2);
    gui.frames(40);
    const auto& windows = ImGui::GetCurrentContext()->Windows;
    return std::ranges::any_of(windows, [](const ImGuiWindow* window) {
      return window->Active && (window->Flags & ImGuiWindowFlags_Tooltip) != 0;
    });
  };
  EXPECT_FALSE(has_tooltip_in_row("row.0")) << "the newest comes first, and its name is short";
  EXPECT_TRUE(has_tooltip_in_row("row.1"));
}

}  // namespace
}  // namespace tilescope
