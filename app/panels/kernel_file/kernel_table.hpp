#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/views/kernel_file/kernel_rows.hpp"

namespace tilescope {

/// The kernels of a file, a row each. `device` is the name of the one that the occupancy is for,
/// `chosen` an entry. Returns the entry that was clicked. Marks "kernel_file.kernel.I".
std::optional<std::string> draw_kernel_table(const std::vector<KernelRow>& kernels, const std::string& device,
                                             const std::string& chosen);

}  // namespace tilescope
