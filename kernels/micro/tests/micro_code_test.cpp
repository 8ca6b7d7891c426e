// The microbenchmarks compile for every architecture in every configuration that they declare, without spills.

#include "kernels/micro/tests/micro_kernel_test.hpp"

namespace tilescope {
namespace {

class MicroCode : public MicroKernelTest, public testing::WithParamInterface<const char*> {};

TEST_P(MicroCode, EveryConfigurationCompilesWithoutSpills) {
  ASSERT_FALSE(micro_kernels().empty());
  for (const KernelDeclaration& kernel : micro_kernels()) {
    for (const DataType type : kernel.dtypes) {
      Shape shape;
      shape.dtype = type;
      for (const Configuration& chosen : legal_configurations(kernel, shape)) {
        SCOPED_TRACE(kernel.name + " " + to_string(chosen));
        const CompiledKernel compiled = compile({kernel, chosen, shape}, GetParam());
        EXPECT_FALSE(compiled.cubin.empty());
        EXPECT_EQ(compiled.resources.spill_bytes, 0);
        EXPECT_EQ(compiled.resources.stack_bytes, 0);
      }
    }
  }
}

TEST_P(MicroCode, ARingCompiles) {
  const KernelDeclaration kernel = micro_kernels().front();
  EXPECT_FALSE(compile_file(kernel.source_path.parent_path() / "chase_ring.cu", "chase_ring", GetParam())
                   .cubin.empty());
}

INSTANTIATE_TEST_SUITE_P(ForEveryArchitecture, MicroCode,
                         testing::Values("sm_80", "sm_86", "sm_89", "sm_90a"),
                         [](const auto& arch) { return std::string(arch.param); });

}  // namespace
}  // namespace tilescope
