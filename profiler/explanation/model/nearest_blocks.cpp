#include "profiler/explanation/model/nearest_blocks.hpp"

#include <algorithm>
#include <utility>

#include "profiler/explanation/model/mixed_hash.hpp"

namespace tilescope::model {

NearestBlocks::NearestBlocks(const ExecutedKernel& kernel, const LaunchPlan& plan)
    : grid_x_(plan.grid_x), group_(std::max<std::uint64_t>(plan.block_group, 1)), columns_(group_) {
  known_.reserve(kernel.blocks.size());
  for (std::size_t i = 0; i < kernel.blocks.size(); ++i)
    known_.push_back({kernel.blocks[i].index % grid_x_, kernel.blocks[i].index / grid_x_, i});
  std::ranges::sort(known_, {}, [](const Known& one) { return std::pair(one.x, one.row); });
  std::vector<Column> all;
  for (auto begin = known_.begin(); begin != known_.end(); begin += std::ssize(all.back())) {
    const auto end = std::find_if(begin, known_.end(), [&](const Known& one) { return one.x != begin->x; });
    all.emplace_back(begin, end);
    columns_[begin->x % group_].push_back(all.back());
  }
  for (std::vector<Column>& columns : columns_) {
    if (columns.empty()) columns = all;
  }
}

// The block of a group that arrives last does the rest of its work, and any of them may be it. If it had the same number
// in every group, the stride of the blocks of an SM would give that SM all of them, or none.
std::uint64_t NearestBlocks::played_by(std::uint64_t block) const {
  const std::uint64_t x = block % grid_x_;
  if (group_ == 1) return x;
  const std::uint64_t first = x - x % group_;
  return std::min(first + (x + mixed(0, block / group_)) % group_, grid_x_ - 1);
}

bool NearestBlocks::has_one_row_a_column() const {
  return std::ranges::adjacent_find(known_, {}, &Known::x) == known_.end();
}

std::size_t NearestBlocks::find(std::uint64_t block) const {
  const std::uint64_t x = played_by(block), row = block / grid_x_;
  const std::vector<Column>& columns = columns_[x % group_];
  const auto x_of = [](const Column& column) { return column.front().x; };
  auto column = std::ranges::lower_bound(columns, x, {}, x_of);
  if (column == columns.end() || (column != columns.begin() && x - x_of(column[-1]) < x_of(*column) - x))
    --column;
  const auto behind = std::ranges::lower_bound(*column, row, {}, &Known::row);
  if (behind == column->begin()) return behind->executed;
  const auto before = std::prev(behind);
  const bool is_nearer = behind != column->end() && behind->row - row < row - before->row;
  return (is_nearer ? behind : before)->executed;
}

}  // namespace tilescope::model
