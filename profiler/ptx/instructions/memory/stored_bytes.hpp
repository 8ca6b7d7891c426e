#pragma once

#include <array>
#include <cstddef>

#include "profiler/ptx/program.hpp"
#include "profiler/ptx/warp.hpp"

namespace tilescope::ptx {

/// The bytes that `lane` is about to store, for an observer that sees an access before it happens. `store` is an `st`.
/// Bytes after those of the access are 0.
std::array<std::byte, 16> stored_bytes(const Warp& warp, const Instruction& store, unsigned lane);

}  // namespace tilescope::ptx
