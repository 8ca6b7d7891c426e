// Every rung of the ladder against float64, in the interpreter, with the checkers for races and wild accesses on.

#include <random>

#include "kernels/attention/tests/kernel_test.hpp"

namespace tilescope {
namespace {

Shape shape_of(std::int64_t B, std::int64_t Hq, std::int64_t Hkv, std::int64_t Sq, std::int64_t Sk,
               std::int64_t D = 64, DataType dtype = DataType::fp16, bool causal = false) {
  return {B, Hq, Hkv, Sq, Sk, D, dtype, causal};
}

class Ladder : public KernelTest, public testing::WithParamInterface<std::string> {
 protected:
  const KernelDeclaration kernel = catalogue().find(GetParam());
};

// No size is a multiple of a tile; a batch, grouped heads, one query, one key, rows that see no key.
const std::vector<Shape> ragged_shapes = {shape_of(1, 1, 1, 64, 64),  shape_of(1, 2, 2, 77, 130),
                                          shape_of(1, 2, 1, 130, 77), shape_of(2, 2, 2, 33, 33),
                                          shape_of(1, 4, 2, 16, 100), shape_of(1, 1, 1, 1, 70),
                                          shape_of(1, 1, 1, 70, 1),   shape_of(1, 3, 1, 96, 160)};

TEST_P(Ladder, EveryValueOfEveryParameterIsRight) {
  const Shape shape = shape_of(1, 2, 1, 35, 70);
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    for (const ParameterValue& value : parameter.values) {
      const KernelCase one{kernel, {{parameter.name, value}}, shape, Inputs::random, TensorOrder::rows_first};
      if (why_illegal(one).empty()) expect_right(one);
    }
  }
}

TEST_P(Ladder, SizesTypesAndConfigurationsDrawnAtRandomAreRight) {
  constexpr int wanted = 10;
  std::mt19937 generator(6);
  const auto draw = [&](std::size_t count) { return static_cast<std::size_t>(generator()) % count; };
  const std::vector<std::int64_t> sizes = {32, 64, 96, 128, 256};
  for (int i = 0; i < wanted;) {
    Shape shape = ragged_shapes[draw(ragged_shapes.size())];
    shape.D = sizes[static_cast<std::size_t>(i) % sizes.size()];
    shape.dtype = draw(2) == 0 ? DataType::fp16 : DataType::bf16;
    shape.causal = draw(2) == 0;
    Configuration chosen;
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      chosen[parameter.name] = parameter.values[draw(parameter.values.size())];
    }
    const KernelCase one{kernel, chosen, shape, Inputs::random,
                         draw(2) == 0 ? TensorOrder::heads_first : TensorOrder::rows_first};
    if (!why_illegal(one).empty()) continue;
    expect_right(one);
    ++i;
  }
}

TEST_P(Ladder, AdversarialInputsAreRight) {
  for (const DataType type : {DataType::fp16, DataType::bf16}) {
    for (const bool causal : {false, true}) {
      // Every other row of the second shape sees no key, or some of the first, when causal.
      for (const Shape& shape :
           {shape_of(2, 2, 1, 45, 70, 64, type, causal), shape_of(1, 2, 2, 70, 45, 64, type, causal)}) {
        for (const Inputs inputs :
             {Inputs::large, Inputs::dominant, Inputs::equal, Inputs::denormal, Inputs::infinite}) {
          if (inputs == Inputs::infinite && !causal) continue;
          expect_right({kernel, {}, shape, inputs, TensorOrder::rows_first});
        }
      }
    }
  }
}

TEST_P(Ladder, AnOddHeadSizeIsRefusedInTheWordsOfTheFile) {
  const std::string why = why_illegal({kernel, {}, shape_of(1, 8, 8, 512, 512, 80)});
  EXPECT_EQ(why, kernel.constraints[0].text);
  EXPECT_NE(why.find("D = 32, 64, 96, 128 or 256"), std::string::npos) << why;
}

INSTANTIATE_TEST_SUITE_P(Rungs, Ladder,
                         testing::Values("naive", "tiled", "flash_scalar", "wmma_scores", "wmma_full",
                                         "mma_flash", "mma_splitkv"),
                         [](const auto& rung) { return rung.param; });

class LadderTop : public KernelTest {};

// Warps that share rows and split the keys merge what they kept; adversarial inputs meet that path as well.
TEST_F(LadderTop, WarpsAndBlocksThatSplitTheKeysAreRightForAdversarialInputs) {
  const KernelDeclaration flash = catalogue().find("mma_flash"), split = catalogue().find("mma_splitkv");
  const auto number = [](std::int64_t value) { return ParameterValue(value); };
  const Configuration by_warps = {
      {"BLOCK_M", number(32)}, {"NUM_WARPS", number(8)}, {"PERSISTENT", number(1)}};
  const Configuration by_blocks = {
      {"SPLITS", number(4)}, {"BLOCK_N", number(16)}, {"LAZY_RESCALE", number(0)}};
  const Shape shape = shape_of(1, 2, 1, 45, 130, 64, DataType::fp16, true);
  for (const Inputs inputs :
       {Inputs::large, Inputs::dominant, Inputs::equal, Inputs::denormal, Inputs::infinite}) {
    expect_right({flash, by_warps, shape, inputs, TensorOrder::rows_first});
    expect_right({split, by_blocks, shape, inputs, TensorOrder::rows_first});
  }
}

TEST_F(LadderTop, TheSwizzleIsFreeOfBankConflicts) {
  const auto expect_free = [&](const KernelCase& one) {
    SCOPED_TRACE(one.name());
    ASSERT_EQ(why_illegal(one), "");
    const MemoryCounts memory = counted(one);
    EXPECT_GT(memory.shared_wavefronts, 0);
    EXPECT_EQ(memory.shared_conflicts, 0);
  };
  const KernelDeclaration flash = catalogue().find("mma_flash");
  const Configuration small = {{"BLOCK_N", std::int64_t{16}}, {"Q_IN_REGISTERS", std::int64_t{0}}};
  for (const std::int64_t size : {32, 64, 96, 128})
    expect_free({flash, {}, shape_of(1, 2, 1, 70, 130, size)});
  for (const std::int64_t size : {32, 96, 256}) expect_free({flash, small, shape_of(1, 2, 1, 70, 130, size)});
  expect_free({catalogue().find("mma_splitkv"), {}, shape_of(1, 2, 1, 70, 130)});
}

}  // namespace
}  // namespace tilescope
