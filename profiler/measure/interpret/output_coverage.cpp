#include "profiler/measure/interpret/output_coverage.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <unordered_map>

namespace tilescope {
namespace {

// Every block of the groups, with weight 1.
std::vector<SampledBlock> members_of(const std::set<std::uint64_t>& groups, const LaunchGeometry& geometry) {
  const auto size = static_cast<std::uint64_t>(geometry.block_group);
  std::vector<SampledBlock> blocks;
  for (const std::uint64_t group : groups) {
    for (std::uint64_t member = 0; member < size; ++member) blocks.push_back({group * size + member, 1});
  }
  return blocks;
}

using Ranges = std::vector<ElementRange>;

// The elements that the blocks of each group wrote together, by the group's place in the grid of groups.
std::map<std::uint64_t, Ranges> written_by_group(const std::vector<BlockWrites>& writes,
                                                 const LaunchGeometry& geometry) {
  std::map<std::uint64_t, Ranges> groups;
  for (const BlockWrites& block : writes) {
    Ranges& group = groups[block.block / static_cast<std::uint64_t>(geometry.block_group)];
    group.insert(group.end(), block.written.begin(), block.written.end());
  }
  for (auto& [group, written] : groups) join_ranges(written);
  return groups;
}

std::map<std::uint64_t, double> elements_by_group(const std::vector<BlockWrites>& writes,
                                                  const LaunchGeometry& geometry) {
  std::map<std::uint64_t, double> elements;
  for (const auto& [group, written] : written_by_group(writes, geometry)) {
    elements[group] = static_cast<double>(elements_in(written));
  }
  return elements;
}

// The mean of the groups at each x.
std::map<std::uint64_t, double> elements_by_column(const std::map<std::uint64_t, double>& by_group,
                                                   std::uint64_t columns) {
  std::map<std::uint64_t, std::pair<double, double>> sums;
  for (const auto& [group, elements] : by_group) {
    auto& [sum, count] = sums[group % columns];
    sum += elements;
    count += 1;
  }
  std::map<std::uint64_t, double> means;
  for (const auto& [column, sum] : sums) means[column] = sum.first / sum.second;
  return means;
}

double expected_at(const std::map<std::uint64_t, double>& by_column, std::uint64_t column) {
  const auto behind = by_column.lower_bound(column);
  if (behind == by_column.end()) return by_column.rbegin()->second;
  if (behind->first == column || behind == by_column.begin()) return behind->second;
  const auto before = std::prev(behind);
  const double share =
      static_cast<double>(column - before->first) / static_cast<double>(behind->first - before->first);
  return before->second + share * (behind->second - before->second);
}

}  // namespace

Coverage coverage_of(const std::vector<SampledBlock>& blocks, const std::vector<BlockWrites>& writes,
                     const std::vector<BlockWrites>& beside, const LaunchGeometry& geometry) {
  const auto size = static_cast<std::uint64_t>(geometry.block_group);
  std::unordered_map<std::uint64_t, double> weights;
  for (const SampledBlock& block : blocks) weights[block.index / size] = block.weight;
  Coverage coverage;
  std::int64_t sum = 0;
  Ranges all;
  const auto add = [&](const Ranges& written) {
    sum += elements_in(written);
    all.insert(all.end(), written.begin(), written.end());
  };
  for (const auto& [group, written] : written_by_group(writes, geometry)) {
    coverage.elements += weights[group] * static_cast<double>(elements_in(written));
    add(written);
  }
  for (const auto& [group, written] : written_by_group(beside, geometry)) add(written);
  join_ranges(all);
  coverage.overlaps = elements_in(all) < sum;
  return coverage;
}

bool adds_up(const Coverage& coverage, std::int64_t total) {
  // Weights are sums of simple fractions: the rounding error is far below one element of any result.
  return !coverage.overlaps && std::abs(coverage.elements - static_cast<double>(total)) < 0.5;
}

std::vector<ElementRange> union_of(const std::vector<BlockWrites>& writes) {
  Ranges all;
  for (const BlockWrites& block : writes) all.insert(all.end(), block.written.begin(), block.written.end());
  join_ranges(all);
  return all;
}

std::vector<SampledBlock> neighbour_blocks(const LaunchGeometry& geometry,
                                           const std::vector<BlockWrites>& known) {
  const auto size = static_cast<std::uint64_t>(geometry.block_group);
  const std::uint64_t columns = static_cast<std::uint64_t>(geometry.grid_x) / size;
  std::set<std::uint64_t> groups = {0};
  if (columns > 1) groups.insert(1);
  if (geometry.grid_y > 1) groups.insert(columns);
  if (geometry.grid_z > 1) groups.insert(columns * static_cast<std::uint64_t>(geometry.grid_y));
  for (const BlockWrites& block : known) groups.erase(block.block / size);
  return members_of(groups, geometry);
}

std::vector<SampledBlock> other_blocks(const LaunchGeometry& geometry, std::int64_t count) {
  const std::int64_t columns = geometry.grid_x / geometry.block_group;
  const auto all = static_cast<std::uint64_t>(columns * geometry.grid_y * geometry.grid_z);
  std::set<std::uint64_t> groups;
  for (const std::int64_t x : {std::int64_t{0}, columns - 1}) {
    for (const std::int64_t y : {std::int64_t{0}, geometry.grid_y - 1}) {
      for (const std::int64_t z : {std::int64_t{0}, geometry.grid_z - 1}) {
        groups.insert(static_cast<std::uint64_t>(x + columns * (y + geometry.grid_y * z)));
      }
    }
  }
  const std::uint64_t wanted =
      std::min(groups.size() + static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)), all);
  std::mt19937_64 generator(1);
  // If there are many more groups than needed, few are drawn twice; if there are few, the rest is taken in order.
  for (std::uint64_t draw = 0; draw < 4 * wanted && groups.size() < wanted; ++draw) {
    groups.insert(generator() % all);
  }
  for (std::uint64_t group = 0; groups.size() < wanted; ++group) groups.insert(group);
  return members_of(groups, geometry);
}

bool predicts(const std::vector<BlockWrites>& sample, const std::vector<BlockWrites>& others,
              const LaunchGeometry& geometry) {
  const auto columns = static_cast<std::uint64_t>(geometry.grid_x / geometry.block_group);
  const auto by_column = elements_by_column(elements_by_group(sample, geometry), columns);
  if (by_column.empty()) return false;
  return std::ranges::all_of(elements_by_group(others, geometry), [&](const auto& group) {
    return std::abs(group.second - expected_at(by_column, group.first % columns)) < 0.5;
  });
}

}  // namespace tilescope
