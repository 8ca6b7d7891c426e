#pragma once

#include <array>
#include <cstddef>

#include "profiler/execution/ptx/syntax.hpp"
#include "profiler/execution/simt/program.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope::ptx {

/// See simt::StoredBytes. `store` is an `st`.
std::array<std::byte, 16> stored_bytes(const Warp& warp, const Instruction& store, unsigned lane);

}  // namespace tilescope::ptx
