// Panel Execution with the real worker and the mouse.

#include "app/explorer/step/block_stepping.hpp"
#include "app/panels/tests/recorded_fixture.hpp"

namespace tilescope {
namespace {

class ExecutionPanelTest : public RecordedPanels {
 protected:
  ExecutionPanelTest() : gui(1100, 800) {}

  bool open(const std::string& kernel) {
    choose(kernel);
    show(gui, "execution");
    return wait_for(gui, "execution.head");
  }
  const StepStop& stop() const { return *explorer_->board().get<BlockStepping>().stop(); }
  /// Turns the wheel with Ctrl held.
  void zoom(int turns) {
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
    for (int i = 0; i < turns; ++i) gui.wheel("execution.plot", 0, 2);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
  }
  bool wait_for_slot_other_than(std::uint64_t slot) {
    return wait_until(gui, [&] { return stop().slot != slot; });
  }

  test_support::HeadlessGui gui;
};

TEST_F(ExecutionPanelTest, StepsForwardsAndBackwardsByTiles) {
  ASSERT_TRUE(open("flash_scalar"));
  EXPECT_EQ(stop().slot, 0U);
  gui.click("execution.unit.tile");
  gui.click("execution.step");
  ASSERT_TRUE(wait_for_slot_other_than(0));
  EXPECT_EQ(stop().progress.tile, 1);
  const std::uint64_t first = stop().slot;
  gui.click("execution.step");
  ASSERT_TRUE(wait_for_slot_other_than(first));
  EXPECT_EQ(stop().progress.tile, 2);
  const std::uint64_t second = stop().slot;
  gui.click("execution.back");
  ASSERT_TRUE(wait_for_slot_other_than(second));
  EXPECT_EQ(stop().slot, first);
  gui.click("execution.end");
  ASSERT_TRUE(wait_for_slot_other_than(first));
  EXPECT_EQ(stop().slot, stop().slots);
}

TEST_F(ExecutionPanelTest, AClickMovesThePlayHeadThere) {
  ASSERT_TRUE(open("flash_scalar"));
  gui.click("execution.plot");
  ASSERT_TRUE(wait_for_slot_other_than(0));
  const double share = static_cast<double>(stop().round) / static_cast<double>(stop().rounds);
  EXPECT_NEAR(share, 0.5, 0.02) << "the middle of the plot";
}

TEST_F(ExecutionPanelTest, ADragTakesThePlayHeadAlong) {
  ASSERT_TRUE(open("flash_scalar"));
  gui.move_to("execution.plot");
  gui.press();
  ASSERT_TRUE(wait_for_slot_other_than(0)) << "at once, before the button is released";
  const std::uint64_t middle = stop().slot;
  gui.move_to("execution.head");
  gui.move_to("execution.unit.tile");  // far to the left, above the plot
  ASSERT_TRUE(wait_until(gui, [&] { return stop().slot != middle; }));
  EXPECT_LT(stop().slot, middle);
  gui.release();
  const std::uint64_t released = stop().slot;
  gui.move_to("execution.plot");
  gui.frames(5);
  EXPECT_EQ(stop().slot, released);
}

TEST_F(ExecutionPanelTest, ADoubleClickShowsTheWholeBlockAndKeepsThePlayHead) {
  ASSERT_TRUE(open("flash_scalar"));
  gui.click("execution.plot");
  ASSERT_TRUE(wait_for_slot_other_than(0));
  EXPECT_FALSE(gui.has("execution.whole")) << "all of it is seen";
  zoom(20);
  ASSERT_TRUE(gui.has("execution.whole"));
  const std::uint64_t before = stop().round;
  gui.double_click("execution.plot");
  gui.frames(10);
  EXPECT_FALSE(gui.has("execution.whole"));
  EXPECT_NEAR(static_cast<double>(stop().round), static_cast<double>(before),
              0.01 * static_cast<double>(stop().rounds))
      << "what the first click pointed at, in the zoomed plot";
  zoom(5);
  gui.click("execution.whole");
  EXPECT_FALSE(gui.has("execution.whole"));
}

TEST_F(ExecutionPanelTest, GoesOnToABreakpoint) {
  ASSERT_TRUE(open("mma_flash"));
  EXPECT_TRUE(gui.has("execution.continue"));
  gui.click("execution.continue");
  gui.frames(5);
  EXPECT_EQ(stop().slot, 0U) << "there is none yet";
  // A line of a header that the kernel inlines.
  explorer_->board().get<BlockStepping>().go(step_target_from("matrix:0"));
  ASSERT_TRUE(wait_for_slot_other_than(0));
  ASSERT_FALSE(stop().warps[0].frames.empty());
  const std::string frame = stop().warps[0].frames.back();
  const std::size_t colon = frame.rfind(':');
  const BreakpointLine line{frame.substr(0, colon),
                            static_cast<std::uint32_t>(std::stoul(frame.substr(colon + 1)))};
  explorer_->board().get<BlockStepping>().toggle_breakpoint(line);
  gui.click("execution.start");
  ASSERT_TRUE(wait_until(gui, [&] { return stop().slot == 0; }));
  gui.click("execution.continue");
  ASSERT_TRUE(wait_for_slot_other_than(0));
  const auto is_there = [&](const WarpStop& warp) {
    const std::vector<std::uint32_t> lines = lines_in_file(warp, line.file);
    return std::ranges::find(lines, line.line) != lines.end();
  };
  EXPECT_TRUE(std::ranges::any_of(stop().warps, is_there)) << frame;
  gui.click("execution.clear");
  EXPECT_FALSE(explorer_->board().get<BlockStepping>().has_breakpoints());
}

TEST_F(ExecutionPanelTest, TheWheelZoomsToSingleInstructionsWithCtrl) {
  ASSERT_TRUE(open("flash_scalar"));
  for (int i = 0; i < 5; ++i) gui.wheel("execution.plot", 0, 2);
  EXPECT_FALSE(gui.has("execution.whole")) << "the wheel alone does not zoom";
  zoom(60);
  EXPECT_TRUE(gui.has("execution.whole"));
  ASSERT_TRUE(wait_until(gui, [&] {
    const auto range = explorer_->board().get<BlockStepping>().range();
    return range && range->rounds_per_cell == 1;
  }));
  EXPECT_FALSE(explorer_->board().get<BlockStepping>().range()->instructions.empty());
}

TEST_F(RecordedPanels, TheWheelOverThePlotOfExecutionScrollsThePanel) {
  test_support::HeadlessGui gui(700, 230);
  choose("flash_scalar");
  show(gui, "execution");
  ASSERT_TRUE(wait_for(gui, "execution.head"));
  const float top = gui.rectangle("execution.plot")[1];
  gui.wheel("execution.plot", 0, -1);
  EXPECT_LT(gui.rectangle("execution.plot")[1], top);
}

TEST_F(ExecutionPanelTest, ANumberBeyondTheGridOrTheBlockIsSaid) {
  ASSERT_TRUE(open("flash_scalar"));
  const auto& stepping = explorer_->board().get<BlockStepping>();
  const auto enter = [&](const char* field, const std::string& number) {
    gui.click(field);
    gui.type(number);
    gui.key(ImGuiKey_Enter);
    gui.frames();
  };
  EXPECT_FALSE(gui.has("execution.beyond"));
  enter("execution.warp", "500");
  EXPECT_EQ(stepping.view().warp, stop().warps.size() - 1);
  EXPECT_TRUE(gui.has("execution.beyond"));
  enter("execution.warp", "1");
  EXPECT_FALSE(gui.has("execution.beyond"));
  enter("execution.block", "5000");
  EXPECT_EQ(stepping.block() + 1, stop().grid[0] * stop().grid[1] * stop().grid[2]);
  EXPECT_TRUE(gui.has("execution.beyond"));
  enter("execution.block", "0");
  EXPECT_FALSE(gui.has("execution.beyond"));
  gui.click("execution.registers");
  gui.frames();
  enter("execution.lane", "40");
  EXPECT_EQ(stepping.view().lane, 31U);
  EXPECT_TRUE(gui.has("execution.lane_beyond"));
  enter("execution.lane", "3");
  EXPECT_EQ(stepping.view().lane, 3U);
  EXPECT_FALSE(gui.has("execution.lane_beyond"));
}

TEST_F(ExecutionPanelTest, ChoosesAWarpInTheTable) {
  ASSERT_TRUE(open("flash_scalar"));
  gui.click("execution.row.3");
  EXPECT_EQ(explorer_->board().get<BlockStepping>().view().warp, 3U);
}

}  // namespace
}  // namespace tilescope
