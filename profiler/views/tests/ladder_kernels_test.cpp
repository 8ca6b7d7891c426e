#include "profiler/views/points/ladder_kernels.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

KernelDeclaration declared(const char* name, KernelRole role, int rung = 0) {
  KernelDeclaration kernel;
  kernel.name = name;
  kernel.role = role;
  kernel.rung = rung;
  return kernel;
}

TEST(LadderKernels, TakePartAsTheirRoleSays) {
  const LadderKernels kernels = ladder_kernels(
      {declared("tiled", KernelRole::rung, 2), declared("cudnn", KernelRole::baseline),
       declared("missing_barrier", KernelRole::exhibit), declared("clock", KernelRole::micro)});
  const LadderKernels expected{{"tiled", {LadderKernel::Role::rung, 2}},
                               {"cudnn", {LadderKernel::Role::baseline, 0}},
                               {"missing_barrier", {LadderKernel::Role::left_out, 0}},
                               {"clock", {LadderKernel::Role::left_out, 0}}};
  EXPECT_EQ(kernels, expected);
}

}  // namespace
}  // namespace tilescope
