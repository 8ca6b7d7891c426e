#include "profiler/explanation/model/block_schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "profiler/explanation/model/block_queue.hpp"

namespace tilescope::model {
namespace {

// Blocks that follow each other, and their slots: each its own, or all slots in turn.
struct Handed {
  std::uint64_t first = 0, count = 0;
  std::vector<std::uint32_t> slots;
};

class Schedule {
 public:
  // `work`: by block; `mean` and `most`: of it.
  Schedule(const std::vector<double>& work, const LaunchPlan& plan, std::size_t sms, double mean, double most)
      : work_(work),
        sms_(sms),
        queue_(sms, static_cast<std::size_t>(std::min<std::uint64_t>(sms * plan.blocks_per_sm, most_slots)),
               mean, most),
        load_of_slot_(queue_.slots(), 0) {}

  void run() {
    for (std::uint64_t block = 0; block < work_.size();) {
      std::uint64_t end = block + 1;
      while (end < work_.size() && work_[end] == work_[block]) ++end;
      hand_out(block, end, work_[block]);
      block = end;
    }
  }

  // By SM.
  std::vector<double> loads() const {
    std::vector<double> loads(sms_, 0);
    for (std::size_t slot = 0; slot < load_of_slot_.size(); ++slot) loads[slot % sms_] += load_of_slot_[slot];
    return loads;
  }

  std::vector<std::uint64_t> blocks_of(std::size_t sm) const {
    std::vector<bool> is_of_sm(queue_.slots());
    for (std::size_t slot = sm; slot < is_of_sm.size(); slot += sms_) is_of_sm[slot] = true;
    std::vector<std::uint64_t> blocks;
    for (const Handed& handed : handed_) {
      std::size_t at = 0;
      for (std::uint64_t i = 0; i < handed.count; ++i) {
        if (is_of_sm[handed.slots[at]]) blocks.push_back(handed.first + i);
        if (++at == handed.slots.size()) at = 0;
      }
    }
    return blocks;
  }

 private:
  // Blocks [begin, end), which all take `work`.
  void hand_out(std::uint64_t begin, std::uint64_t end, double work) {
    const std::uint64_t slots = queue_.slots();
    while (end - begin >= 2 * slots && !queue_.goes_round(work)) take(begin++, work);
    if (end - begin >= 2 * slots) {
      const std::uint64_t rounds = (end - begin) / slots;
      handed_.push_back({begin, rounds * slots, queue_.order()});
      for (double& load : load_of_slot_) load += static_cast<double>(rounds) * work;
      begin += rounds * slots;
      is_single_ = false;
    }
    while (begin < end) take(begin++, work);
  }

  void take(std::uint64_t block, double work) {
    const std::uint32_t slot = queue_.take(work);
    if (!is_single_) handed_.push_back({block, 0, {}});
    is_single_ = true;
    handed_.back().slots.push_back(slot);
    ++handed_.back().count;
    load_of_slot_[slot] += work;
  }

  static constexpr std::uint64_t most_slots = std::uint64_t{1} << 20;

  const std::vector<double>& work_;
  const std::size_t sms_;
  BlockQueue queue_;
  std::vector<double> load_of_slot_;
  std::vector<Handed> handed_;
  bool is_single_ = false;  // the last entry is of blocks with slots of their own
};

}  // namespace

SmSchedule schedule(const BlockWork& work, const LaunchPlan& plan, std::size_t sms) {
  const std::uint64_t count = plan.blocks();
  const std::vector<double> of_blocks = work.of_all(count);
  const double all = std::accumulate(of_blocks.begin(), of_blocks.end(), 0.0);
  Schedule schedule(of_blocks, plan, sms, all / static_cast<double>(count), std::ranges::max(of_blocks));
  schedule.run();
  // With as many resident on each, the one with the most work finishes last.
  const std::vector<double> loads = schedule.loads();
  const auto last = static_cast<std::size_t>(std::ranges::max_element(loads) - loads.begin());
  SmSchedule result;
  // SMs for which there is no block are not in the tail: the whole launch leaves them idle.
  const double used = static_cast<double>(std::min<std::uint64_t>(sms, count));
  result.balance = loads[last] > 0 ? all / used / loads[last] : 1;
  for (const std::uint64_t block : schedule.blocks_of(last))
    result.blocks.push_back({block, work.executed(block), of_blocks[block]});
  return result;
}

}  // namespace tilescope::model
