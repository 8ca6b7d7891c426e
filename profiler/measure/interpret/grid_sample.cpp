#include "profiler/measure/interpret/grid_sample.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tilescope {
namespace {

// About a second of two cores.
constexpr double most_sampled_instructions = 6e6;
constexpr double most_sampled_bytes = 192e6;
constexpr std::uint64_t fewest_blocks = 5;
// The fractions of its multiples lie evenly, and near no multiple of a grid's width.
constexpr double golden_ratio = 0.6180339887498949;

std::set<std::uint64_t> blocks_for_themselves(const simt::Dimensions& grid) {
  const std::uint64_t row = grid.x, plane = row * grid.y;
  std::set<std::uint64_t> blocks = {0, grid.count() - 1};
  if (grid.x > 1) blocks.insert(1);
  if (grid.y > 1) blocks.insert(row);
  if (grid.z > 1) blocks.insert(plane);
  return blocks;
}

std::uint64_t blocks_to_run(const simt::Dimensions& grid, const BlockCost& cost, std::uint64_t asked) {
  if (asked != 0) return asked;
  const auto count = static_cast<double>(grid.count());
  const double blocks = std::min(most_sampled_instructions / std::max(cost.instructions, 1.0),
                                 most_sampled_bytes / std::max(cost.bytes, 1.0));
  return blocks >= count ? grid.count() : std::max(fewest_blocks, static_cast<std::uint64_t>(blocks));
}

}  // namespace

std::vector<SampledBlock> sample_of_grid(const simt::Dimensions& grid, const BlockCost& cost,
                                         std::uint64_t asked) {
  const std::uint64_t count = grid.count();
  const std::uint64_t wanted = blocks_to_run(grid, cost, asked);
  const std::set<std::uint64_t> fixed = blocks_for_themselves(grid);
  if (wanted >= count || fixed.size() >= count) return {};
  std::vector<SampledBlock> sample;
  sample.reserve(fixed.size());
  for (const std::uint64_t block : fixed) sample.push_back({block, 1});
  const std::uint64_t others = count - fixed.size();
  const std::uint64_t runs = std::clamp<std::uint64_t>(wanted - std::min(wanted, fixed.size()), 1, others);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const std::uint64_t first = others * run / runs, end = others * (run + 1) / runs;
    double ignored = 0;
    const double place = std::modf(golden_ratio * static_cast<double>(run + 1), &ignored);
    std::uint64_t index = first + static_cast<std::uint64_t>(place * static_cast<double>(end - first));
    for (const std::uint64_t block : fixed) index += index >= block ? 1 : 0;
    sample.push_back({index, static_cast<double>(end - first)});
  }
  std::ranges::sort(sample, {}, &SampledBlock::index);
  return sample;
}

}  // namespace tilescope
