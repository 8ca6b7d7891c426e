#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/devices/launch_geometry.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// Why a configuration cannot run, or "" when it can: the one judge of it, for sliders, sweeps and the worker.
/// Parameters that are left out take their default. Checked without compiling: the shape is sound, the dtype is one of
/// the kernel's, every value is declared, the constraints hold and can be evaluated, the block fits the device (threads, shared memory
/// up to its opt-in limit, a grid of one block to CUDA's limit; not asked of a kernel that a library launches).
std::string why_invalid(const KernelDeclaration& kernel, const Configuration& chosen, const Shape& shape,
                        const DeviceModel& device);

/// Grid, block and dynamic shared memory, of a kernel that no library launches. Throws DeclarationError when an
/// expression cannot be evaluated, or the grid is not a whole number of the declared groups of blocks.
LaunchGeometry launch_geometry(const KernelDeclaration& kernel, const Configuration& complete,
                               const Shape& shape, const DeviceModel& device);

/// The grid of configurations over the parameters `vary` (each with its values; empty for all declared ones), the
/// others as in `base`, in the order of the declaration. Contains valid and invalid ones; the caller filters them.
std::vector<Configuration> expand_grid(
    const KernelDeclaration& kernel, const Configuration& base,
    const std::vector<std::pair<std::string, std::vector<ParameterValue>>>& vary);

}  // namespace tilescope
