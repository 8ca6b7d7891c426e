#include "profiler/explanation/occupancy/occupancy.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

class OccupancyOfTheTables : public ::testing::Test {
 protected:
  std::vector<DeviceModel> tables =
      load_device_tables(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "assets/devices");

  Occupancy of(const std::string& device, std::int64_t registers, std::int64_t threads, std::int64_t shared,
               std::int64_t blocks = 1000) const {
    Resources resources;
    resources.registers = registers;
    LaunchGeometry geometry;
    geometry.grid_x = blocks;
    geometry.threads = threads;
    geometry.dynamic_shared_bytes = shared;
    return occupancy(*match_device(tables, "NVIDIA " + device), resources, geometry);
  }
};

TEST_F(OccupancyOfTheTables, WarpsBindASmallBlockWithFewRegisters) {
  const Occupancy result = of("L4", 32, 256, 0);
  EXPECT_EQ(result.blocks_per_sm, 6);  // 48 warps over 8
  EXPECT_EQ(result.warps_per_sm, 48);
  EXPECT_EQ(result.fraction, 1.0);
  EXPECT_EQ(result.limiter, Limiter::warps);
}

TEST_F(OccupancyOfTheTables, BlocksBindTinyBlocks) {
  const Occupancy result = of("L4", 32, 32, 0);
  EXPECT_EQ(result.blocks_per_sm, 24);
  EXPECT_EQ(result.fraction, 0.5);
  EXPECT_EQ(result.limiter, Limiter::blocks);
}

TEST_F(OccupancyOfTheTables, RegistersAreGivenInUnitsOf256PerWarp) {
  // 168 registers * 32 = 5,376 a warp: 65,536 / (8 * 5,376) = 1.5 blocks.
  const Occupancy result = of("L4", 168, 256, 0);
  EXPECT_EQ(result.blocks_per_sm, 1);
  EXPECT_EQ(result.limiter, Limiter::registers);
}

TEST_F(OccupancyOfTheTables, SharedMemoryCountsTheDriversKilobyte) {
  // 102,400 B an SM: three blocks of 33,000 + 1,024 B fit, three of 33,200 + 1,024 do not.
  EXPECT_EQ(of("L4", 32, 128, 33000).blocks_per_sm, 3);
  EXPECT_EQ(of("L4", 32, 128, 33200).blocks_per_sm, 2);
  EXPECT_EQ(of("L4", 32, 128, 33200).limiter, Limiter::shared_memory);
}

TEST_F(OccupancyOfTheTables, TheOptInLimitFitsOnceAndOneByteMoreDoesNot) {
  EXPECT_EQ(of("L4", 32, 128, 101376).blocks_per_sm, 1);
  EXPECT_EQ(of("L4", 32, 128, 101377).blocks_per_sm, 0);
  EXPECT_EQ(of("H200", 32, 128, 227 * 1024).blocks_per_sm, 1);
}

// 40 registers, or 16,000 B of shared memory, hold an SM to exactly the 6 blocks that fill it.
TEST_F(OccupancyOfTheTables, WhatAlsoRunsOutDoesNotLimitAFullSm) {
  for (const Occupancy& full : {of("L4", 40, 256, 0), of("L4", 32, 256, 16000)}) {
    EXPECT_EQ(full.fraction, 1.0);
    EXPECT_EQ(full.limiter, Limiter::warps);
  }
  EXPECT_EQ(of("L4", 41, 256, 0).limiter, Limiter::registers);
  EXPECT_EQ(of("L4", 32, 256, 17000).limiter, Limiter::shared_memory);
}

TEST_F(OccupancyOfTheTables, WavesAndTheTail) {
  // 58 SMs * 6 blocks = 348 slots.
  const Occupancy two_and_a_half = of("L4", 32, 256, 0, 870);
  EXPECT_DOUBLE_EQ(two_and_a_half.waves, 2.5);
  EXPECT_DOUBLE_EQ(two_and_a_half.tail_fraction.value(), 0.5);
  EXPECT_DOUBLE_EQ(of("L4", 32, 256, 0, 348).tail_fraction.value(), 1);
  EXPECT_EQ(of("L4", 32, 256, 0, 348).grid_blocks, 348);
}

}  // namespace
}  // namespace tilescope
