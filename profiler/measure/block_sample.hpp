#pragma once

#include <cstdint>
#include <vector>

#include "profiler/catalogue/constraints.hpp"
#include "profiler/memory/trace.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// Warp instructions that one block of an attention kernel takes, as far as its shape says: four for every 32
/// multiply-adds of the two products, as in a kernel of scalar FMAs (one of tensor cores takes fewer). It decides how
/// many blocks an automatic choice has, so it must not depend on the machine.
double expected_block_instructions(const Shape& shape, const LaunchGeometry& geometry);

/// The blocks to run and how many each stands for.
///
/// Blocks of one x do the same work in every (y, z), and along x the work is taken as piecewise linear between the x
/// that are run: so it is when queries are tiled along x, without a causal mask exactly, with one within some percent. The
/// first and the last x are always run, by an automatic choice with the ones beside them, since a block at one of the ends
/// may have fewer queries; each x that is run is run at another (y, z), so that a wrong head or batch shows. An automatic
/// choice runs as many as about 1.2 million expected warp instructions allow, at least four x and, when causal, three pairs
/// of neighbours; a grid that is smaller than that is run whole. A number of blocks runs exactly so many.
///
/// Blocks that make one result together (LaunchGeometry::block_group) are run together or not at all: above, read "group"
/// for "block", and a number of blocks is rounded up to whole groups.
///
/// Empty when all blocks are run.
std::vector<SampledBlock> sample_blocks(const BlockChoice& choice, const Shape& shape,
                                        const LaunchGeometry& geometry);

}  // namespace tilescope
