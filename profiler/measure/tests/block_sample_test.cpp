#include "profiler/measure/prepare/block_sample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace tilescope {
namespace {

const BlockChoice all{BlockChoice::Kind::all, 0};
const BlockChoice automatic{};

BlockChoice number(std::int64_t count) {
  return {BlockChoice::Kind::count, count};
}

LaunchGeometry grid(std::int64_t x, std::int64_t y, std::int64_t z) {
  LaunchGeometry geometry;
  geometry.grid_x = x;
  geometry.grid_y = y;
  geometry.grid_z = z;
  return geometry;
}

double estimate(const std::vector<SampledBlock>& blocks, std::int64_t size,
                const std::function<double(std::int64_t)>& work_of_x) {
  double sum = 0;
  for (const SampledBlock& block : blocks)
    sum += block.weight * work_of_x(static_cast<std::int64_t>(block.index) % size);
  return sum;
}

double exact(const LaunchGeometry& geometry, const std::function<double(std::int64_t)>& work_of_x) {
  double sum = 0;
  for (std::int64_t x = 0; x < geometry.grid_x; ++x) sum += work_of_x(x);
  return sum * static_cast<double>(geometry.grid_y * geometry.grid_z);
}

TEST(BlockSample, AllBlocksAndMoreThanThereAreRunTheWholeGrid) {
  EXPECT_TRUE(sample_blocks(all, {}, grid(16, 8, 1)).empty());
  EXPECT_TRUE(sample_blocks(number(128), {}, grid(16, 8, 1)).empty());
  EXPECT_TRUE(sample_blocks(number(1000), {}, grid(16, 8, 1)).empty());
}

TEST(BlockSample, ANumberRunsExactlySoManyDifferentBlocksThatStandForAll) {
  for (const LaunchGeometry& geometry : {grid(16, 8, 1), grid(1, 8, 4), grid(40, 1, 1), grid(3, 2, 7)}) {
    for (std::int64_t count = 1; count < geometry.blocks(); ++count) {
      const auto blocks = sample_blocks(number(count), {}, geometry);
      std::set<std::uint64_t> indices;
      for (const SampledBlock& block : blocks) {
        indices.insert(block.index);
        ASSERT_LT(block.index, static_cast<std::uint64_t>(geometry.blocks()));
        ASSERT_GE(block.weight, 1 - 1e-9);
      }
      ASSERT_EQ(static_cast<std::int64_t>(indices.size()), count);
      ASSERT_NEAR(estimate(blocks, geometry.grid_x, [](std::int64_t) { return 1.0; }),
                  static_cast<double>(geometry.blocks()), 1e-6)
          << count;
    }
  }
}

TEST(BlockSample, AutomaticRunsASmallGridWhole) {
  Shape shape;
  shape.Hq = shape.Hkv = 1;
  shape.Sq = shape.Sk = 64;
  EXPECT_TRUE(sample_blocks(automatic, shape, grid(2, 1, 1)).empty());
}

TEST(BlockSample, AutomaticRunsFewBlocksOfALargeGridFirstAndLastAmongThem) {
  const Shape shape;  // B1 H8 S512 D64
  const auto blocks = sample_blocks(automatic, shape, grid(16, 8, 1));
  EXPECT_GE(blocks.size(), 3U);
  EXPECT_LE(blocks.size(), 8U);
  EXPECT_EQ(blocks.front().index, 0U);
  EXPECT_EQ(blocks.back().index, 127U);
  std::set<std::uint64_t> rows;
  for (const SampledBlock& block : blocks) rows.insert(block.index / 16);
  EXPECT_EQ(rows.size(), blocks.size()) << "every block is of another head";
}

TEST(BlockSample, EqualBlocksAndATailAreEstimatedExactly) {
  Shape shape;
  shape.Sq = 16 * 32 - 7;
  shape.Sk = 4096;
  const auto work = [](std::int64_t x) { return x == 15 ? 700.0 : 1000.0; };
  const auto blocks = sample_blocks(automatic, shape, grid(16, 8, 1));
  EXPECT_LT(blocks.size(), 8U);
  EXPECT_NEAR(estimate(blocks, 16, work), exact(grid(16, 8, 1), work), 1e-6);
}

TEST(BlockSample, CausalWorkIsEstimatedWithinAFewPercent) {
  Shape shape;
  shape.causal = true;
  for (const std::int64_t size : {4, 8, 16, 32, 256}) {
    for (const std::int64_t step : {1, 2, 3, 4}) {
      shape.Sq = shape.Sk = 32 * size;
      const auto work = [step](std::int64_t x) {
        const std::int64_t steps = x / step;
        return 1.0 + static_cast<double>(steps);
      };
      const LaunchGeometry geometry = grid(size, 8, 1);
      const auto blocks = sample_blocks(automatic, shape, geometry);
      if (blocks.empty()) continue;  // a small grid is run whole
      const double truth = exact(geometry, work);
      EXPECT_NEAR(estimate(blocks, size, work), truth, 0.03 * truth) << size << " in steps of " << step;
    }
  }
}

TEST(BlockSample, OneBlockAlongXIsSeenAtTwoPlaces) {
  Shape shape;
  shape.Sq = 1;
  shape.Sk = 65536;
  const auto blocks = sample_blocks(automatic, shape, grid(1, 32, 4));
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_NE(blocks[0].index, blocks[1].index);
  EXPECT_NEAR(blocks[0].weight + blocks[1].weight, 128, 1e-9);
}

// How many blocks of each group of consecutive blocks along x are run.
std::map<std::uint64_t, std::int64_t> run_of_groups(const std::vector<SampledBlock>& blocks,
                                                    std::int64_t group) {
  std::map<std::uint64_t, std::int64_t> run;
  for (const SampledBlock& block : blocks) ++run[block.index / static_cast<std::uint64_t>(group)];
  return run;
}

TEST(BlockSample, BlocksThatMakeOneResultAreRunTogether) {
  LaunchGeometry geometry = grid(4 * 16, 8, 2);
  geometry.block_group = 4;
  Shape causal;
  causal.Sk = 4096;
  causal.causal = true;
  for (const Shape& shape : {Shape(), causal}) {
    for (const BlockChoice& choice : {automatic, number(1), number(9), number(12), number(200)}) {
      const auto blocks = sample_blocks(choice, shape, geometry);
      ASSERT_FALSE(blocks.empty());
      for (const auto& [group, run] : run_of_groups(blocks, 4)) ASSERT_EQ(run, 4) << group;
      const std::int64_t whole = (choice.count + 3) / 4 * 4;
      EXPECT_TRUE(choice.count == 0 || static_cast<std::int64_t>(blocks.size()) == whole) << blocks.size();
      EXPECT_NEAR(estimate(blocks, geometry.grid_x, [](std::int64_t) { return 1.0; }), 1024, 1e-6);
    }
  }
  EXPECT_TRUE(sample_blocks(number(1021), {}, geometry).empty()) << "the last group is begun: all are run";
}

TEST(BlockSample, AGroupsBlocksStandForThoseAtTheirPlace) {
  LaunchGeometry geometry = grid(8 * 16, 8, 1);
  geometry.block_group = 8;
  Shape shape;
  shape.Sk = 4096;
  // The first blocks of a group work, the others have no keys left; rows get longer with x.
  const auto work = [](std::int64_t x) {
    const std::int64_t group = x / 8;
    return x % 8 < 3 ? 100.0 + static_cast<double>(group) : 1.0;
  };
  const auto blocks = sample_blocks(automatic, shape, geometry);
  ASSERT_LT(blocks.size(), 16U * 8U);
  EXPECT_NEAR(estimate(blocks, geometry.grid_x, work), exact(geometry, work), 1e-6);
}

}  // namespace
}  // namespace tilescope
