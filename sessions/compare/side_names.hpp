#pragma once

#include <span>
#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// "flash_scalar SMEM_LAYOUT=xor_swizzle (nvcc 13.0)" beside sides of another layout and compiler: the kernel and what
/// differs from another side of the same kernel. Where no other side has that kernel, all settings of a kernel of the
/// catalogue, and none of a kernel of a file.
std::string side_name(const Measurement& side, std::span<const Measurement* const> others);
std::string side_name(const Measurement& side, const Measurement& other);

/// Warns that `chosen`, the best point of a session, is of another kernel than the other side: "B, the best point of
/// tune.json, is of mma_flash, ...". `has_other`: the session has a point of the other side's kernel as well. "" where
/// both are of one kernel.
std::string other_kernel_warning(const std::string& letter, const std::string& session,
                                 const Measurement& chosen, const Measurement& other, bool has_other);

/// How two points of one kernel were made differently besides their settings, in sentences: another compiler, other
/// options, another version of a library, another driver.
std::vector<std::string> unlike_builds(const Measurement& a, const Measurement& b);

}  // namespace tilescope
