#include "profiler/explanation/model/block_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace tilescope::model {
namespace {

ExecutedKernel executed(const std::vector<std::uint64_t>& indices) {
  ExecutedKernel kernel;
  for (const std::uint64_t index : indices) kernel.blocks.push_back({index, {}});
  return kernel;
}

LaunchPlan plan_of(std::uint64_t x, std::uint64_t y, std::uint64_t per_sm) {
  LaunchPlan plan;
  plan.grid_x = x;
  plan.grid_y = y;
  plan.blocks_per_sm = per_sm;
  return plan;
}

SmSchedule scheduled(const ExecutedKernel& kernel, const LaunchPlan& plan, const std::vector<double>& work,
                     std::size_t sms) {
  return model::schedule(BlockWork(kernel, plan, work), plan, sms, 89).front();
}

TEST(BlockSchedule, EqualBlocksAreHandedOutInTurn) {
  const SmSchedule schedule = scheduled(executed({0}), plan_of(10, 1, 2), {1}, 4);
  EXPECT_EQ(schedule.blocks.size(), 3u) << "10 blocks on 4 SMs";
  EXPECT_NEAR(schedule.balance, 10.0 / 12, 1e-12);
  EXPECT_EQ(schedule.blocks[1].index, schedule.blocks[0].index + 4);
}

// As an H200 did with four resident blocks on each of 132 SMs: hardware/block_ends_h200.csv.
TEST(BlockSchedule, EachSmOfAnH200GetsOneOfTheNextBlocksBeforeAnyGetsTwo) {
  const std::pair<std::uint64_t, std::size_t> most_on_an_sm[] = {{768, 6},   {800, 7},  {896, 7},  {928, 8},
                                                                 {1024, 8},  {1056, 8}, {1088, 9}, {1152, 9},
                                                                 {1216, 10}, {1280, 10}};
  for (const auto& [blocks, most] : most_on_an_sm) {
    const LaunchPlan plan = plan_of(32, blocks / 32, 4);
    const SmSchedule last = model::schedule(BlockWork(executed({0}), plan, {1}), plan, 132, 90).front();
    EXPECT_EQ(last.blocks.size(), most) << blocks;
  }
}

TEST(BlockSchedule, TheSmWithTheMostWorkFinishesLast) {
  // Causal: the second half of each row of blocks has three times as much work.
  const SmSchedule schedule = scheduled(executed({0, 1}), plan_of(2, 4, 4), {1, 3}, 2);
  EXPECT_EQ(schedule.blocks.size(), 4u);
  for (const SmSchedule::Block& block : schedule.blocks) EXPECT_EQ(block.executed, 1u);
  EXPECT_NEAR(schedule.balance, 16.0 / 2 / 12, 1e-12);
}

// One SM has a long block and a short one, another one two of medium length: which ends last depends on whether blocks
// that run side by side slow each other down.
TEST(BlockSchedule, AnSmWithALongBlockMayFinishLater) {
  const ExecutedKernel kernel = executed({0, 1, 2, 3, 4, 5});
  const std::vector<double> lengths = {12, 9, 7, 1, 8, 1};
  const std::vector<SmSchedule> last =
      schedule(BlockWork(kernel, plan_of(6, 1, 2), lengths), plan_of(6, 1, 2), 3, 89);
  ASSERT_EQ(last.size(), 2u);
  ASSERT_EQ(last[0].blocks.size(), 2u);
  EXPECT_EQ(last[0].blocks[0].work + last[0].blocks[1].work, 17) << "of blocks 1 and 4";
  EXPECT_EQ(last[1].blocks.front().work, 12);
}

TEST(BlockSchedule, BlocksOfOneColumnMayDiffer) {
  // Two by three blocks on six SMs; blocks of the last row have little work.
  const SmSchedule edge = scheduled(executed({0, 1, 2, 3, 4, 5}), plan_of(2, 3, 1), {9, 8, 9, 8, 1, 1}, 6);
  ASSERT_EQ(edge.blocks.size(), 1u);
  EXPECT_EQ(edge.blocks[0].executed, edge.blocks[0].index);
  EXPECT_NEAR(edge.balance, 36.0 / 6 / 9, 1e-12);
  // Three blocks of a column of ten are known: the nearest one stands for the others.
  const SmSchedule column = scheduled(executed({0, 4, 9}), plan_of(1, 10, 10), {1, 1, 1}, 1);
  std::vector<std::size_t> stands_for;
  stands_for.reserve(column.blocks.size());
  for (const SmSchedule::Block& block : column.blocks) stands_for.push_back(block.executed);
  EXPECT_EQ(stands_for, (std::vector<std::size_t>{0, 0, 0, 1, 1, 1, 1, 2, 2, 2}));
}

// Eight blocks produce one result, and the last to arrive does most of the work. The blocks of two groups of twelve are
// known.
LaunchPlan plan_of_groups(std::vector<std::uint64_t>& known, std::vector<double>& work) {
  LaunchPlan plan = plan_of(8 * 12, 50, 1);
  plan.block_group = 8;
  for (const std::uint64_t first : {0u, 88u}) {
    for (std::uint64_t part = 0; part < 8; ++part) {
      known.push_back(first + part);
      work.push_back(part == 7 ? 10 : 1);
    }
  }
  return plan;
}

TEST(BlockSchedule, OneBlockOfEachGroupArrivesLast) {
  std::vector<std::uint64_t> known;
  std::vector<double> work;
  LaunchPlan plan = plan_of_groups(known, work);
  plan.blocks_per_sm = plan.blocks();
  const SmSchedule all = scheduled(executed(known), plan, work, 1);
  double sum = 0;
  for (const SmSchedule::Block& block : all.blocks) sum += work[block.executed];
  EXPECT_NEAR(sum, 600 * (7 + 10), 0.03 * 600 * 17) << "not each block between the known groups";
}

TEST(BlockSchedule, NoSmHasAllThatArriveLast) {
  std::vector<std::uint64_t> known;
  std::vector<double> work;
  const LaunchPlan plan = plan_of_groups(known, work);
  // Blocks of an SM are a multiple of the group's size apart.
  EXPECT_GT(scheduled(executed(known), plan, work, 16).balance, 0.6) << "0.17 if one had all";
}

TEST(BlockSchedule, AFreeSmTakesTheNextBlock) {
  // One long block, then short ones: they all go to the other SM.
  const SmSchedule schedule = scheduled(executed({0, 1}), plan_of(9, 1, 1), {8, 1}, 2);
  EXPECT_NEAR(schedule.balance, 1, 1e-12) << "8 and 8";
}

TEST(BlockSchedule, AllBlocksOfALongGridAreHandedOut) {
  const SmSchedule schedule = scheduled(executed({0}), plan_of(1'000'000, 1, 2), {1}, 4);
  EXPECT_EQ(schedule.blocks.size(), 250'000u);
  EXPECT_GE(schedule.blocks.back().index, 999'992u);
  EXPECT_NEAR(schedule.balance, 1, 1e-9);
}

// Sorted from long to short, the first waves are longer than those behind them.
TEST(BlockSchedule, SortedBlocksEndTogether) {
  const SmSchedule schedule = scheduled(executed({0, 3167}), plan_of(3168, 1, 2), {3168, 1}, 132);
  double work = 0;
  for (const SmSchedule::Block& block : schedule.blocks) work += block.work;
  EXPECT_NEAR(work, 3168.0 * 3169 / 2 / 132, 0.02 * work) << "an equal share of all";
  EXPECT_GT(schedule.balance, 0.98);
}

TEST(BlockSchedule, WorkIsLinearBetweenTheExecutedBlocks) {
  const ExecutedKernel kernel = executed({0, 8, 10});
  const LaunchPlan plan = plan_of(11, 3, 1);
  const std::vector<double> executed_work = {10, 90, 10};
  const BlockWork work(kernel, plan, executed_work);
  EXPECT_DOUBLE_EQ(work.of(4), 50);
  EXPECT_DOUBLE_EQ(work.of(11 + 6), 70) << "in any row";
  EXPECT_DOUBLE_EQ(work.of(9), 50);
  EXPECT_EQ(work.executed(3), 0u);
  EXPECT_EQ(work.executed(6), 1u);
}

TEST(BlockSchedule, KnownLengthsCountAndChooseWhoStandsForABlock) {
  ExecutedKernel kernel = executed({0, 1, 5});
  kernel.lengths = {100, 100, 100, 1000, 104, 1000, 300, 100};
  const std::vector<double> executed_work = {100, 100, 1000};
  const BlockWork work(kernel, plan_of(8, 1, 1), executed_work);
  EXPECT_DOUBLE_EQ(work.of(3), 1000);
  EXPECT_EQ(work.executed(3), 2u);
  EXPECT_EQ(work.executed(4), 1u) << "not the long neighbour";
  EXPECT_EQ(executed_work[work.executed(7)], 100);
}

TEST(BlockSchedule, BlocksThatTakeTheirWorkHaveEqualShares) {
  ExecutedKernel kernel = executed({0, 1});
  kernel.lengths = {9000, 10, 10, 10};
  kernel.is_work_taken = true;
  const std::vector<double> executed_work = {9000, 10};
  const BlockWork work(kernel, plan_of(4, 1, 1), executed_work);
  EXPECT_DOUBLE_EQ(work.of(0), 9030.0 / 4);
  EXPECT_DOUBLE_EQ(work.of(3), 9030.0 / 4);
  EXPECT_EQ(work.executed(3), 0u);
}

}  // namespace
}  // namespace tilescope::model
