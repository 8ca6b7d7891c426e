#include "profiler/views/points/ladder_kernels.hpp"

namespace tilescope {
namespace {

LadderKernel ladder_kernel(const KernelDeclaration& kernel) {
  switch (kernel.role) {
    case KernelRole::rung:
      return {LadderKernel::Role::rung, kernel.rung};
    case KernelRole::baseline:
      return {LadderKernel::Role::baseline, 0};
    case KernelRole::exhibit:
    case KernelRole::micro:
      break;
  }
  return {LadderKernel::Role::left_out, 0};
}

}  // namespace

LadderKernels ladder_kernels(const std::vector<KernelDeclaration>& kernels) {
  LadderKernels known;
  for (const KernelDeclaration& kernel : kernels) known[kernel.name] = ladder_kernel(kernel);
  return known;
}

}  // namespace tilescope
