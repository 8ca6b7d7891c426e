#include "profiler/explanation/model/block_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "profiler/explanation/model/nearest_blocks.hpp"

namespace tilescope::model {
SmSchedule schedule(const ExecutedKernel& kernel, const LaunchPlan& plan, const std::vector<double>& work,
                    std::size_t sms) {
  // More blocks than these repeat what came before.
  const std::uint64_t most = 6 * sms * plan.blocks_per_sm;
  const std::uint64_t count = std::min(plan.blocks(), most);
  const NearestBlocks nearest(kernel, plan);
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
  // SMs for which there is no block are not in the tail: the whole launch leaves them idle.
  const double used = static_cast<double>(std::min<std::uint64_t>(sms, count));
  result.balance = load[last] > 0 ? all / used / load[last] : 1;
  result.blocks = std::move(of_sm[last]);
  const double repeats = static_cast<double>(plan.blocks()) / static_cast<double>(count);
  const auto whole =
      static_cast<std::size_t>(std::llround(static_cast<double>(result.blocks.size()) * repeats));
  for (std::size_t i = 0; result.blocks.size() < whole; ++i)
    result.blocks.push_back({result.blocks[i].index + count, result.blocks[i].executed});
  return result;
}

}  // namespace tilescope::model
