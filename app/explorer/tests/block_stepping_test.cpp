// The play head in a block of the configuration under the sliders, with a real worker.

#include "app/explorer/step/block_stepping.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/explorer/step/fragment_subject.hpp"
#include "app/explorer/tests/explorer_driver.hpp"

namespace tilescope {
namespace {

class Stepping : public testing::Test {
 protected:
  Stepping() : explorer(start_explorer(scratch, {REAL_WORKER, "worker"})) {}

  void choose(const std::string& kernel, std::int64_t keys = 131) {
    Experiment experiment = explorer->selection().experiment();
    experiment.kernel = kernel;
    experiment.parameters = {};
    experiment.device = "L4";
    experiment.shape.B = 1;
    experiment.shape.Hq = experiment.shape.Hkv = 2;
    experiment.shape.Sq = 77;
    experiment.shape.Sk = keys;
    explorer->selection().set_experiment(experiment);
  }
  BlockStepping& stepping() { return explorer->board().get<BlockStepping>(); }
  /// As a panel does in every frame.
  template <class Condition>
  bool wait(Condition condition) {
    return wait_for(*explorer, [&] {
      stepping().want();
      return condition();
    });
  }
  bool begin() {
    return wait([this] { return stepping().stop() && !stepping().is_outdated() && stepping().timeline(); });
  }
  bool go(const std::string& place) {
    const std::uint64_t before = stepping().revision();
    stepping().go(step_target_from(place));
    return wait([&] { return stepping().revision() != before; });
  }

  ScratchFolder scratch;
  std::unique_ptr<Explorer> explorer;
};

TEST_F(Stepping, BeginsAtTheStartAndGoesToPlaces) {
  choose("mma_flash");
  ASSERT_TRUE(begin()) << stepping().missing().text;
  EXPECT_EQ(stepping().stop()->slot, 0U);
  ASSERT_TRUE(go("tile:2"));
  EXPECT_EQ(stepping().stop()->progress.tile, 2);
  const std::uint64_t slot = stepping().stop()->slot;
  ASSERT_TRUE(go("warp:0"));
  EXPECT_GT(stepping().stop()->slot, slot);
  ASSERT_TRUE(go("tile:99"));
  EXPECT_NE(stepping().not_found(), "");
}

TEST_F(Stepping, AnotherConfigurationBeginsAnew) {
  choose("flash_scalar");
  ASSERT_TRUE(begin());
  ASSERT_TRUE(go("tile:2"));
  const auto first = stepping().stop();
  choose("flash_scalar", 200);
  stepping().want();
  EXPECT_TRUE(stepping().is_outdated());
  EXPECT_EQ(stepping().stop(), first) << "the former one stays meanwhile";
  ASSERT_TRUE(begin());
  EXPECT_EQ(stepping().stop()->slot, 0U);
  EXPECT_EQ(stepping().timeline()->tiles.size(), 4U);
}

TEST_F(Stepping, SaysWhyALibrarysKernelCannotBeStepped) {
  choose("cudnn_sdpa");
  ASSERT_TRUE(wait([this] { return !stepping().missing().heading.empty() && !stepping().stop(); }));
  EXPECT_EQ(stepping().missing().heading, "No PTX to trace");
}

TEST_F(Stepping, TheRowAndTheMatrixInstructionFollow) {
  choose("mma_flash");
  ASSERT_TRUE(begin());
  ASSERT_TRUE(wait([this] {
    stepping().want_row(-1);
    return stepping().row() != nullptr;
  }));
  EXPECT_GE(stepping().row()->worst_row, 0);
  ASSERT_TRUE(go("tile:1"));
  ASSERT_TRUE(go("matrix:0"));
  ASSERT_NE(explorer->board().get<BlockStepping>().fragments(), nullptr);
  EXPECT_FALSE(
      fragment_view(explorer->board().get<BlockStepping>().fragments()->instruction).matrices.empty());
}

TEST_F(Stepping, StopsAtBreakpoints) {
  choose("flash_scalar");
  ASSERT_TRUE(begin());
  ASSERT_TRUE(go("tile:2"));
  const std::uint32_t line = stepping().stop()->warps[0].line;
  ASSERT_GT(line, 0U);
  ASSERT_TRUE(go("start"));
  stepping().toggle_breakpoint({"", line});
  const std::uint64_t revision = stepping().revision();
  stepping().go_on();
  ASSERT_TRUE(wait([&] { return stepping().revision() != revision; }));
  EXPECT_LT(stepping().stop()->slot, stepping().stop()->slots);
  const auto is_there = [line](const WarpStop& warp) { return warp.line == line; };
  EXPECT_TRUE(std::ranges::any_of(stepping().stop()->warps, is_there));
}

}  // namespace
}  // namespace tilescope
