#include "profiler/explanation/model/block_work.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

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
  // Neighbours along x that were executed, and what lies between them.
  std::vector<std::pair<std::uint64_t, double>> known;
  known.reserve(kernel.blocks.size());
  for (std::size_t i = 0; i < kernel.blocks.size(); ++i)
    known.emplace_back(kernel.blocks[i].index % grid_x_, executed_work[i]);
  std::ranges::sort(known);
  by_x_.resize(grid_x_);
  std::size_t behind = 0;
  for (std::uint64_t x = 0; x < grid_x_; ++x) {
    while (behind < known.size() && known[behind].first < x) ++behind;
    if (behind == known.size() || behind == 0 || known[behind].first == x) {
      by_x_[x] = known[std::min(behind, known.size() - 1)].second;
      continue;
    }
    const auto& [x0, work0] = known[behind - 1];
    const auto& [x1, work1] = known[behind];
    by_x_[x] = work0 + (work1 - work0) * static_cast<double>(x - x0) / static_cast<double>(x1 - x0);
  }
}

double BlockWork::of(std::uint64_t block) const {
  if (kernel_.is_work_taken) return mean_;
  if (!kernel_.lengths.empty()) return kernel_.lengths[block];
  if (!by_x_.empty()) return by_x_[block % grid_x_];
  return executed_work_[nearest_.find(block)];
}

std::vector<double> BlockWork::of_all(std::uint64_t blocks) const {
  std::vector<double> work;
  work.reserve(blocks);
  if (!kernel_.is_work_taken && !kernel_.lengths.empty()) {
    work.assign(kernel_.lengths.begin(), kernel_.lengths.end());
  } else if (!kernel_.is_work_taken && !by_x_.empty()) {
    while (work.size() < blocks) work.insert(work.end(), by_x_.begin(), by_x_.end());
  } else {
    for (std::uint64_t block = 0; block < blocks; ++block) work.push_back(of(block));
  }
  return work;
}

std::size_t BlockWork::executed(std::uint64_t block) const {
  if (kernel_.is_work_taken) return by_work_.back();
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
