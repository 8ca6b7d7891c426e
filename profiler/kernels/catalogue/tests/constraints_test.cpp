#include "profiler/kernels/catalogue/constraints.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/expression.hpp"

namespace tilescope {
namespace {

class FlashScalar : public testing::Test {
 protected:
  KernelDeclaration kernel =
      Catalogue(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels").find("flash_scalar");
  std::vector<DeviceModel> tables =
      load_device_tables(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "assets/devices");
  const DeviceModel& l4 = *match_device(tables, "NVIDIA L4");
  Shape shape;

  std::string why(Configuration chosen) const {
    return why_invalid(kernel, kernel.complete(chosen), shape, l4);
  }
  static ParameterValue number(std::int64_t value) { return value; }
};

TEST_F(FlashScalar, DefaultsAreLegal) {
  EXPECT_EQ(why({}), "");
}

TEST_F(FlashScalar, RowsDivideOverWarps) {
  EXPECT_EQ(why({{"BLOCK_M", number(8)}, {"NUM_WARPS", number(16)}}), kernel.constraints[1].text);
}

TEST_F(FlashScalar, ANumberThatNoConstraintForbidsButNoValueDeclares) {
  EXPECT_EQ(why({{"BLOCK_N", number(48)}}), "BLOCK_N = 48 is not one of 16, 32, 64, 128");
}

// 63 is not a multiple of the default NUM_WARPS either, which was not set.
TEST_F(FlashScalar, AnUndeclaredValueIsBlamedBeforeAConstraintThatItBreaks) {
  EXPECT_EQ(why({{"BLOCK_M", number(63)}}), "BLOCK_M = 63 is not one of 8, 16, 32, 64, 128");
}

TEST_F(FlashScalar, SharedMemoryReachesTheOptInLimitAndNotBeyond) {
  // BLOCK_M 128, BLOCK_N 64, D 64: K and V 8,192 B each, Q 16,384, O 32,768, maxima and sums 1,024: over 48 KB, but
  // valid.
  const Configuration large{
      {"BLOCK_M", number(128)}, {"BLOCK_N", number(64)}, {"SMEM_LAYOUT", std::string("row_major")}};
  EXPECT_EQ(why(large), "");
  EXPECT_EQ(launch_geometry(kernel, kernel.complete(large), shape, l4).dynamic_shared_bytes, 66560);
  shape.D = 128;
  EXPECT_EQ(why({{"BLOCK_M", number(128)}, {"BLOCK_N", number(128)}}), kernel.constraints[2].text);
}

TEST_F(FlashScalar, ShapesItCannotTake) {
  shape.D = 80;
  EXPECT_EQ(why({}), kernel.constraints[0].text);
  shape = {};
  shape.Hkv = 3;
  EXPECT_NE(why({}), "");
  shape = {};
  shape.B = 70000;
  EXPECT_NE(why({}).find("grid"), std::string::npos);
}

TEST_F(FlashScalar, GridCoversRaggedQueries) {
  shape.Sq = 65;
  const LaunchGeometry geometry = launch_geometry(
      kernel, kernel.complete({{"BLOCK_M", number(64)}, {"NUM_WARPS", number(4)}}), shape, l4);
  EXPECT_EQ(geometry.grid_x, 2);
  EXPECT_EQ(geometry.grid_y, 8);
  EXPECT_EQ(geometry.threads, 128);
}

TEST_F(FlashScalar, GridExpandsInTheOrderOfTheDeclaration) {
  const auto grid = expand_grid(kernel, {{"VEC_WIDTH", number(4)}},
                                {{"BLOCK_N", {}}, {"BLOCK_M", {number(8), number(16)}}});
  ASSERT_EQ(grid.size(), 8u);
  EXPECT_EQ(std::get<std::int64_t>(grid[0].at("BLOCK_M")), 8);
  EXPECT_EQ(std::get<std::int64_t>(grid[1].at("BLOCK_N")), 32);
  EXPECT_EQ(std::get<std::int64_t>(grid[7].at("VEC_WIDTH")), 4);
}

TEST_F(FlashScalar, ExpressionsThatCannotBeEvaluatedSayWhy) {
  const Scope scope(kernel, kernel.complete({}), shape, l4);
  EXPECT_EQ(scope.evaluate("7 % 4 + ceil_div(5, 2)"), 6);
  EXPECT_EQ(scope.evaluate("SMEM_LAYOUT == xor_swizzle && CAUSAL == 0"), 1);
  EXPECT_THROW(scope.evaluate("BLOCK_Z + 1"), ExpressionError);
  EXPECT_THROW(scope.evaluate("BLOCK_M = 32"), ExpressionError);
  EXPECT_THROW(scope.evaluate_count("1 / 3"), ExpressionError);
  EXPECT_THROW(scope.evaluate_count("0 - 1"), ExpressionError);
  EXPECT_THROW(scope.evaluate_count("1 / 0"), ExpressionError);
}

TEST_F(FlashScalar, AGridWithoutABlockIsInvalidAsANegativeOneIs) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    KernelDeclaration changed = kernel;
    for (const char* none : {"0", "B - B", "floor_div(1, 2)", "0 * Hq"}) {
      changed.grid[axis] = none;
      EXPECT_NE(why_invalid(changed, {}, shape, l4).find("at least 1 x 1 x 1"), std::string::npos) << none;
    }
    for (const char* wrong :
         {"-1", "0.5", "B - 2", "1 / 0", "0 / 0", "ceil_div(Sq, 0)", "2^2000", "-(1 / 0)"}) {
      changed.grid[axis] = wrong;
      EXPECT_NE(why_invalid(changed, {}, shape, l4).find("launch geometry"), std::string::npos) << wrong;
    }
  }
}

TEST_F(FlashScalar, AGridBeyondTheLimitsOfCudaIsInvalid) {
  const std::array<std::string, 3> beyond{"2147483648", "65536", "65536"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    KernelDeclaration changed = kernel;
    changed.grid[axis] = beyond[axis];
    EXPECT_NE(why_invalid(changed, {}, shape, l4).find("at most 2147483647"), std::string::npos);
    changed.grid[axis] = "9007199254740992";
    EXPECT_NE(why_invalid(changed, {}, shape, l4).find("at most 2147483647"), std::string::npos);
  }
}

TEST_F(FlashScalar, ABlockWithoutThreadsOrWithTooManyIsInvalid) {
  for (const char* threads :
       {"0", "-32", "1025", "NUM_WARPS - NUM_WARPS", "32 / 0", "0.25", "9007199254740992"}) {
    kernel.threads = threads;
    EXPECT_NE(why({}), "") << threads;
  }
  kernel.threads = "1024";
  EXPECT_EQ(why({}), "");
}

TEST_F(FlashScalar, SharedMemoryThatIsNegativeFractionalOrUnboundedIsInvalid) {
  for (const char* bytes : {"-16", "0.5", "1 / 0", "0 / 0", "4503599627370496", "2^1024"}) {
    kernel.dynamic_shared_bytes = bytes;
    EXPECT_NE(why({}), "") << bytes;
  }
}

TEST_F(FlashScalar, AConstraintThatDividesByZeroDoesNotHold) {
  for (const char* undefined : {"1 / 0", "BLOCK_M % 0", "ceil_div(Sq, BLOCK_M - BLOCK_M)", "2^4000"}) {
    kernel.constraints = {{undefined, "the constraint"}};
    EXPECT_NE(why({}).find("divides by zero or overflows"), std::string::npos) << undefined;
  }
}

class SplitKeys : public FlashScalar {
 protected:
  SplitKeys() {
    kernel = Catalogue(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels").find("mma_splitkv");
  }
};

TEST_F(SplitKeys, BlocksOfARowAreAGroupAlongX) {
  shape.B = shape.Hq = shape.Hkv = 1;
  shape.Sq = 33;
  const LaunchGeometry eight = launch_geometry(kernel, kernel.complete({{"SPLITS", number(8)}}), shape, l4);
  EXPECT_EQ(eight.block_group, 8);
  EXPECT_EQ(eight.grid_x, 2 * 8);
  // 58 SMs hold 116 blocks: 58 for each of two tiles of rows, of which 16 are the most, and 512 keys are 16 tiles.
  EXPECT_EQ(launch_geometry(kernel, kernel.complete({}), shape, l4).block_group, 16);
  EXPECT_EQ(FlashScalar::why({}), "");
}

TEST_F(SplitKeys, AGridIsAWholeNumberOfGroups) {
  for (const char* wrong : {"5", "0"}) {
    kernel.grid[0] = "8";
    kernel.block_group = wrong;
    try {
      launch_geometry(kernel, kernel.complete({}), shape, l4);
      FAIL() << "groups of " << wrong << " were accepted";
    } catch (const DeclarationError& error) {
      EXPECT_NE(std::string(error.what()).find("does not divide the 8 blocks along x"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tilescope
