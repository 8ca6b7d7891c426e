#include "profiler/views/step/softmax_view.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilescope {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

RowTile tile_of(std::uint64_t slot, std::int64_t first_key, std::vector<double> scores, double m, double l,
                double rescale) {
  RowTile tile;
  tile.slot = slot;
  tile.first_key = first_key;
  tile.keys = static_cast<std::int64_t>(scores.size());
  tile.scores = std::move(scores);
  tile.m = tile.exact_m = m;
  tile.l = tile.exact_l = l;
  tile.rescale = rescale;
  tile.output = {0.5, -0.25};
  tile.exact_output = {0.5, -0.125};
  tile.error = 0.125;
  return tile;
}

StepRowHistory history_of(std::vector<RowTile> tiles) {
  StepRowHistory history;
  history.row = 5;
  history.rows = {4, 5, 6, 7};
  history.worst_row = 7;
  history.worst_error = 4.9e-4;
  history.parts = {{0, std::move(tiles)}};
  history.output = {1, 2};
  history.exact_output = {1, 2.25};
  return history;
}

StepRowHistory rising() {
  return history_of({tile_of(100, 0, {1.2, 0.5}, 1.2, 1.497, 1),
                     tile_of(200, 2, {3.4, -infinity}, 3.4, 1.166, 0.1108),
                     tile_of(300, 4, {2.0, 1.0}, 3.4, 1.503, 1)});
}

TEST(SoftmaxView, ShowsTilesUpToThePlayHead) {
  const SoftmaxView view = softmax_view(rising(), Shape{}, 250, 0, false);
  ASSERT_EQ(view.parts.size(), 1U);
  const SoftmaxPart& part = view.parts[0];
  ASSERT_EQ(part.tiles.size(), 3U);
  EXPECT_EQ(part.now, 1U);
  EXPECT_EQ(part.tiles[0].state, SoftmaxTile::State::done);
  EXPECT_EQ(part.tiles[1].state, SoftmaxTile::State::now);
  EXPECT_EQ(part.tiles[2].state, SoftmaxTile::State::not_yet);
  EXPECT_EQ(part.tiles[1].m, "3.4");
  EXPECT_EQ(part.tiles[1].keys, "2 to 3");
  EXPECT_EQ(part.tiles[2].m, "");
  EXPECT_EQ(part.tiles[2].slot, 300U) << "a click goes there";
  EXPECT_EQ(part.m, (std::vector<double>{1.2, 3.4}));
  EXPECT_EQ(view.strip.first_key, 2);
  EXPECT_EQ(view.strip.masked, 1);
  EXPECT_EQ(view.strip.largest, 3.4);
  EXPECT_EQ(view.output.heading, "Output after tile 2");
  EXPECT_EQ(view.output.error, 0.125);
  EXPECT_EQ(view.heading, "Row 5, of rows 4 to 7 that the block's probes name");
  EXPECT_EQ(view.worst, "Row 7: its output is farthest from float64, 4.90e-04");
}

TEST(SoftmaxView, BeforeTheFirstTileThereIsNothingYet) {
  const SoftmaxView view = softmax_view(rising(), Shape{}, 99, 0, false);
  EXPECT_EQ(view.parts[0].now, 3U);
  EXPECT_TRUE(view.strip.scores.empty());
  EXPECT_TRUE(view.output.elements.empty());
}

TEST(SoftmaxView, AtTheEndTheOutputIsThatInMemory) {
  const SoftmaxView view = softmax_view(rising(), Shape{}, 900, 0, true);
  EXPECT_EQ(view.output.elements.at(1).kernel, 2);
  EXPECT_EQ(view.output.error, 0.25);
}

