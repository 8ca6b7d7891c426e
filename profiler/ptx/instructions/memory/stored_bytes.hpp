#pragma once

#include <array>
#include <cstddef>

#include "profiler/ptx/syntax.hpp"
#include "profiler/simt/program.hpp"
#include "profiler/simt/warp.hpp"

namespace tilescope::ptx {

/// See simt::StoredBytes. `store` is an `st`.
std::array<std::byte, 16> stored_bytes(const Warp& warp, const Instruction& store, unsigned lane);

}  // namespace tilescope::ptx
