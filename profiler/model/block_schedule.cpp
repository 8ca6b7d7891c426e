#include "profiler/model/block_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

namespace tilescope::model {
namespace {

// By x of the grid: the executed block that is nearest.
std::vector<std::size_t> nearest_blocks(const ExecutedKernel& kernel, const LaunchPlan& plan) {
  std::vector<std::pair<std::uint64_t, std::size_t>> known;
  for (std::size_t i = 0; i < kernel.blocks.size(); ++i)
    known.emplace_back(kernel.blocks[i].index % plan.grid_x, i);
  std::ranges::sort(known);
  std::vector<std::size_t> nearest(plan.grid_x);
  std::size_t at = 0;
  for (std::uint64_t x = 0; x < plan.grid_x; ++x) {
    const auto distance = [&](std::size_t i) {
      return known[i].first > x ? known[i].first - x : x - known[i].first;
    };
    while (at + 1 < known.size() && distance(at + 1) <= distance(at)) ++at;
    nearest[x] = known[at].second;
  }
  return nearest;
}

}  // namespace

SmSchedule schedule(const ExecutedKernel& kernel, const LaunchPlan& plan, const std::vector<double>& work,
                    std::size_t sms) {
  // More blocks than these repeat what came before.
  const std::uint64_t most = 6 * sms * plan.blocks_per_sm;
  const std::uint64_t count = std::min(plan.blocks(), most);
  const std::vector<std::size_t> nearest = nearest_blocks(kernel, plan);
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
    const std::size_t executed = nearest[block % plan.grid_x];
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
