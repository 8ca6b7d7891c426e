#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/catalogue/constraints.hpp"
#include "profiler/memory/trace.hpp"

/// Whether the blocks of a grid write the whole result, as far as a sample of them shows.
namespace tilescope {

/// What the blocks of a sample wrote together. Blocks of one group (LaunchGeometry::block_group) count as one.
struct Coverage {
  double elements = 0;    ///< Of the whole grid: those of each group times its weight.
  bool overlaps = false;  ///< Two groups wrote one element.
};
/// `beside` ran without weight, to show overlaps.
Coverage coverage_of(const std::vector<SampledBlock>& blocks, const std::vector<BlockWrites>& writes,
                     const std::vector<BlockWrites>& beside, const LaunchGeometry& geometry);
/// Whether the grid writes each of `total` elements once, if the sample stands for it.
bool adds_up(const Coverage& coverage, std::int64_t total);

/// Elements that any of the blocks wrote, joined.
std::vector<ElementRange> union_of(const std::vector<BlockWrites>& writes);

/// The first group of blocks of the grid and those beside it along x, y and z, without those of `known`: two of them that
/// write the same elements show that blocks of another head, batch or tile do not write another part of the result. Which
/// a sample does not show: no two of its blocks need differ along one axis only.
std::vector<SampledBlock> neighbour_blocks(const LaunchGeometry& geometry,
                                           const std::vector<BlockWrites>& known);

/// The groups of blocks at the corners of the grid, where the work of a ragged axis differs, and `count` more (all where
/// there are no more), drawn at random with a fixed seed.
std::vector<SampledBlock> other_blocks(const LaunchGeometry& geometry, std::int64_t count);

/// Whether `others` wrote as many elements, group by group, as the groups of the sample let expect, linearly between the x
/// that were run: whether the sample stands for the grid.
bool predicts(const std::vector<BlockWrites>& sample, const std::vector<BlockWrites>& others,
              const LaunchGeometry& geometry);

}  // namespace tilescope
