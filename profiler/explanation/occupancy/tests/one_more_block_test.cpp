#include "profiler/explanation/occupancy/one_more_block.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "profiler/explanation/occupancy/tests/occupancy_fixture.hpp"

namespace tilescope {
namespace {

using test_support::make_needs;

/// Every smaller amount, one after the other.
std::optional<std::int64_t> by_brute_force(const DeviceModel& device, const BlockNeeds& needs,
                                           BlockQuantity quantity) {
  const std::int64_t now = occupancy_of(device, needs).blocks_per_sm;
  for (std::int64_t amount = needs.amount(quantity) - 1; amount >= smallest_amount(quantity); --amount) {
    if (occupancy_with(device, needs, quantity, amount).blocks_per_sm > now) return amount;
  }
  return std::nullopt;
}

const BlockSaving* saving_of(const OneMoreBlock& next, BlockQuantity quantity) {
  for (const BlockSaving& saving : next.savings) {
    if (saving.changes.size() == 1 && saving.changes.front().quantity == quantity) return &saving;
  }
  return nullptr;
}

const BlockSaving* both_of(const OneMoreBlock& next) {
  for (const BlockSaving& saving : next.savings) {
    if (saving.changes.size() == 2) return &saving;
  }
  return nullptr;
}

TEST(OneMoreBlock, EachQuantityAloneIsAsBruteForceFindsItOnEveryDevice) {
  std::mt19937 random(3);
  for (const DeviceModel& device : test_support::shipped_tables()) {
    for (int i = 0; i < 20; ++i) {
      const BlockNeeds needs = test_support::random_needs(random, device);
      const OneMoreBlock next = one_more_block(device, needs);
      if (!next.impossible.empty()) continue;
      for (const BlockQuantity quantity : block_quantities) {
        const std::optional<std::int64_t> exact = by_brute_force(device, needs, quantity);
        const BlockSaving* saving = saving_of(next, quantity);
        ASSERT_EQ(saving != nullptr, exact.has_value()) << device.name << ", " << to_words(quantity);
        if (saving == nullptr) continue;
        EXPECT_EQ(saving->changes.front().to, *exact) << device.name << ", " << to_words(quantity);
        EXPECT_EQ(saving->changes.front().from, needs.amount(quantity));
        EXPECT_EQ(saving->occupancy, occupancy_with(device, needs, quantity, *exact));
      }
    }
  }
}

// With one register or one 128 B of shared memory more than promised, nothing is gained.
TEST(OneMoreBlock, WhereNeitherAloneHelpsBothTogetherDoAndNoLess) {
  std::mt19937 random(4);
  int found = 0;
  for (const DeviceModel& device : test_support::shipped_tables()) {
    for (int i = 0; i < 400; ++i) {
      const BlockNeeds needs = test_support::random_needs(random, device);
      const OneMoreBlock next = one_more_block(device, needs);
      const BlockSaving* both = both_of(next);
      if (both == nullptr) continue;
      ++found;
      EXPECT_EQ(saving_of(next, BlockQuantity::registers), nullptr);
      EXPECT_EQ(saving_of(next, BlockQuantity::shared_memory), nullptr);
      const std::int64_t registers = both->changes[0].to;
      const std::int64_t bytes = both->changes[1].to;
      const auto blocks = [&](std::int64_t r, std::int64_t b) {
        return occupancy_of(device,
                            needs.with(BlockQuantity::registers, r).with(BlockQuantity::shared_memory, b))
            .blocks_per_sm;
      };
      EXPECT_EQ(blocks(registers, bytes), both->occupancy.blocks_per_sm);
      EXPECT_GT(blocks(registers, bytes), next.now.blocks_per_sm);
      EXPECT_EQ(blocks(registers + 1, bytes), next.now.blocks_per_sm);
      EXPECT_EQ(blocks(registers, bytes + 1), next.now.blocks_per_sm);
    }
  }
  EXPECT_GT(found, 10) << "the random blocks never needed both";
}

class OneMoreBlockOnTheL4 : public ::testing::Test {
 protected:
  OneMoreBlock next(const BlockNeeds& needs) const {
    return one_more_block(*match_device(tables_, "L4"), needs);
  }
  std::vector<DeviceModel> tables_ = test_support::shipped_tables();
};

// Registers are given in units of 8 per thread: 65,536 / (3 * 256) = 85, so 80.
TEST_F(OneMoreBlockOnTheL4, RegistersAreSavedInTheUnitsInWhichTheyAreGiven) {
  const OneMoreBlock found = next(make_needs(100, 0, 0, 256));
  EXPECT_EQ(found.now.blocks_per_sm, 2);
  const BlockSaving* saving = saving_of(found, BlockQuantity::registers);
  ASSERT_NE(saving, nullptr);
  EXPECT_EQ(saving->changes.front().to, 80);
  EXPECT_EQ(saving->occupancy.blocks_per_sm, 3);
  EXPECT_EQ(one_more_sentence(found), "One more block per SM: save 20 registers per thread (100 to 80).");
  ASSERT_EQ(found.refusals.size(), 1u);
  EXPECT_EQ(
      found.refusals.front(),
      "Less shared memory per block alone does not help: registers limit residency to 2 blocks per SM.");
  const std::vector<SavingRow> rows = saving_rows(found);
  EXPECT_EQ(rows[0].occupancy, "33.3 %");
  EXPECT_EQ(rows[1].save, "20");
  EXPECT_EQ(rows[1].occupancy, "50.0 %");
}

// 102,400 B an SM, 1,024 B of every block are the driver's, and blocks get multiples of 128 B.
TEST_F(OneMoreBlockOnTheL4, SharedMemoryIsSavedToTheByte) {
  const OneMoreBlock found = next(make_needs(32, 0, 33200, 128));
  const BlockSaving* saving = saving_of(found, BlockQuantity::shared_memory);
  ASSERT_NE(saving, nullptr);
  EXPECT_EQ(saving->changes.front().to, 33024);
  EXPECT_EQ(one_more_sentence(found),
            "One more block per SM: save 176 B of shared memory per block (33,200 to 33,024).");
}

TEST_F(OneMoreBlockOnTheL4, AFullSmTakesOnlySmallerBlocks) {
  const OneMoreBlock found = next(make_needs(32, 0, 0, 256));
  EXPECT_EQ(one_more_sentence(found), "The SM is full of warps: only smaller blocks let another one in.");
  EXPECT_EQ(found.refusals.front(), "Fewer registers per thread alone do not help: the SM is full of warps.");
  // 7 warps still let 6 blocks in, 6 warps 8.
  const BlockSaving* smaller = saving_of(found, BlockQuantity::threads);
  EXPECT_EQ(smaller->changes.front().to, 192);
  EXPECT_EQ(smaller->occupancy.blocks_per_sm, 8);
}

TEST_F(OneMoreBlockOnTheL4, TheBlockLimitOfTheSmIsFinal) {
  const OneMoreBlock found = next(make_needs(32, 0, 0, 32));
  EXPECT_TRUE(found.savings.empty());
  EXPECT_EQ(found.impossible, "No: an SM of L4 holds at most 24 blocks, whatever they need.");
  EXPECT_NE(one_more_csv(found).find("whatever they need"), std::string::npos);
}

// 255 registers take 256 of each thread: 65,536 hold 256 threads.
TEST_F(OneMoreBlockOnTheL4, ABlockThatDoesNotFitIsToldHowItWould) {
  const OneMoreBlock found = next(make_needs(255, 0, 0, 512));
  EXPECT_EQ(found.now.blocks_per_sm, 0);
  EXPECT_EQ(saving_of(found, BlockQuantity::registers)->changes.front().to, 128);
  EXPECT_EQ(saving_of(found, BlockQuantity::threads)->changes.front().to, 256);
}

class NeedsOfAPoint : public ::testing::Test {
 protected:
  NeedsOfAPoint() {
    point_.resources = Resources{64, 512, 4096, 0, 0, ""};
    point_.occupancy = Occupancy{2, 16, 1.0 / 3, Limiter::shared_memory, 1.1, 0.1, 128};
  }
  std::vector<DeviceModel> tables_ = test_support::shipped_tables();
  const DeviceModel& l4_ = *match_device(tables_, "L4");
  Measurement point_;
};

TEST_F(NeedsOfAPoint, WithoutADeclarationTheWarpsSayTheThreads) {
  const auto needs = block_needs(point_, nullptr, l4_);
  ASSERT_TRUE(needs.has_value());
  EXPECT_EQ(needs->geometry.threads, 256);
  EXPECT_EQ(needs->amount(BlockQuantity::shared_memory), 4608);
  EXPECT_EQ(needs->geometry.blocks(), 128);
}

TEST_F(NeedsOfAPoint, ADeclarationSaysThemExactlyWhereItFits) {
  KernelDeclaration kernel;
  kernel.name = "k";
  kernel.grid = {"4", "2", "1"};
  kernel.threads = "250";
  kernel.dynamic_shared_bytes = "4096";
  const auto needs = block_needs(point_, &kernel, l4_);
  EXPECT_EQ(needs->geometry.threads, 250);
  EXPECT_EQ(needs->geometry.blocks(), 8);
  kernel.threads = "64";  // declared otherwise since the point was made
  EXPECT_EQ(block_needs(point_, &kernel, l4_)->geometry.threads, 256);
}

TEST_F(NeedsOfAPoint, WhatWasNotCompiledHasNone) {
  point_.resources.reset();
  EXPECT_FALSE(block_needs(point_, nullptr, l4_).has_value());
}

TEST_F(NeedsOfAPoint, SharedMemoryShrinksInItsDynamicPartFirst) {
  const BlockNeeds needs = *block_needs(point_, nullptr, l4_);
  const BlockNeeds less = needs.with(BlockQuantity::shared_memory, 1000);
  EXPECT_EQ(less.resources.static_shared_bytes, 512);
  EXPECT_EQ(less.geometry.dynamic_shared_bytes, 488);
  EXPECT_EQ(needs.with(BlockQuantity::shared_memory, 100).resources.static_shared_bytes, 100);
}

}  // namespace
}  // namespace tilescope
