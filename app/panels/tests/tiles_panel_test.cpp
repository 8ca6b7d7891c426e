// Panel Tiles, on blocks that the real worker steps.

#include "app/panels/tests/step_fixture.hpp"
#include "profiler/views/step/tiles_view.hpp"

namespace tilescope {
namespace {

class TilesPanelTest : public SteppedPanels {
 protected:
  bool open(test_support::HeadlessGui& gui) {
    show(gui, "tiles");
    return wait_for_block(gui);
  }
  std::string csv() const { return panel("tiles").csv(); }
  bool has_line(const std::string& text) const { return csv().find(text + "\n") != std::string::npos; }
};

TEST_F(TilesPanelTest, AClickOnAKeyTileMovesThePlayHeadThere) {
  choose_mma();
  test_support::HeadlessGui gui(900, 700);
  ASSERT_TRUE(open(gui));
  ASSERT_TRUE(gui.has("tiles.cell.2.4")) << "160 rows by 160 keys";
  EXPECT_FALSE(gui.has("tiles.cell.3.0"));
  EXPECT_TRUE(has_line("S,0,64,64,32,not_yet,,")) << csv();
  gui.click("tiles.cell.0.2");
  ASSERT_TRUE(wait_until(gui, [&] { return stop().progress.tile == 3; }));
  EXPECT_EQ(stop().progress.first_key, 64);
  EXPECT_EQ(gui.rectangle("tiles.now"), gui.rectangle("tiles.cell.0.2"));
  // This kernel begins with the last keys.
  EXPECT_TRUE(has_line("S,0,64,96,32,done,,")) << csv();
  EXPECT_TRUE(has_line("S,0,64,64,32,now,,"));
  EXPECT_TRUE(has_line("S,0,64,32,32,not_yet,,"));
}

TEST_F(TilesPanelTest, ShowsWhichRowsOfKLieInWhichStage) {
  choose_mma();
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(open(gui));
  // The third tile; that before it still lies in its stage.
  gui.click("tiles.cell.0.2");
  ASSERT_TRUE(wait_until(gui, [&] { return stop().progress.tile == 3; }));
  bool has_former = false;
  const auto ranges = held_ranges(stop(), 32);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].tensor != "K" || ranges[i].rows != IndexRange{96, 32}) continue;
    has_former = true;
    EXPECT_EQ(ranges[i].stage, 1);
    EXPECT_TRUE(gui.has("tiles.held." + std::to_string(i)));
  }
  EXPECT_TRUE(has_former) << csv();
  EXPECT_TRUE(has_line("K,96,32,,,held,\"K 1\",1")) << csv();
  EXPECT_TRUE(gui.has("tiles.line.0"));
  EXPECT_TRUE(gui.has("tiles.figure.Arithmetic intensity"));
}

TEST_F(TilesPanelTest, AClickOnAnotherQueryTileChoosesItsBlock) {
  choose_mma();
  test_support::HeadlessGui gui(900, 700);
  ASSERT_TRUE(open(gui));
  gui.click("tiles.cell.2.0");
  EXPECT_EQ(stepping().block(), 2U);
  ASSERT_TRUE(wait_until(gui, [&] { return has_line("S,128,32,0,32,not_yet,,"); })) << csv();
}

TEST_F(TilesPanelTest, TheMaskSkipsTilesThatTheBlockNeverBegins) {
  choose_mma(true);
  test_support::HeadlessGui gui(900, 700);
  ASSERT_TRUE(open(gui));
  // The first block takes the last rows, which see all keys; the last block the first.
  stepping().choose_block(2);
  ASSERT_TRUE(wait_for_block(gui));
  ASSERT_TRUE(wait_until(gui, [&] { return has_line("S,0,64,64,32,skipped,,"); }))
      << "rows come from probes or shared memory: the grid does not say them\n"
      << csv();
  EXPECT_TRUE(has_line("S,0,64,32,32,not_yet,,"));
}

TEST_F(TilesPanelTest, ATooltipAndTheStripsDrawWithoutErrors) {
  choose_mma();
  test_support::HeadlessGui gui(700, 600, 2, ThemeKind::light);
  ASSERT_TRUE(open(gui));
  const int plain = gui.vertices();
  gui.move_to("tiles.cell.1.1");
  gui.frames(4);
  EXPECT_GT(gui.vertices(), plain) << "the tooltip";
  EXPECT_TRUE(gui.errors().empty());
}

TEST_F(TilesPanelTest, AKernelWithoutProbesHasTilesOfItsMainLoopOrNone) {
  Shape shape = small_shape();
  shape.Sq = shape.Sk = 80;
  choose("cutlass_gemm", {}, shape);
  test_support::HeadlessGui gui(900, 700);
  ASSERT_TRUE(open(gui));
  ASSERT_FALSE(stop().has_probes);
  gui.frames();
  EXPECT_TRUE(gui.has("tiles.origin"));
  EXPECT_EQ(csv().find(",done,,"), std::string::npos) << csv();
}

TEST_F(TilesPanelTest, SaysWhatIsMissing) {
  choose("cudnn_sdpa", {});
  test_support::HeadlessGui gui(600, 500);
  show(gui, "tiles");
  EXPECT_FALSE(gui.has("plot.tiles"));
  EXPECT_EQ(csv(), "");
  EXPECT_GT(gui.vertices(), 100) << "a text says why";
}

}  // namespace
}  // namespace tilescope
