#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// The addresses of a problem's tensors, on a GPU or in the interpreter. Q and O [B, Hq, Sq, D], K and V [B, Hkv, Sk,
/// D], LSE [B, Hq, Sq] in float; all contiguous. For a kernel that computes scores O is [B, Hq, Sq, Sk].
struct TensorAddresses {
  std::uint64_t q = 0, k = 0, v = 0, o = 0, lse = 0;
  /// In the order of scratch_bytes.
  std::vector<std::uint64_t> scratch;
};

/// The sizes of the scratch memories that a kernel needs, in the order of its arguments. [B] Throws DeclarationError.
std::vector<std::int64_t> scratch_bytes(const KernelDeclaration& kernel, const Configuration& complete,
                                        const Shape& shape, const DeviceModel& device);

/// The bytes of each argument in a kernel's declaration: AttentionProblem for our own kernels, pointers and numbers for
/// a foreign one. Throws DeclarationError for a number that its type cannot represent.
std::vector<std::vector<std::byte>> kernel_arguments(const KernelDeclaration& kernel,
                                                     const Configuration& complete, const Shape& shape,
                                                     const DeviceModel& device,
                                                     const TensorAddresses& tensors);

}  // namespace tilescope
