#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

/// Checks whether the blocks of a grid write the whole result, as far as a sample of them shows.
namespace tilescope {

/// The elements that the blocks of a sample wrote. Blocks of one group (LaunchGeometry::block_group) count as one.
struct Coverage {
  /// Estimate for the whole grid: the elements of each group times its weight.
  double elements = 0;
  /// Two groups wrote the same element.
  bool overlaps = false;
};
/// `beside` are further blocks without weight, run to show overlaps.
Coverage coverage_of(const std::vector<SampledBlock>& blocks, const std::vector<BlockWrites>& writes,
                     const std::vector<BlockWrites>& beside, const LaunchGeometry& geometry);
/// Whether the grid writes each of `total` elements once, if the sample is representative.
bool adds_up(const Coverage& coverage, std::int64_t total);

/// The elements that any of the blocks wrote, joined.
std::vector<ElementRange> union_of(const std::vector<BlockWrites>& writes);

/// The first group of blocks of the grid and its neighbours along x, y and z, without the blocks of `known`.
/// If two of them write the same elements, blocks of another head, batch or tile do not write another part of
/// the result. A sample may not show this, since its blocks need not differ along only one axis.
std::vector<SampledBlock> neighbour_blocks(const LaunchGeometry& geometry,
                                           const std::vector<BlockWrites>& known);

/// The groups of blocks at the corners of the grid, where the work of a ragged axis differs, and `count` more (all if
/// there are not more), drawn at random with a fixed seed.
std::vector<SampledBlock> other_blocks(const LaunchGeometry& geometry, std::int64_t count);

/// Whether the sample represents the grid: whether each group of `others` wrote as many elements as expected from the
/// groups of the sample, linearly between the x that ran.
bool predicts(const std::vector<BlockWrites>& sample, const std::vector<BlockWrites>& others,
              const LaunchGeometry& geometry);

}  // namespace tilescope
