#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// The expected warp instructions of one block of an attention kernel, estimated from its shape: four for every 32
/// multiply-adds of the two products, as in a kernel with scalar FMAs (one with tensor cores takes fewer). It
/// determines the number of blocks of an automatic choice, so it must not depend on the machine.
double expected_block_instructions(const Shape& shape, const LaunchGeometry& geometry);

/// The blocks to run, and how many blocks each one represents.
///
/// Blocks of one x do the same work in every (y, z), and along x the work is assumed to be piecewise linear between the
/// x that run. This holds when queries are tiled along x: exactly without a causal mask, within a few percent with one.
/// The first and the last x always run, in an automatic choice with their neighbours, since a block at one of the ends
/// may have fewer queries. Each x runs at another (y, z), so that a wrong head or batch shows. An automatic choice runs
/// as many blocks as about 1.2 million expected warp instructions allow, at least four x and, when causal, three pairs
/// of neighbours; a smaller grid is run whole. A given number of blocks is run exactly.
///
/// Blocks that produce one result together (LaunchGeometry::block_group) are run together or not at all: read "group"
/// for "block" above. A number of blocks is rounded up to whole groups.
///
/// Returns nothing when all blocks are run.
std::vector<SampledBlock> sample_blocks(const BlockChoice& choice, const Shape& shape,
                                        const LaunchGeometry& geometry);

}  // namespace tilescope
