#include "profiler/measure/prepare/block_sample.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tilescope {
namespace {

constexpr double automatic_instructions = 1.2e6;
constexpr double instructions_per_32_multiply_adds = 4;

// `count` of the numbers 0 to size - 1, evenly spread, including the first and the last; for a count of 1 the middle
// one.
std::set<std::int64_t> spread(std::int64_t count, std::int64_t size) {
  if (count == 1) return {size / 2};
  std::set<std::int64_t> chosen;
  for (std::int64_t i = 0; i < count; ++i) chosen.insert(i * (size - 1) / (count - 1));
  return chosen;
}

// Like spread(), but each number between the ends lies at another place within its part, so that work with a period is
// seen at all places of the period.
std::set<std::int64_t> uneven_spread(std::int64_t count, std::int64_t size) {
  constexpr std::int64_t fewest = 6;  // fewer show no steps, and estimate the sum best at equal distances
  if (count < fewest) return spread(count, size);
  constexpr double golden_ratio = 0.6180339887;  // its multiples are spread evenly over 0 to 1
  const double part = static_cast<double>(size - 1) / static_cast<double>(count - 1);
  std::set<std::int64_t> chosen = {0, size - 1};
  for (std::int64_t i = 1; i + 1 < count; ++i) {
    const double place = static_cast<double>(i) - 0.5 + std::fmod(golden_ratio * static_cast<double>(i), 1.0);
    chosen.insert(static_cast<std::int64_t>(place * part));
  }
  return chosen;
}

// About `most` of the x, at least four. The block at one end may have fewer queries: the last or, if the order is
// reversed, the first. How many a full block has is unknown here. So both ends are run with the block beside them, and
// the blocks between are alike.
//
// A causal kernel's work grows in steps, by a tile of keys after every few blocks. Neighbours are run in pairs, so that
// not all of them are at the same place of a step, and the pairs at unequal distances, which no tile divides.
std::set<std::int64_t> automatic_columns(const Shape& shape, std::int64_t size, std::int64_t most) {
  const std::int64_t wanted = std::max<std::int64_t>(most, 4);
  if (size <= (shape.causal ? std::max<std::int64_t>(wanted, 6) : wanted)) return spread(size, size);
  if (!shape.causal) {
    std::set<std::int64_t> columns = {0, size - 1};
    for (const std::int64_t inner : spread(wanted - 2, size - 2)) columns.insert(inner + 1);
    return columns;
  }
  const std::set<std::int64_t> starts =
      uneven_spread(std::clamp<std::int64_t>((wanted + 1) / 2, 3, size - 1), size - 1);
  std::set<std::int64_t> columns = starts;
  for (const std::int64_t start : starts) columns.insert(start + 1);
  return columns;
}

// How many x each of the chosen ones represents: those between two of them are shared equally.
std::vector<double> column_weights(const std::vector<std::int64_t>& columns, std::int64_t size) {
  if (columns.size() == 1) return {static_cast<double>(size)};
  std::vector<double> weights(columns.size(), 1.0);
  for (std::size_t i = 1; i < columns.size(); ++i) {
    const double between = static_cast<double>(columns[i] - columns[i - 1] - 1) / 2;
    weights[i - 1] += between;
    weights[i] += between;
  }
  return weights;
}

// `count` groups of blocks over the chosen x of a grid of groups; groups of one x are at different (y, z).
std::vector<SampledBlock> groups_of(const std::set<std::int64_t>& chosen, std::int64_t count,
                                    const LaunchGeometry& geometry) {
  const std::vector<std::int64_t> columns(chosen.begin(), chosen.end());
  const std::vector<double> weights = column_weights(columns, geometry.grid_x);
  const std::int64_t rows = geometry.grid_y * geometry.grid_z;
  const auto column_count = static_cast<std::int64_t>(columns.size());
  std::vector<SampledBlock> groups;
  for (std::int64_t i = 0; i < column_count; ++i) {
    const std::int64_t here = count / column_count + (i < count % column_count ? 1 : 0);
    const auto at = static_cast<std::size_t>(i);
    for (std::int64_t k = 0; k < here; ++k) {
      // The k-th of `here` equal parts of the rows; if an x has one block, the part changes from x to x.
      const std::int64_t row =
          here == 1 && column_count > 1 ? i * (rows - 1) / (column_count - 1) : k * rows / here;
      groups.push_back({static_cast<std::uint64_t>(columns[at] + geometry.grid_x * row),
                        weights[at] * static_cast<double>(rows) / static_cast<double>(here)});
    }
  }
  std::sort(groups.begin(), groups.end(),
            [](const SampledBlock& a, const SampledBlock& b) { return a.index < b.index; });
  return groups;
}

// All blocks of the chosen groups, each with the weight of its group.
std::vector<SampledBlock> members_of(const std::vector<SampledBlock>& groups, std::int64_t group) {
  const auto size = static_cast<std::uint64_t>(group);
  std::vector<SampledBlock> blocks;
  blocks.reserve(groups.size() * size);
  for (const SampledBlock& chosen : groups) {
    for (std::uint64_t member = 0; member < size; ++member) {
      blocks.push_back({chosen.index * size + member, chosen.weight});
    }
  }
  return blocks;
}

}  // namespace

double expected_block_instructions(const Shape& shape, const LaunchGeometry& geometry) {
  const double multiply_adds = attention_flops(shape) / 2;
  const double blocks = std::max(1.0, static_cast<double>(geometry.blocks()));
  return instructions_per_32_multiply_adds * multiply_adds / 32 / blocks;
}

std::vector<SampledBlock> sample_blocks(const BlockChoice& choice, const Shape& shape,
                                        const LaunchGeometry& geometry) {
  if (choice.kind == BlockChoice::Kind::all) return {};
  const std::int64_t group = geometry.block_group;
  LaunchGeometry groups = geometry;
  groups.grid_x /= group;
  if (choice.kind == BlockChoice::Kind::count) {
    const std::int64_t count = choice.count / group + (choice.count % group == 0 ? 0 : 1);
    if (count >= groups.blocks()) return {};
    return members_of(groups_of(spread(std::min(count, groups.grid_x), groups.grid_x), count, groups), group);
  }
  const double affordable =
      automatic_instructions / std::max(1.0, expected_block_instructions(shape, groups));
  if (affordable >= static_cast<double>(groups.blocks())) return {};
  const std::set<std::int64_t> columns =
      automatic_columns(shape, groups.grid_x, static_cast<std::int64_t>(affordable));
  // In a grid with few x, one block for each x does not cover another (y, z).
  const std::int64_t count = std::max<std::int64_t>(static_cast<std::int64_t>(columns.size()), 2);
  if (count >= groups.blocks()) return {};
  return members_of(groups_of(columns, count, groups), group);
}

}  // namespace tilescope
