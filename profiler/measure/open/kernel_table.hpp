#pragma once

#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/disassembly.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// Kernels of a cubin as their machine code shows them before any launch. Occupancy is for the block that a kernel must
/// be launched with, or at most, else for 256 threads.
std::vector<OpenedKernel> kernel_table(const sass::Cubin& cubin, const sass::Disassembly& code,
                                       const DeviceModel& device);

/// Loops of a function: each jump to an earlier instruction ends one. The largest first.
std::vector<CodeLoop> loops_of(const sass::Disassembly& code, const sass::Function& function);

}  // namespace tilescope
