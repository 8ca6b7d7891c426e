#include "profiler/views/step/tiles_view.hpp"

#include <gtest/gtest.h>

#include "profiler/views/tests/step_samples.hpp"

namespace tilescope {
namespace {

using samples::step_stop;
using samples::step_tile;
using samples::step_timeline;
using State = TileCell::State;

TilesSubject subject_of(bool causal, std::uint64_t block) {
  TilesSubject subject;
  subject.shape = samples::step_shape(causal);
  subject.block_m = subject.block_n = 64;
  subject.block = block;
  return subject;
}

std::vector<State> states(const TilesPlane& plane, std::size_t row) {
  std::vector<State> found;
  found.reserve(plane.keys.size());
  for (std::size_t i = 0; i < plane.keys.size(); ++i) found.push_back(plane.at(row, i).state);
  return found;
}

TEST(TilesPlane, FollowsTheTraceThroughTheRowOfTheBlock) {
  const StepTimeline timeline = step_timeline({0, 64, 128, 192});
  const TilesSubject subject = subject_of(false, 6);
  const TilesPlane plane = tiles_plane(subject, step_stop(250), &timeline);
  ASSERT_EQ(plane.rows.size(), 4U);
  ASSERT_EQ(plane.keys.size(), 4U);
  ASSERT_EQ(plane.row, 2U) << "block 6 of 4 x 2: query tile 2 of head 1";
  EXPECT_EQ(plane.head, "head 1");
  EXPECT_EQ(plane.rows_from, "Query rows 128 to 191: by the block's place in the grid");
  EXPECT_EQ(states(plane, 2), (std::vector{State::done, State::now, State::not_yet, State::not_yet}));
  EXPECT_EQ(plane.key, 1U);
  EXPECT_EQ(plane.done_keys, 64);
  EXPECT_EQ(plane.at(2, 3).visits, std::vector<std::int64_t>{4});
  EXPECT_EQ(plane.blocks[0], 4U) << "the same head";
  EXPECT_EQ(plane.blocks[2], 6U);
}

TEST(TilesPlane, ATileBeginsAtItsSlot) {
  const StepTimeline timeline = step_timeline({0, 64, 128, 192});
  const TilesSubject subject = subject_of(false, 0);
  EXPECT_EQ(states(tiles_plane(subject, step_stop(99), &timeline), 0)[0], State::not_yet);
  EXPECT_EQ(states(tiles_plane(subject, step_stop(100), &timeline), 0)[0], State::now);
  const TilesPlane end = tiles_plane(subject, step_stop(1000), &timeline);
  EXPECT_EQ(states(end, 0), std::vector<State>(4, State::done));
  EXPECT_TRUE(end.is_finished);
}

TEST(TilesPlane, TilesThatTheMaskHidesAreSkippedAndOthersAreMissed) {
  const StepTimeline timeline = step_timeline({64});
  const TilesPlane plane = tiles_plane(subject_of(true, 1), step_stop(150), &timeline);
  ASSERT_EQ(plane.row, 1U);
  EXPECT_EQ(states(plane, 1), (std::vector{State::unvisited, State::now, State::skipped, State::skipped}));
  EXPECT_TRUE(plane.at(1, 1).is_on_edge);
  EXPECT_FALSE(plane.at(1, 0).is_on_edge);
  ASSERT_EQ(plane.notes.size(), 1U);
  EXPECT_EQ(plane.notes[0], "The block never begins 1 key tile that the mask does not hide.");
  EXPECT_FALSE(plane.is_finished);
}

TEST(TilesPlane, ATileBehindTheMaskOrTheKeysIsAFaultThatIsSeen) {
  const StepTimeline timeline = step_timeline({0, 64, 256});
  const TilesPlane plane = tiles_plane(subject_of(true, 0), step_stop(250), &timeline);
  EXPECT_EQ(plane.at(0, 1).state, State::now);
  EXPECT_TRUE(plane.at(0, 1).is_hidden);
  EXPECT_EQ(plane.notes,
            (std::vector<std::string>{"The block begins 1 tile that the causal mask hides wholly.",
                                      "The block begins 1 tile behind the last key."}));
}

TEST(TilesPlane, TwoPassesOverTheKeysComeAgain) {
  const StepTimeline timeline = step_timeline({0, 64, 128, 192, 0, 64, 128, 192});
  const TilesPlane plane = tiles_plane(subject_of(false, 0), step_stop(650), &timeline);
  EXPECT_EQ(states(plane, 0), (std::vector{State::done, State::now, State::comes_again, State::comes_again}));
  EXPECT_EQ(plane.done_keys, 64);
  EXPECT_FALSE(plane.has_assumed) << "the order of other rows is not known";
  EXPECT_EQ(states(plane, 1), std::vector<State>(4, State::unknown));
}

TEST(TilesPlane, OtherRowsAreAssumedWithTheirOwnMask) {
  const StepTimeline timeline = step_timeline({0, 64, 128});
  const TilesPlane plane = tiles_plane(subject_of(true, 2), step_stop(250), &timeline);
  ASSERT_TRUE(plane.has_assumed);
  EXPECT_EQ(states(plane, 0), (std::vector{State::done, State::skipped, State::skipped, State::skipped}));
  EXPECT_EQ(states(plane, 3), (std::vector{State::done, State::now, State::not_yet, State::not_yet}));
  EXPECT_TRUE(plane.at(3, 1).is_assumed);
  EXPECT_FALSE(plane.at(2, 1).is_assumed);
}

TEST(TilesPlane, DescendingTilesAreAssumedDescending) {
  const StepTimeline timeline = step_timeline({128, 64, 0});
  const TilesPlane plane = tiles_plane(subject_of(true, 2), step_stop(250), &timeline);
  EXPECT_EQ(states(plane, 2), (std::vector{State::not_yet, State::now, State::done, State::skipped}));
  EXPECT_EQ(states(plane, 3), (std::vector{State::not_yet, State::not_yet, State::now, State::done}));
}

TEST(TilesPlane, RowsOfQInSharedMemoryCountMoreThanTheGrid) {
  const StepTimeline timeline = step_timeline({0, 64, 128, 192});
  StepStop stop = step_stop(150);
  stop.tiles.push_back(step_tile("Q", 64, "Q", 192, 64));
  const TilesPlane plane = tiles_plane(subject_of(false, 0), stop, &timeline);
  EXPECT_EQ(plane.row, 3U);
  EXPECT_EQ(plane.rows_from, "Query rows 192 to 255: rows of Q found in shared memory");
  EXPECT_EQ(plane.notes, std::vector<std::string>{"By the grid the block should have query rows 0 to 63."});
}

TEST(TilesPlane, AGridThatCountsOtherThingsLeavesTheRowsToProbes) {
  const StepTimeline timeline = step_timeline({0, 64});
  StepStop stop = step_stop(150);
  stop.grid = {8, 1, 1};  // with a causal mask in an order of the kernel's own
  TilesSubject subject = subject_of(true, 0);
  TilesPlane plane = tiles_plane(subject, stop, &timeline);
  EXPECT_FALSE(plane.row);
  EXPECT_EQ(plane.rows_from.substr(0, 21), "Query rows: not known");
  EXPECT_EQ(plane.blocks[0], std::nullopt);
  for (std::int64_t row = 64; row < 128; ++row) subject.probed_rows.push_back(row);
  plane = tiles_plane(subject, stop, &timeline);
  EXPECT_EQ(plane.row, 1U);
  EXPECT_EQ(states(plane, 1), (std::vector{State::now, State::not_yet, State::skipped, State::skipped}));
}

TEST(TilesPlane, OfOneHeadOnlyThePlainGridSaysTheRows) {
  const StepTimeline timeline = step_timeline({0, 64});
  StepStop stop = step_stop(50);
  stop.grid = {4, 1, 1};
  TilesSubject subject = subject_of(true, 1);
  subject.shape.Hq = subject.shape.Hkv = 1;
  EXPECT_FALSE(tiles_plane(subject, stop, &timeline).row) << "the longest rows may come first";
  subject.has_plain_grid = true;
  EXPECT_EQ(tiles_plane(subject, stop, &timeline).row, 1U);
}

TEST(TilesPlane, RowsThatLayInSharedMemoryBeforeAreRemembered) {
  const StepTimeline timeline = step_timeline({0, 64});
  StepStop stop = step_stop(150);
  stop.grid = {8, 1, 1};
  stop.tiles.push_back(step_tile("Q", 64, "Q", 64, 8));
  TilesSubject subject = subject_of(true, 0);
  subject.seen_rows = tiles_plane(subject, stop, &timeline).found_rows;
  EXPECT_EQ(subject.seen_rows, (IndexRange{64, 8}));
  stop.tiles.clear();
  const TilesPlane plane = tiles_plane(subject, stop, &timeline);
  EXPECT_EQ(plane.row, 1U);
  EXPECT_NE(plane.rows_from.find("at an earlier stop"), std::string::npos);
  EXPECT_FALSE(plane.found_rows);
}

TEST(TilesPlane, AClickGoesToTheNextTileOfACell) {
  TileCell cell;
  EXPECT_EQ(tile_to_go_to(cell, 3), 0);
  cell.visits = {2, 6};
  EXPECT_EQ(tile_to_go_to(cell, 0), 2);
  EXPECT_EQ(tile_to_go_to(cell, 3), 6);
  EXPECT_EQ(tile_to_go_to(cell, 6), 2);
}

TEST(TilesPlane, BlocksOfAGroupShareAQueryTile) {
  const StepTimeline timeline = step_timeline({128, 192});
  StepStop stop = step_stop(150);
  stop.grid = {8, 2, 1};
  TilesSubject subject = subject_of(false, 5);
  subject.has_groups = true;
  const TilesPlane plane = tiles_plane(subject, stop, &timeline);
  EXPECT_EQ(plane.row, 2U);
  EXPECT_EQ(plane.blocks[0], 0U);
  EXPECT_EQ(plane.blocks[3], 6U);
  EXPECT_EQ(states(plane, 2), (std::vector{State::unvisited, State::unvisited, State::now, State::not_yet}));
  EXPECT_NE(plane.notes.at(0).find("other blocks of its group"), std::string::npos);
  EXPECT_FALSE(plane.has_assumed);
}

TEST(TilesPlane, APersistentBlockIsDrawnForOneQueryTileAtATime) {
  const StepTimeline timeline = step_timeline({0, 64, 128, 192, 0, 64, 128, 192});
  StepStop stop = step_stop(650);
  stop.grid = {2, 1, 1};
  stop.tiles.push_back(step_tile("Q", 64, "Q", 128, 64));
  const TilesPlane plane = tiles_plane(subject_of(false, 0), stop, &timeline);
  ASSERT_EQ(plane.row, 2U);
  EXPECT_EQ(states(plane, 2), (std::vector{State::done, State::now, State::not_yet, State::not_yet}));
  EXPECT_EQ(plane.at(2, 1).visits, std::vector<std::int64_t>{6});
}

TEST(TilesPlane, ACountedMainLoopIsTakenInOrderOnlyWhereTheCountFits) {
  const StepTimeline fits = step_timeline({-1, -1, -1, -1});
  TilesPlane plane = tiles_plane(subject_of(false, 0), step_stop(250), &fits);
  EXPECT_EQ(states(plane, 0), (std::vector{State::done, State::now, State::not_yet, State::not_yet}));
  EXPECT_NE(plane.tiles_from.find("main loop"), std::string::npos);
  const StepTimeline other = step_timeline({-1, -1, -1});
  plane = tiles_plane(subject_of(false, 0), step_stop(250), &other);
  EXPECT_EQ(states(plane, 0), std::vector<State>(4, State::unknown));
  EXPECT_EQ(states(tiles_plane(subject_of(false, 0), step_stop(250), nullptr), 0),
            std::vector<State>(4, State::unknown));
}

TEST(TilesPlane, ABlockThatWasCutOffLeavesTilesUnknown) {
  const StepTimeline timeline = step_timeline({0, 64});
  StepStop stop = step_stop(150);
  stop.cut_off = "It goes on for ever.";
  const TilesPlane plane = tiles_plane(subject_of(false, 0), stop, &timeline);
  EXPECT_EQ(states(plane, 0), (std::vector{State::now, State::not_yet, State::unknown, State::unknown}));
}

TEST(TilesPlane, ALongSequenceIsDrawnAroundTheBlock) {
  TilesSubject subject = subject_of(false, 200);
  subject.shape.Sq = 16384;
  subject.shape.Sk = 16384;
  subject.shape.Hq = subject.shape.Hkv = 1;
  StepStop stop = step_stop(250);
  stop.grid = {256, 1, 1};
  std::vector<std::int64_t> keys;
  for (std::int64_t key = 0; key < 16384; key += 64) keys.push_back(key);
  const StepTimeline timeline = step_timeline(keys);
  stop.slots = 30000;
  stop.slot = 20050;
  const TilesPlane plane = tiles_plane(subject, stop, &timeline);
  EXPECT_EQ(plane.rows.size(), TilesPlane::max_rows);
  EXPECT_EQ(plane.keys.size(), TilesPlane::max_keys);
  EXPECT_EQ(plane.rows[plane.row.value()].first, 200 * 64);
  EXPECT_EQ(plane.at(*plane.row, plane.key.value()).state, State::now);
  EXPECT_EQ(plane.done_keys, 199 * 64) << "also of those that are not drawn";
  EXPECT_EQ(plane.notes.size(), 2U);
}

TEST(TilesPlane, ParametersAndGroupsComeFromTheDeclaration) {
  KernelDeclaration kernel;
  kernel.parameters = {{"BLOCK_M", {std::int64_t{32}}, std::int64_t{32}, ""},
                       {"LAYOUT", {std::string("x")}, std::string("x"), ""}};
  kernel.block_group = "4";
  Experiment experiment;
  const TilesSubject subject = tiles_subject(kernel, experiment, 7);
  EXPECT_EQ(subject.block_m, 32);
  EXPECT_EQ(subject.block_n, 0);
  EXPECT_TRUE(subject.has_groups);
  EXPECT_FALSE(subject.has_plain_grid);
  EXPECT_EQ(subject.block, 7U);
}

TEST(TilesPlane, WithoutParametersTheTilesInSharedMemoryGiveTheSizes) {
  TilesSubject subject = subject_of(false, 0);
  subject.block_m = subject.block_n = 0;
  StepStop stop = step_stop(50);
  stop.grid = {8, 2, 1};
  stop.tiles = {step_tile("Q", 32, "", 0, 0), step_tile("K 0", 128, "", 0, 0)};
  const TilesPlane plane = tiles_plane(subject, stop, nullptr);
  EXPECT_EQ(plane.rows.size(), 8U);
  EXPECT_EQ(plane.keys.size(), 2U);
}

TEST(TilesPlane, ACellSaysItsRowsItsTilesAndWhatAClickDoes) {
  const StepTimeline timeline = step_timeline({0, 64});
  const TilesPlane plane = tiles_plane(subject_of(true, 1), step_stop(250), &timeline);
  EXPECT_EQ(cell_words(plane, 1, 1),
            (std::vector<std::string>{"Query rows 64 to 127, keys 64 to 127", "Now",
                                      "The causal mask hides a part of it", "Tile 2 of the block"}));
  EXPECT_NE(cell_hint(plane, 1, 1), "");
  EXPECT_EQ(cell_hint(plane, 1, 3), "") << "no tile begins there";
  EXPECT_EQ(cell_words(plane, 0, 0).back(), "Block 0");
  EXPECT_EQ(cell_words(plane, 0, 0)[1], "Done, assumed");
}

TEST(TileTraffic, ComparesWithThreeKernelsThatKeepSAndP) {
  const StepTimeline timeline = step_timeline({0, 64, 128, 192});
  const TilesSubject subject = subject_of(false, 0);
  StepStop stop = step_stop(350);
  stop.progress.global_read_bytes = 40960;
  stop.progress.global_written_bytes = 0;
  const TileTraffic part = tile_traffic(subject, stop, &timeline, tiles_plane(subject, stop, &timeline));
  EXPECT_EQ(part.keys, 128);
  EXPECT_DOUBLE_EQ(part.flop, 4.0 * 64 * 128 * 64);
  EXPECT_DOUBLE_EQ(part.intensity(), part.flop / 40960);
  EXPECT_DOUBLE_EQ(part.unfused_bytes, 2.0 * (64 * 64 + 2 * 128 * 64 + 4 * 64 * 128));
  stop.slot = 1000;
  const TileTraffic whole = tile_traffic(subject, stop, &timeline, tiles_plane(subject, stop, &timeline));
  EXPECT_DOUBLE_EQ(whole.unfused_bytes, 2.0 * (2 * 64 * 64 + 2 * 256 * 64 + 4 * 64 * 256))
      << "with the output";
}

// Such as `tiled`, which goes through the rows of V behind the last tile of scores.
TEST(TileTraffic, CountsTheProductWithVWhereItsInstructionsWereIssued) {
  StepTimeline timeline = step_timeline({0, 64, 128, 192});
  timeline.warps = {"ccccaaaa"};
  timeline.rounds_per_cell = 100;
  const TilesSubject subject = subject_of(false, 0);
  StepStop stop = step_stop(350);
  stop.round = 350;
  const double scores_of_a_tile = 2.0 * 64 * 64 * 64;
  EXPECT_DOUBLE_EQ(tile_traffic(subject, stop, &timeline, tiles_plane(subject, stop, &timeline)).flop,
                   2 * scores_of_a_tile);
  timeline.warps = {"cacacaca"};
  EXPECT_DOUBLE_EQ(tile_traffic(subject, stop, &timeline, tiles_plane(subject, stop, &timeline)).flop,
                   4 * scores_of_a_tile);
}

TEST(TilesView, HasFiguresAndATable) {
  const StepTimeline timeline = step_timeline({0, 64, 128, 192});
  StepStop stop = step_stop(250);
  stop.progress = {2, 64, 64, 0, 24576, 0};
  stop.tiles = {step_tile("K 0", 64, "K", 64, 64), step_tile("K 1", 64, "", 0, 0)};
  const TilesView view = tiles_view(subject_of(false, 0), stop, &timeline);
  EXPECT_EQ(view.progress, "Tile 2 of 4, keys 64 to 127");
  ASSERT_EQ(view.figures.size(), 6U);
  EXPECT_EQ(view.figures[0].second, "24.0 KiB");
  EXPECT_EQ(view.figures[3].second, "42.7 FLOP/B");
  const std::string csv = tiles_csv(view);
  EXPECT_NE(csv.find("S,0,64,64,64,now,,\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("K,64,64,,,held,\"K 0\",0\n"), std::string::npos) << csv;
}

}  // namespace
}  // namespace tilescope
