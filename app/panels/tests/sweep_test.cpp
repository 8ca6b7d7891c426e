#include <fstream>

#include "app/explorer/tune/sweep_choice.hpp"
#include "app/panels/tests/panels_fixture.hpp"

namespace tilescope {
namespace {

/// The panels before a worker that takes 20 ms for a point; where it has a GPU, each has a latency of 50 us.
class SweepPanels : public Panels {
 protected:
  void start(bool has_gpu = false) {
    std::vector<std::string> command{INSTANT_WORKER, "20"};
    if (has_gpu) command.emplace_back("present");
    start_with(std::move(command));
  }

  bool wait_for_start() {
    return wait_for([&] { return explorer_->jobs().sweep() != nullptr; });
  }
  bool wait_for_end() {
    return wait_for([&] { return explorer_->jobs().sweep_summary() != nullptr; });
  }
};

TEST_F(SweepPanels, ASweepGoesThroughTheChosenValuesAndIsSummarisedUntilDismissed) {
  start();
  test_support::HeadlessGui gui(400, 720);
  show(gui, "configuration");
  EXPECT_FALSE(gui.has("button.sweep"));
  EXPECT_TRUE(gui.has("sweep.missing"));
  gui.click("vary.VEC_WIDTH");
  gui.click("vary.VEC_WIDTH.values");
  EXPECT_GE(gui.rectangle("vary.VEC_WIDTH.all")[1], gui.rectangle("vary.VEC_WIDTH.values")[3])
      << "the list does not cover what opened it";
  gui.click("vary.VEC_WIDTH.none");
  gui.click("vary.VEC_WIDTH.2");
  gui.click("vary.VEC_WIDTH.4");
  gui.key(ImGuiKey_Escape);
  gui.click("button.sweep");
  ASSERT_TRUE(wait_for_start());
  EXPECT_EQ(explorer_->jobs().sweep()->total(), 2U);
  gui.frames();
  EXPECT_TRUE(gui.has("sweep.progress"));
  EXPECT_TRUE(gui.has("button.cancel_sweep"));
  EXPECT_FALSE(gui.has("button.sweep"));
  ASSERT_TRUE(wait_for_end());
  gui.frames();
  EXPECT_FALSE(gui.has("sweep.progress"));
  ASSERT_TRUE(gui.has("sweep.summary"));
  EXPECT_FALSE(gui.has("sweep.best")) << "no point has a latency";
  gui.click("sweep.dismiss");
  EXPECT_FALSE(gui.has("sweep.summary"));
  EXPECT_TRUE(gui.has("button.sweep"));
}

TEST_F(SweepPanels, AGridThatNoSweepMayHaveIsSaidAndCannotBeStarted) {
  const fs::path root = scratch_.folder() / "root";
  fs::create_directories(root / "kernels");
  fs::create_directory_symlink(explorer_->installation().root / "assets", root / "assets");
  constexpr int parameters = 7;  // 8^7 configurations, ten times as many as a sweep may have
  std::string declared;
  for (int i = 0; i < parameters; ++i)
    declared += std::string(i > 0 ? "," : "") + R"({"name": "P)" + std::to_string(i) +
                R"(", "values": [1, 2, 3, 4, 5, 6, 7, 8], "default": 1, "help": "x"})";
  std::ofstream(root / "kernels/wide.cu")
      << R"(/* tilescope-kernel
{"name": "wide", "role": "rung", "title": "Wide", "entry": "wide", "dtypes": ["fp16"], "parameters": [)"
      << declared
      << R"(], "constraints": [], "grid": ["2", "1", "1"], "threads": "64", "dynamic_shared_bytes": "0",
 "arguments": [{"type": "pointer", "value": "O"}]}
*/
extern "C" __global__ void wide(unsigned short* o) { o[0] = 1; }
)";
  setenv("TILESCOPE_ROOT", root.c_str(), 1);
  start();
  ASSERT_EQ(explorer_->selection().kernel().name, "wide");
  for (int i = 0; i < parameters; ++i)
    explorer_->board().get<SweepChoice>().toggle("wide", "P" + std::to_string(i));
  test_support::HeadlessGui gui(400, 720);
  show(gui, "configuration");
  ASSERT_TRUE(wait_for([&] {
    gui.frames();
    return gui.has("sweep.too_large");
  }));
  EXPECT_FALSE(gui.has("button.sweep"));
}

