#pragma once

#include <string>
#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"

namespace tilescope {

/// Members of a structure of PyTorch's that is a tensor as a kernel's parameter: "data", "size(0)", "stride(0)". `type`: as
/// the compiler has it, at::GenericPackedTensorAccessor<float, 2ul, at::RestrictPtrTraits, int>. A TensorInfo has
/// the first dimension alone, and their number, "dims". Empty for another type.
std::vector<SourceMember> tensor_members(const std::string& type);

/// The tensor that host code makes such a structure of: "x" of "x.packed_accessor32<float, 2>()" and
/// "getTensorInfo<float, int>(x)". "" for another expression.
std::string tensor_of(const std::string& expression);

}  // namespace tilescope