TEST(SoftmaxView, SaysWhatARiseOfTheMaximumDoes) {
  const SoftmaxView view = softmax_view(rising(), Shape{}, 900, 0, false);
  const auto& tiles = view.parts[0].tiles;
  EXPECT_EQ(tiles[0].text,
            "Tile 1, keys 0 to 1: m begins at 1.2, the largest score of the tile; l, the sum of exp(score - "
            "m), is 1.497.");
  EXPECT_EQ(tiles[1].text,
            "Tile 2, keys 2 to 3: m rose from 1.2 to 3.4, so what was summed is multiplied by 0.1108. l goes "
            "from 1.497 to "
            "1.166.");
  EXPECT_EQ(tiles[2].text,
            "Tile 3, keys 4 to 5: m stays 3.4: no score of the tile is larger, and nothing is rescaled. l "
            "goes from 1.166 to "
            "1.503.");
}

TEST(SoftmaxView, AWrongFactorAndAnOldMaximumAreSaid) {
  StepRowHistory wrong = rising();
  wrong.parts[0].tiles[1].rescale = 1;
  EXPECT_NE(softmax_view(wrong, Shape{}, 900, 0, false)
                .parts[0]
                .tiles[1]
                .text.find("; the kernel multiplied by 1."),
            std::string::npos);
  StepRowHistory lazy = rising();
  lazy.parts[0].tiles[1].m = 1.2;
  EXPECT_NE(softmax_view(lazy, Shape{}, 900, 0, false)
                .parts[0]
                .tiles[1]
                .text.find("m stays 1.2 though a score reaches 3.4"),
            std::string::npos);
  StepRowHistory fallen = rising();
  fallen.parts[0].tiles[2].m = 0.5;
  EXPECT_NE(
      softmax_view(fallen, Shape{}, 900, 0, false).parts[0].tiles[2].text.find("m fell from 3.4 to 0.5"),
      std::string::npos);
}

TEST(SoftmaxView, AnOutputThatIsNoNumberIsWrong) {
  StepRowHistory history = rising();
  history.parts[0].tiles[1].error = nan;
  history.parts[0].tiles[0].error = 1e-4;
  const SoftmaxView view = softmax_view(history, Shape{}, 900, 0, false);
  EXPECT_FALSE(view.parts[0].tiles[0].is_wrong);
  EXPECT_TRUE(view.parts[0].tiles[1].is_wrong);
  EXPECT_EQ(view.parts[0].tiles[1].error, "NaN");
}

TEST(SoftmaxView, NaiveSoftmaxOverflowsAtTheFirstLargeScore) {
  EXPECT_FALSE(softmax_view(rising(), Shape{}, 0, 0, false).naive.overflows);
  const StepRowHistory large =
      history_of({tile_of(100, 0, {80, 20}, 80, 1, 1), tile_of(200, 2, {88.8, 3000}, 3000, 1, 0)});
  const NaiveSoftmax naive = softmax_view(large, Shape{}, 0, 0, false).naive;
  EXPECT_TRUE(naive.overflows);
  EXPECT_EQ(naive.where, "key 2 (tile 2)");
  EXPECT_NE(naive.text.find("inf / inf is NaN"), std::string::npos);
  const StepRowHistory limit = history_of({tile_of(100, 0, {NaiveSoftmax::limit - 0.01}, 88.7, 1, 1)});
  EXPECT_FALSE(softmax_view(limit, Shape{}, 0, 0, false).naive.overflows);
}

TEST(SoftmaxView, TheSumMayOverflowWhereNoScoreDoes) {
  const StepRowHistory history = history_of({tile_of(100, 0, {88.5, 88.5, 88.5}, 88.5, 3, 1)});
  const NaiveSoftmax naive = softmax_view(history, Shape{}, 0, 0, false).naive;
  EXPECT_TRUE(naive.overflows);
  EXPECT_EQ(naive.where, "tile 1");
}