TEST_F(SweepPanels, ACancelledSweepIsSummarisedToo) {
  start();
  test_support::HeadlessGui gui(400, 720);
  show(gui, "configuration");
  gui.click("vary.BLOCK_M");
  gui.click("vary.VEC_WIDTH");
  gui.click("button.sweep");
  ASSERT_TRUE(wait_for_start());
  gui.frames();
  gui.click("button.cancel_sweep");
  EXPECT_EQ(explorer_->jobs().sweep(), nullptr);
  ASSERT_TRUE(gui.has("sweep.summary"));
}

TEST_F(SweepPanels, TheSummaryGoesToTheFastest) {
  start(true);
  test_support::HeadlessGui gui(400, 720);
  show(gui, "configuration");
  gui.click("vary.VEC_WIDTH");
  gui.click("button.sweep");
  ASSERT_TRUE(wait_for_end());
  explorer_->selection().drag_parameter("BLOCK_M", std::int64_t{128});
  explorer_->selection().end_drag();
  gui.frames();
  gui.click("sweep.best");
  EXPECT_EQ(value_of("BLOCK_M"), explorer_->jobs().sweep_summary()->fastest_point->parameters.at("BLOCK_M"));
}

TEST_F(SweepPanels, TheSummaryKnowsTheKernelThatWasSwept) {
  start();
  explorer_->jobs().start_sweep({{"VEC_WIDTH", {}}});
  ASSERT_TRUE(wait_for_end());
  EXPECT_EQ(explorer_->jobs().sweep_summary()->kernel, "flash_scalar");
  test_support::HeadlessGui gui(900, 720);
  show(gui, "configuration");
  EXPECT_FALSE(gui.has("sweep.of_another_kernel"));
  Experiment experiment = explorer_->selection().experiment();
  experiment.kernel = "tiled";
  experiment.parameters = {};
  explorer_->selection().set_experiment(experiment);
  gui.frames();
  EXPECT_TRUE(gui.has("sweep.of_another_kernel"));
}

TEST_F(SweepPanels, TheChoiceBelongsToTheExplorerAndToTheKernel) {
  start();
  test_support::HeadlessGui gui(400, 720);
  show(gui, "configuration");
  gui.click("vary.BLOCK_M");
  EXPECT_TRUE(explorer_->board().get<SweepChoice>().is_swept("flash_scalar", "BLOCK_M"));
  Experiment experiment = explorer_->selection().experiment();
  experiment.kernel = "tiled";
  explorer_->selection().set_experiment(experiment);
  gui.frames();
  EXPECT_FALSE(gui.has("vary.BLOCK_M.values"));
}

TEST_F(SweepPanels, TheHeatMapFollowsASweepUntilThePersonChoosesOtherAxes) {
  start();
  test_support::HeadlessGui gui(800, 600);
  show(gui, "heat_map");
  EXPECT_TRUE(gui.has("heat_map.cell.8.16")) << "BLOCK_M and BLOCK_N";
  explorer_->jobs().start_sweep({{"NUM_WARPS", {}}, {"VEC_WIDTH", {}}});
  ASSERT_TRUE(wait_for_start());
  gui.frames();
  EXPECT_TRUE(gui.has("heat_map.cell.1.1"));
  EXPECT_TRUE(gui.has("heat_map.cell.16.8"));
  gui.click("heat_map.x");
  gui.click("heat_map.x.BLOCK_M");
  EXPECT_TRUE(gui.has("heat_map.cell.128.8"));
  wait_for_end();
  gui.frames();
  EXPECT_TRUE(gui.has("heat_map.cell.128.8")) << "the sweep took the axes back";
}

TEST_F(SweepPanels, AMapOfThreeSweptParametersShowsTheBestOverTheThird) {
  start();
  test_support::HeadlessGui gui(800, 600);
  show(gui, "heat_map");
  explorer_->jobs().start_sweep({{"BLOCK_M", {std::int64_t{8}}}, {"VEC_WIDTH", {}}, {"SMEM_LAYOUT", {}}});
  ASSERT_TRUE(wait_for_start());
  gui.frames();
  ASSERT_TRUE(gui.has("heat_map.cell.8.1"));
  EXPECT_TRUE(wait_for_end());
}

}  // namespace
}  // namespace tilescope
