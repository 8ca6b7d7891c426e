#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"

namespace tilescope {

/// Template kernels with arguments, as C++ writes them: "gemm<64, 8, float>".
struct LaunchedInstances {
  /// Each instance takes a compiler up to a minute: more are left out.
  static constexpr std::size_t max_instances = 8;

  std::vector<std::string> names;
  /// Distinct instances that were left out because of max_instances.
  std::size_t left_out = 0;
};

/// Instances of the template kernels of `sources` that their launches name, in the order of the launches, and then one of
/// each template kernel that none launches. A type that is not known, such as a parameter of the host's function, is
/// `unknown_type`, and float where its name is a sum's; such a number has a value that suits its name: "BLOCK_SIZE" is 256, "HEAD_DIM" 64.
/// `first`: kernels whose instances go before others.
LaunchedInstances launched_instances(const std::vector<std::shared_ptr<const CudaSource>>& sources,
                                     const std::string& unknown_type = "float",
                                     const std::vector<std::string>& first = {});

}  // namespace tilescope
