// Every rung of the catalogue against float64, in the interpreter, with the checkers for races and invalid accesses on.

#include <algorithm>
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
  const Shape shape = taken_shape(kernel, shape_of(1, 2, 1, 35, 70));
  expect_right({kernel, {}, shape, Inputs::random, TensorOrder::rows_first});
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    for (const ParameterValue& value : parameter.values) {
      if (value == parameter.default_value) continue;
      const KernelCase one{kernel, {{parameter.name, value}}, shape, Inputs::random, TensorOrder::rows_first};
      if (why_illegal(one).empty()) expect_right(one);
    }
  }
}

TEST_P(Ladder, SizesTypesAndConfigurationsDrawnAtRandomAreRight) {
  constexpr int cases_per_size = 2, max_draws = 2000;
  std::mt19937 generator(6);
  const auto draw = [&](std::size_t count) { return static_cast<std::size_t>(generator()) % count; };
  const auto draw_case = [&](std::int64_t head_size) {
    Shape shape = ragged_shapes[draw(ragged_shapes.size())];
    shape.D = head_size;
    shape.dtype = kernel.dtypes[draw(kernel.dtypes.size())];
    shape.causal = draw(2) == 0;
    Configuration chosen;
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      chosen[parameter.name] = parameter.values[draw(parameter.values.size())];
    }
    const TensorOrder order = draw(2) == 0 ? TensorOrder::heads_first : TensorOrder::rows_first;
    return KernelCase{kernel, chosen, shape, Inputs::random, order};
  };
  std::size_t sizes_taken = 0;
  for (const std::int64_t size : {32, 64, 96, 128, 256}) {
    int checked = 0;
    for (int draws = 0; draws < max_draws && checked < cases_per_size; ++draws) {
      const KernelCase one = draw_case(size);
      if (!why_illegal(one).empty()) continue;
      expect_right(one);
      ++checked;
    }
    sizes_taken += checked > 0 ? 1 : 0;
  }
  EXPECT_GE(sizes_taken, takes_every_head_size(kernel) ? 5U : 1U);
}

TEST_P(Ladder, AdversarialInputsAreRight) {
  int checked = 0;
  for (const DataType type : kernel.dtypes) {
    for (const bool causal : {false, true}) {
      // Every other row of the second shape sees no key, or some of the first, when causal.
      for (const Shape& wanted :
           {shape_of(2, 2, 1, 45, 70, 64, type, causal), shape_of(1, 2, 2, 70, 45, 64, type, causal)}) {
        const Shape shape = taken_shape(kernel, wanted);
        if (!why_illegal({kernel, {}, shape}).empty()) continue;
        for (const Inputs inputs :
             {Inputs::large, Inputs::dominant, Inputs::equal, Inputs::denormal, Inputs::infinite}) {
          if (inputs == Inputs::infinite && !causal) continue;
          expect_right({kernel, {}, shape, inputs, TensorOrder::rows_first});
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 0);
}

TEST_P(Ladder, AnOddHeadSizeIsRightOrRefusedInTheWordsOfTheFile) {
  const KernelCase odd{kernel, {}, shape_of(1, 2, 2, 40, 40, 80)};
  const std::string why = why_illegal(odd);
  if (why.empty()) return expect_right(odd);
  const auto says_it = [&](const Constraint& constraint) { return constraint.text == why; };
  EXPECT_TRUE(std::any_of(kernel.constraints.begin(), kernel.constraints.end(), says_it)) << why;
  if (takes_every_head_size(kernel)) {
    EXPECT_NE(why.find("D = 32, 64, 96, 128 or 256"), std::string::npos) << why;
  }
}

INSTANTIATE_TEST_SUITE_P(Rungs, Ladder, testing::ValuesIn(attention_kernels(KernelRole::rung)), test_name);

class LadderTop : public KernelTest {};

// Warps that share rows and split the keys merge their results; adversarial inputs test that path as well.
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
