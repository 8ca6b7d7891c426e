#include "profiler/views/step/tile_strips.hpp"

#include <gtest/gtest.h>

#include "profiler/views/tests/step_samples.hpp"

namespace tilescope {
namespace {

using samples::row_of;
using samples::step_tile;

TEST(TileStrips, AWholeTileIsOneRangeWithItsStage) {
  StepStop stop;
  stop.tiles = {step_tile("K 0", 64, "K", 128, 64), step_tile("K 1", 64, "K", 192, 64),
                step_tile("Q", 64, "Q", 0, 64)};
  const auto ranges = held_ranges(stop, 64);
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(held_words(ranges[1]), "K rows 192 to 255 in tile K 1, stage 1");
  EXPECT_EQ(held_words(ranges[2]), "Q rows 0 to 63 in tile Q");
  EXPECT_EQ(held_of(ranges, "K").size(), 2U);
}

TEST(TileStrips, WhatArrivedSoFarIsSaidInParts) {
  StepStop stop;
  stop.tiles = {step_tile("V", 64, "V", 64, 16)};
  const auto ranges = held_ranges(stop, 64);
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(held_words(ranges[0]), "V rows 64 to 79 in tile V, partly");
  EXPECT_EQ(held_words(ranges[1]), "Tile V, rows 16 to 63: unwritten");
}

TEST(TileStrips, RowsInTheWrongOrderAreNotOneRange) {
  StepStop stop;
  TileStop tile = step_tile("K", 4, "K", 0, 4);
  tile.rows[2] = row_of("K", 9);
  tile.rows[3] = row_of("V", 10);
  stop.tiles = {tile};
  const auto ranges = held_ranges(stop, 4);
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(held_words(ranges[0]), "K rows 0 to 1 in tile K, partly");
  EXPECT_EQ(held_words(ranges[1]), "K row 9 in tile K, partly");
  EXPECT_EQ(held_words(ranges[2]), "V row 10 in tile K, partly") << "a row of V in the tile of K is seen";
}

TEST(TileStrips, ATileAsHighAsSeveralKeyTilesHasStages) {
  StepStop stop;
  TileStop tile = step_tile("K", 64, "K", 0, 64);
  for (std::size_t i = 32; i < 64; ++i) tile.rows[i] = row_of("K", static_cast<std::int64_t>(i));
  stop.tiles = {tile};
  const auto ranges = held_ranges(stop, 32);
  ASSERT_EQ(ranges.size(), 2U) << "rows of two stages are two ranges, also where they follow each other";
  EXPECT_EQ(held_words(ranges[1]), "K rows 32 to 63 in tile K, stage 1");
}

TEST(TileStrips, ATileInManyPiecesIsOneLine) {
  StepStop stop;
  TileStop tile = step_tile("K", 64, "", 0, 0);
  for (std::size_t i = 0; i < 64; i += 4) tile.rows[i] = row_of("K", static_cast<std::int64_t>(i) + 64);
  stop.tiles = {tile, step_tile("V", 64, "V", 64, 16)};
  const auto lines = held_lines(held_ranges(stop, 64));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].text, "Tile K: K rows 64, 68, 72 ... 124 (16 of 64), 48 rows unwritten");
  EXPECT_TRUE(lines[0].is_tensor && lines[0].is_partial);
  EXPECT_EQ(lines[1].text, "V rows 64 to 79 in tile V, partly");
}

TEST(TileStrips, RowsInBytesThatTwoTilesShareAreSaidOnce) {
  StepStop stop;
  stop.tiles = {step_tile("K", 64, "K", 64, 64), step_tile("Q", 64, "K", 64, 64)};
  EXPECT_EQ(held_ranges(stop, 64).size(), 1U);
  stop.tiles[1].offset = 64 * 64 * 2;
  const auto apart = held_ranges(stop, 64);
  ASSERT_EQ(apart.size(), 2U) << "a copy of K where Q belongs is a fault";
  EXPECT_EQ(held_words(apart[1]), "K rows 64 to 127 in tile Q");
}

TEST(TileStrips, OtherContentsAreSaidAsSuch) {
  StepStop stop;
  TileStop tile = step_tile("O", 8, "", -1, 8);
  stop.tiles = {tile};
  const auto ranges = held_ranges(stop, 64);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(held_words(ranges[0]), "Tile O: no row of Q, K or V");
  EXPECT_TRUE(held_of(ranges, "Q").empty());
}

}  // namespace
}  // namespace tilescope
