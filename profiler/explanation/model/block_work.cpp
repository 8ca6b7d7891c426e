#include "profiler/explanation/model/block_work.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "profiler/explanation/model/work_steps.hpp"

namespace tilescope::model {
namespace {

// Beyond this difference of their lengths a block does not stand for its neighbour.
constexpr double alike = 0.05;

}  // namespace

BlockWork::BlockWork(const ExecutedKernel& kernel, const LaunchPlan& plan,
                     const std::vector<double>& executed_work)
    : kernel_(kernel), executed_work_(executed_work), grid_x_(plan.grid_x), nearest_(kernel, plan) {
  by_work_.resize(executed_work.size());
  std::iota(by_work_.begin(), by_work_.end(), std::size_t{0});
  std::ranges::sort(by_work_, {}, [&](std::size_t i) { return executed_work[i]; });
  if (kernel.is_work_taken)
    mean_ = std::accumulate(kernel.lengths.begin(), kernel.lengths.end(), 0.0) /
            static_cast<double>(std::max<std::size_t>(kernel.lengths.size(), 1));
  if (!kernel.lengths.empty() || plan.block_group > 1 || !nearest_.has_one_row_a_column()) return;
  std::vector<KnownWork> known;
  known.reserve(kernel.blocks.size());
  for (std::size_t i = 0; i < kernel.blocks.size(); ++i)
    known.push_back({kernel.blocks[i].index % grid_x_, executed_work[i]});
  std::ranges::sort(known, {}, &KnownWork::x);
  const std::optional<WorkSteps> steps = find_steps(known);
  by_x_ = work_by_x(known, grid_x_, steps);
  if (!steps) return;
  period_ = steps->period;
  by_place_.resize(period_);
  for (std::size_t i = 0; i < kernel.blocks.size(); ++i)
    by_place_[kernel.blocks[i].index % grid_x_ % period_].push_back(i);
}

double BlockWork::of(std::uint64_t block) const {
  if (kernel_.is_work_taken) return mean_;
  if (!kernel_.lengths.empty()) return kernel_.lengths[block];
  if (!by_x_.empty()) return by_x_[block % grid_x_];
  return executed_work_[nearest_.find(block)];
}

std::vector<float> BlockWork::of_all(std::uint64_t blocks) const {
  std::vector<float> work;
  work.reserve(blocks);
  if (!kernel_.is_work_taken && !kernel_.lengths.empty()) {
    work.assign(kernel_.lengths.begin(), kernel_.lengths.end());
  } else if (!kernel_.is_work_taken && !by_x_.empty()) {
    while (work.size() < blocks) work.insert(work.end(), by_x_.begin(), by_x_.end());
  } else {
    for (std::uint64_t block = 0; block < blocks; ++block) work.push_back(static_cast<float>(of(block)));
  }
  return work;
}

std::size_t BlockWork::nearest_in_x(const std::vector<std::size_t>& blocks, std::uint64_t x) const {
  return *std::ranges::min_element(blocks, {}, [&](std::size_t i) {
    const std::uint64_t other = kernel_.blocks[i].index % grid_x_;
    return other > x ? other - x : x - other;
  });
}

std::size_t BlockWork::executed(std::uint64_t block) const {
  if (kernel_.is_work_taken) return by_work_.back();
  if (period_ > 0) {
    const std::vector<std::size_t>& alike_ones = by_place_[block % grid_x_ % period_];
    if (!alike_ones.empty()) return nearest_in_x(alike_ones, block % grid_x_);
  }
  const std::size_t nearest = nearest_.find(block);
  if (kernel_.lengths.empty()) return nearest;
  const double length = kernel_.lengths[block];
  if (std::abs(executed_work_[nearest] - length) <= alike * length) return nearest;
  const auto behind =
      std::ranges::lower_bound(by_work_, length, {}, [&](std::size_t i) { return executed_work_[i]; });
  if (behind == by_work_.begin()) return *behind;
  const auto before = std::prev(behind);
  if (behind == by_work_.end()) return *before;
  return executed_work_[*behind] - length < length - executed_work_[*before] ? *behind : *before;
}

}  // namespace tilescope::model