TEST(SoftmaxView, ARowThatSeesNoKey) {
  Shape shape;
  shape.Sq = 64;
  shape.Sk = 32;
  shape.causal = true;
  StepRowHistory history = history_of({tile_of(100, 0, {-infinity, -infinity}, -infinity, 0, nan)});
  const SoftmaxView view = softmax_view(history, shape, 150, 0, false);
  ASSERT_EQ(view.notes.size(), 1U);
  EXPECT_NE(view.notes[0].find("hides all keys of this row"), std::string::npos);
  EXPECT_NE(view.parts[0].tiles[0].text.find("m stays -inf and l stays 0"), std::string::npos);
  EXPECT_TRUE(std::isnan(view.parts[0].m[0])) << "no place in a plot";
  EXPECT_NE(view.naive.text.find("0 / 0 is NaN"), std::string::npos);
  history.row = 32;
  EXPECT_TRUE(softmax_view(history, shape, 150, 0, false).notes.empty()) << "it sees the first key";
}

TEST(SoftmaxView, PartsOfSeveralWarpsAreKeptApart) {
  StepRowHistory history = rising();
  history.parts.push_back({3, {tile_of(120, 0, {7}, 7, 1, 1)}});
  const SoftmaxView view = softmax_view(history, Shape{}, 150, 1, false);
  ASSERT_EQ(view.parts.size(), 2U);
  EXPECT_EQ(view.parts[1].warp, 3);
  EXPECT_EQ(view.strip.largest, 7);
  EXPECT_EQ(view.notes.at(0).substr(0, 7), "2 warps");
  EXPECT_NE(softmax_csv(view).find("3,1,\"0\",120,7,7,1,1,1.25e-01\n"), std::string::npos)
      << softmax_csv(view);
}

TEST(SoftmaxView, ValuesWithoutAProbeAreDashes) {
  StepRowHistory history = history_of({tile_of(100, 0, {nan, nan}, nan, nan, nan)});
  history.parts[0].tiles[0].output.clear();
  const SoftmaxView view = softmax_view(history, Shape{}, 150, 0, false);
  const SoftmaxTile& tile = view.parts[0].tiles[0];
  EXPECT_EQ(tile.m + tile.l + tile.largest + tile.error, "----");
  EXPECT_FALSE(tile.is_wrong);
  EXPECT_EQ(view.strip.unnamed, 2);
}

TEST(SoftmaxView, GoesThroughTheRowsOfTheBlock) {
  const std::vector<std::int64_t> rows{4, 5, 9};
  EXPECT_EQ(neighbour_row(rows, 5, 1), 9);
  EXPECT_EQ(neighbour_row(rows, 9, 1), 9);
  EXPECT_EQ(neighbour_row(rows, 9, -1), 5);
  EXPECT_EQ(neighbour_row(rows, 4, -1), 4);
}

TEST(SoftmaxView, AShapeWithRowsThatSeeNoKey) {
  Shape shape;
  const Shape masked = all_masked_shape(shape);
  EXPECT_TRUE(masked.causal);
  EXPECT_EQ(masked.Sq, shape.Sq);
  EXPECT_EQ(masked_rows(masked), masked.Sq - masked.Sk);
  EXPECT_GT(masked_rows(masked), 0);
  EXPECT_EQ(all_masked_shape(masked), masked);
  EXPECT_EQ(masked_rows(shape), 0);
  for (const std::int64_t rows : {8, 16, 32, 64, 128})
    EXPECT_NE(masked_rows(masked) % rows, 0) << "the query tile of the last one has others too";
}

TEST(SoftmaxView, TriesTheBlocksThatMayHaveARow) {
  Shape shape;
  shape.Sq = 160;
  LaunchGeometry launch;
  launch.grid_x = 3;
  launch.grid_y = 8;
  EXPECT_EQ(blocks_to_try(launch, shape, 64, 70), (std::vector<std::uint64_t>{1, 8}));
  launch.grid_x = 24;
  launch.grid_y = 1;
  EXPECT_EQ(blocks_to_try(launch, shape, 64, 0), (std::vector<std::uint64_t>{0, 16}))
      << "the longest rows come first";
  launch.grid_x = 5;
  EXPECT_EQ(blocks_to_try(launch, shape, 0, 159), (std::vector<std::uint64_t>{4, 0}));
}

}  // namespace
}  // namespace tilescope
