#include "app/window/restore.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "app/explorer/tests/explorer_driver.hpp"
#include "app/explorer/tests/scratch_folder.hpp"
#include "app/explorer/tune/sweep_choice.hpp"

namespace tilescope {
namespace {

class RestoreTest : public testing::Test {
 protected:
  std::unique_ptr<Explorer> start() { return start_explorer(scratch, {INSTANT_WORKER, "0", "none"}); }

  /// A session with a name, a recorded one beside it, a sweep, and sliders that were moved after the save.
  LastState leave() {
    const auto explorer = start();
    EXPECT_TRUE(settle(*explorer));
    EXPECT_TRUE(explorer->points().save_session(scratch / "recorded.json"));
    EXPECT_TRUE(explorer->points().save_session(scratch / "mine.json"));
    EXPECT_TRUE(explorer->points().open_recorded(scratch / "recorded.json"));
    explorer->board().get<SweepChoice>().toggle("flash_scalar", "BLOCK_N");
    explorer->selection().drag_parameter("BLOCK_M", std::int64_t{64});
    explorer->selection().end_drag();
    EXPECT_TRUE(settle(*explorer));
    return last_state_of(*explorer);
  }

  bool come_back(Explorer& explorer, const LastState& last) {
    restore(explorer, last);
    return wait_for(explorer, [&] {
      return explorer.points().opening().empty() &&
             explorer.points().recorded_sessions().size() == last.recorded.size() && settle(explorer);
    });
  }

  ScratchFolder scratch;
};

TEST_F(RestoreTest, BringsBackWhatWasOpen) {
  const LastState last = leave();
  const auto explorer = start();
  ASSERT_TRUE(come_back(*explorer, last));
  EXPECT_EQ(explorer->points().list().size(), 2U) << "the point that was not saved is there too";
  EXPECT_EQ(explorer->points().document().file(), scratch / "mine.json");
  EXPECT_TRUE(explorer->points().document().needs_saving());
  EXPECT_EQ(explorer->selection().experiment(), *last.experiment);
  EXPECT_TRUE(explorer->board().get<SweepChoice>().is_swept("flash_scalar", "BLOCK_N"));
  EXPECT_EQ(explorer->points().recorded().size(), 1U);
  EXPECT_FALSE(explorer->shown().is_another())
      << "the recorded session was not opened by the person just now";
  EXPECT_EQ(last_state_of(*explorer), last);
}

TEST_F(RestoreTest, SaysWhatIsNotThereAnyMoreAndOpensTheRest) {
  LastState last = leave();
  std::filesystem::remove(scratch / "recorded.json");
  std::filesystem::remove(scratch / "mine.json");
  std::filesystem::remove(last.autosave);
  const auto explorer = start();
  restore(*explorer, last);
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->notices().list().size(), 2U);
  EXPECT_EQ(explorer->selection().experiment(), *last.experiment);
}

TEST_F(RestoreTest, PointsThatACrashLeftAreOpenedWhenTheButtonIsPressed) {
  const LastState last = leave();
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  offer_left_behind(*explorer, {last.session, last.autosave});
  EXPECT_EQ(explorer->points().list().size(), 1U);
  explorer->notices().press(0);
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->points().list().size() == 2; }));
  EXPECT_TRUE(explorer->points().document().needs_saving());
}

}  // namespace
}  // namespace tilescope
