#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::model {

/// The SMs to which the first blocks of a grid go, in order: as many of `blocks` as `sms` SMs hold with `resident` blocks each.
/// A grid that fits is spread evenly.
///
/// Compute capability 9.0: as two H200 (132 SMs) handed out some 300 grids (hardware/block_order.cu). Two blocks in a row go
/// to the two SMs of a TPC, and TPCs take turns, but 8 SMs have four turns while the others have three. So blocks that
/// share an SM are not a fixed distance apart. SMs are numbered by their first turn. Other GPUs: each SM in turn, assumed.
std::vector<std::uint32_t> sm_order(int architecture, std::size_t sms, std::size_t resident,
                                    std::uint64_t blocks);

}  // namespace tilescope::model
