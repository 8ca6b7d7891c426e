// Panel Execution with the real worker and the mouse.

#include "app/panels/tests/traced_fixture.hpp"

namespace tilescope {
namespace {

class ExecutionPanelTest : public TracedPanels {
 protected:
  ExecutionPanelTest() : gui(1100, 800) {}

  bool open(const std::string& kernel) {
    choose(kernel);
    show(gui, "execution");
    return wait_for(gui, "execution.head");
  }
  const StepStop& stop() const { return *explorer_->block_stepping().stop(); }
  bool wait_for_slot_other_than(std::uint64_t slot) {
    return wait_until(gui, [&] { return stop().slot != slot; });
  }

  testing::HeadlessGui gui;
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

TEST_F(ExecutionPanelTest, TheWheelZoomsToSingleInstructions) {
  ASSERT_TRUE(open("flash_scalar"));
  for (int i = 0; i < 60; ++i) gui.wheel("execution.plot", 0, 2);
  ASSERT_TRUE(wait_until(gui, [&] {
    const auto range = explorer_->block_stepping().range();
    return range && range->rounds_per_cell == 1;
  }));
  EXPECT_FALSE(explorer_->block_stepping().range()->instructions.empty());
}

TEST_F(ExecutionPanelTest, ChoosesAWarpInTheTable) {
  ASSERT_TRUE(open("flash_scalar"));
  gui.click("execution.row.3");
  EXPECT_EQ(explorer_->block_stepping().view().warp, 3U);
}

}  // namespace
}  // namespace tilescope
