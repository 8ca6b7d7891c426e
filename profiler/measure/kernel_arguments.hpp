#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/catalogue/kernel_declaration.hpp"
#include "profiler/devices/device_model.hpp"

namespace tilescope {

/// Where the tensors of a problem lie: addresses of a GPU, or of the interpreter. Q and O [B, Hq, Sq, D], K and V
/// [B, Hkv, Sk, D], LSE [B, Hq, Sq] in float; all contiguous. Of a kernel that computes scores O is [B, Hq, Sq, Sk].
struct TensorAddresses {
  std::uint64_t q = 0, k = 0, v = 0, o = 0, lse = 0;
  std::vector<std::uint64_t> scratch;  ///< In the order of scratch_bytes.
};

/// The sizes of the scratch memories that a kernel asks for, in the order of its arguments. [B] Throws
/// DeclarationError.
std::vector<std::int64_t> scratch_bytes(const KernelDeclaration& kernel, const Configuration& complete,
                                        const Shape& shape, const DeviceModel& device);

/// The arguments of a kernel's signature as its declaration lists them, the bytes of each: AttentionProblem for our
/// own kernels, pointers and numbers for a foreign one. Throws DeclarationError for a number that its type does
/// not hold.
std::vector<std::vector<std::byte>> kernel_arguments(const KernelDeclaration& kernel,
                                                     const Configuration& complete, const Shape& shape,
                                                     const DeviceModel& device,
                                                     const TensorAddresses& tensors);

}  // namespace tilescope
