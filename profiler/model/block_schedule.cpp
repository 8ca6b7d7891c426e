#include "profiler/model/block_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <span>
#include <utility>

namespace tilescope::model {
namespace {

// Finds the executed block that stands for another one: of those nearest to it along x, the one nearest in y and z. Work
// mostly changes along x.
class NearestBlocks {
 public:
  /// For the first `count` blocks of a launch.
  NearestBlocks(const ExecutedKernel& kernel, const LaunchPlan& plan, std::uint64_t count)
      : grid_x_(plan.grid_x) {
    known_.reserve(kernel.blocks.size());
    for (std::size_t i = 0; i < kernel.blocks.size(); ++i)
      known_.push_back({kernel.blocks[i].index % grid_x_, kernel.blocks[i].index / grid_x_, i});
    std::ranges::sort(known_, {}, [](const Known& one) { return std::pair(one.x, one.row); });
    const std::uint64_t columns = std::min(grid_x_, count);
    of_x_.reserve(columns);
    std::span<const Known> here = column(0);
    for (std::uint64_t x = 0; x < columns; ++x) {
      for (auto next = column(end_of(here)); !next.empty() && distance(next, x) <= distance(here, x);
           next = column(end_of(here)))
        here = next;
      of_x_.push_back(here);
    }
  }

  /// Into ExecutedKernel::blocks.
  std::size_t find(std::uint64_t block) const {
    const std::span<const Known> candidates = of_x_[block % grid_x_];
    const std::uint64_t row = block / grid_x_;
    const auto behind = std::ranges::lower_bound(candidates, row, {}, &Known::row);
    if (behind == candidates.begin()) return behind->executed;
    const auto before = std::prev(behind);
    const bool is_nearer = behind != candidates.end() && behind->row - row < row - before->row;
    return (is_nearer ? behind : before)->executed;
  }

 private:
  struct Known {
    std::uint64_t x = 0;
    /// y + grid.y * z
    std::uint64_t row = 0;
    std::size_t executed = 0;
  };
  // Those of one x, from `first` on.
  std::span<const Known> column(std::size_t first) const {
    std::size_t end = first;
    while (end < known_.size() && known_[end].x == known_[first].x) ++end;
    return std::span(known_).subspan(first, end - first);
  }
  std::size_t end_of(std::span<const Known> column) const {
    return static_cast<std::size_t>(column.data() - known_.data()) + column.size();
  }
  static std::uint64_t distance(std::span<const Known> column, std::uint64_t x) {
    return column.front().x > x ? column.front().x - x : x - column.front().x;
  }

  const std::uint64_t grid_x_;
  std::vector<Known> known_;
  std::vector<std::span<const Known>> of_x_;
};

}  // namespace

SmSchedule schedule(const ExecutedKernel& kernel, const LaunchPlan& plan, const std::vector<double>& work,
                    std::size_t sms) {
  // More blocks than these repeat what came before.
  const std::uint64_t most = 6 * sms * plan.blocks_per_sm;
  const std::uint64_t count = std::min(plan.blocks(), most);
  const NearestBlocks nearest(kernel, plan, count);
  std::vector<double> load(sms, 0);
  std::vector<std::vector<SmSchedule::Block>> of_sm(sms);
  using Slot = std::pair<double, std::uint64_t>;  // when it is free; its order
  std::priority_queue<Slot, std::vector<Slot>, std::greater<>> slots;
  for (std::uint64_t i = 0; i < sms * plan.blocks_per_sm; ++i) slots.emplace(0.0, i);
  std::vector<double> end(sms, 0);
  double all = 0;
  for (std::uint64_t block = 0; block < count; ++block) {
    const auto [free, order] = slots.top();
    slots.pop();
    const std::size_t sm = order % sms;
    const std::size_t executed = nearest.find(block);
    of_sm[sm].push_back({block, executed});
    load[sm] += work[executed];
    all += work[executed];
    end[sm] = std::max(end[sm], free + work[executed]);
    slots.emplace(free + work[executed], order);
  }
  // With as many resident on each, the one with the most work finishes last.
  const std::size_t last = static_cast<std::size_t>(std::ranges::max_element(load) - load.begin());
  SmSchedule result;
  result.balance = load[last] > 0 ? all / static_cast<double>(sms) / load[last] : 1;
  result.blocks = std::move(of_sm[last]);
  const double repeats = static_cast<double>(plan.blocks()) / static_cast<double>(count);
  const auto whole =
      static_cast<std::size_t>(std::llround(static_cast<double>(result.blocks.size()) * repeats));
  for (std::size_t i = 0; result.blocks.size() < whole; ++i)
    result.blocks.push_back({result.blocks[i].index + count, result.blocks[i].executed});
  return result;
}

}  // namespace tilescope::model
