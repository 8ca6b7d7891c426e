#include "profiler/kernels/catalogue/tiles.hpp"

#include <gtest/gtest.h>

#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

class Tiles : public testing::Test {
 protected:
  KernelDeclaration kernel =
      Catalogue(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels").find("flash_scalar");
  std::vector<DeviceModel> tables =
      load_device_tables(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "assets/devices");
  const DeviceModel& l4 = *match_device(tables, "NVIDIA L4");
  Shape shape;

  std::vector<TileRange> ranges(const Configuration& chosen = {}) const {
    return tile_places(kernel, kernel.complete(chosen), shape, l4);
  }
  std::string error() const {
    try {
      ranges();
    } catch (const DeclarationError& failure) {
      return failure.what();
    }
    return "";
  }
};

TEST_F(Tiles, LieOneBehindTheOther) {
  const auto tiles = ranges({{"BLOCK_M", std::int64_t{32}}, {"BLOCK_N", std::int64_t{64}}});
  EXPECT_EQ(tiles, (std::vector<TileRange>{{"K", 0, 8192},
                                           {"V", 8192, 8192},
                                           {"Q", 16384, 4096},
                                           {"O", 20480, 8192},
                                           {"row_max", 28672, 128},
                                           {"row_sum", 28800, 128}}))
      << "and none of the reduction's, which this configuration does not need";
  EXPECT_EQ(ranges({{"REDUCE", std::string("shared")}}).back(), (TileRange{"reduction", 28928, 1024}));
}

TEST_F(Tiles, FillTheSharedMemoryOfEveryConfiguration) {
  int legal = 0;
  for (const Configuration& configuration : expand_grid(
           kernel, {},
           {{"BLOCK_M", {}}, {"BLOCK_N", {}}, {"NUM_WARPS", {}}, {"VEC_WIDTH", {}}, {"SMEM_LAYOUT", {}}})) {
    if (!why_invalid(kernel, configuration, shape, l4).empty()) continue;
    const auto tiles = ranges(configuration);
    const std::int64_t shared = launch_geometry(kernel, configuration, shape, l4).dynamic_shared_bytes;
    ASSERT_EQ(tiles.back().offset + tiles.back().bytes, shared) << to_string(configuration);
    ++legal;
  }
  EXPECT_GT(legal, 300);
}

TEST_F(Tiles, AnOffsetOfItsOwnIsWhereATileLies) {
  kernel.tiles = {{"Q", "64", "128"}, {"S", "32", ""}, {"overlay", "64", "0"}};
  EXPECT_EQ(ranges(), (std::vector<TileRange>{{"Q", 128, 64}, {"S", 192, 32}, {"overlay", 0, 64}}));
}

TEST_F(Tiles, WhatCannotBeIsASentenceWithItsPlace) {
  kernel.tiles = {{"Q", "64", ""}, {"S", "SHARED_BYTES", ""}};
  EXPECT_NE(error().find("/tiles/1: 'S' ends at byte"), std::string::npos) << error();
  kernel.tiles = {{"Q", "64 +", ""}};
  EXPECT_NE(error().find("/tiles/0: '64 +'"), std::string::npos) << error();
  kernel.tiles = {{"Q", "64", "0 - 4"}};
  EXPECT_NE(error().find("not a whole number"), std::string::npos) << error();
}

}  // namespace
}  // namespace tilescope
