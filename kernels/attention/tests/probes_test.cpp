#include <gtest/gtest.h>

#include "kernels/attention/tests/kernel_test.hpp"

// Step builds: their probes name values and change no result.
namespace tilescope {
namespace {

class ProbesTest : public KernelTest, public testing::WithParamInterface<std::string> {
 protected:
  // Sizes that no tile divides.
  KernelCase one(bool causal) const {
    Shape shape;
    shape.B = 1, shape.Hq = shape.Hkv = 2, shape.Sq = 70, shape.Sk = 131, shape.D = 64, shape.causal = causal;
    return {kernel_, {}, taken_shape(kernel_, shape)};
  }
  CompiledKernel step_build(const KernelCase& one) const {
    return compiler().compile_for_stepping(one.kernel, one.kernel.complete(one.chosen), one.shape, "sm_89");
  }

 private:
  const KernelDeclaration kernel_ = catalogue().find(GetParam());
};

std::vector<std::string> rungs_and_exhibits() {
  std::vector<std::string> names = attention_kernels(KernelRole::rung);
  for (const std::string& name : attention_kernels(KernelRole::exhibit)) names.push_back(name);
  return names;
}

TEST_P(ProbesTest, AStepBuildComputesTheSameBits) {
  for (const bool causal : {false, true}) {
    const KernelCase kernel = one(causal);
    SCOPED_TRACE(kernel.name());
    const CompiledKernel normal = compile(kernel), named = step_build(kernel);
    EXPECT_EQ(normal.ptx.find("tilescope.probe"), std::string::npos);
    EXPECT_NE(named.ptx.find("tilescope.probe"), std::string::npos);
    CaseLaunch one(kernel, normal, l4()), other(kernel, named, l4());
    for (std::uint64_t block = 0; block < 2; ++block) {
      one.run_block(block, simt::WarpOrder::in_turn);
      other.run_block(block, simt::WarpOrder::in_turn);
    }
    EXPECT_EQ(one.tensors().o.elements, other.tensors().o.elements);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ProbesTest, testing::ValuesIn(rungs_and_exhibits()), test_name);

}  // namespace
}  // namespace tilescope
