#pragma once

#include <string>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// Text of all that the GPU gets beside the machine code and the problem: grid, threads, shared memory, scratch memories
/// and numbers among the arguments. Launches of one shape with equal texts differ in nothing but their code. Throws
/// DeclarationError when an expression cannot be evaluated.
std::string launch_identity(const KernelDeclaration& kernel, const Configuration& complete,
                            const Shape& shape, const DeviceModel& device);

}  // namespace tilescope
