#include "profiler/explanation/model/block_schedule.hpp"

#include <algorithm>
#include <utility>

#include "profiler/explanation/model/block_queue.hpp"

namespace tilescope::model {
namespace {

// Blocks that follow each other, and their slots: each its own, or all slots in turn.
struct Handed {
  std::uint64_t first = 0, count = 0;
  std::vector<std::uint32_t> slots;

  std::uint32_t slot_of(std::uint64_t i) const { return slots[i % slots.size()]; }
};

class Schedule {
 public:
  Schedule(const BlockWork& work, const LaunchPlan& plan, std::size_t sms, double mean, double most)
      : work_(work),
        sms_(sms),
        queue_(sms, static_cast<std::size_t>(std::min<std::uint64_t>(sms * plan.blocks_per_sm, most_slots)),
               mean, most),
        load_(sms, 0) {}

  void run(std::uint64_t blocks) {
    for (std::uint64_t block = 0; block < blocks;) {
      const double work = work_.of(block);
      std::uint64_t end = block + 1;
      while (end < blocks && work_.of(end) == work) ++end;
      hand_out(block, end, work);
      block = end;
    }
  }

  // With as many resident on each, the one with the most work finishes last.
  std::size_t last() const {
    return static_cast<std::size_t>(std::ranges::max_element(load_) - load_.begin());
  }
  const std::vector<double>& load() const { return load_; }

  std::vector<SmSchedule::Block> blocks_of(std::size_t sm) const {
    std::vector<SmSchedule::Block> blocks;
    for (const Handed& handed : handed_) {
      for (std::uint64_t i = 0; i < handed.count; ++i) {
        if (handed.slot_of(i) % sms_ != sm) continue;
        const std::uint64_t index = handed.first + i;
        blocks.push_back({index, work_.executed(index), work_.of(index)});
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
      for (const std::uint32_t slot : handed_.back().slots)
        load_[slot % sms_] += static_cast<double>(rounds) * work;
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
    load_[slot % sms_] += work;
  }

  static constexpr std::uint64_t most_slots = std::uint64_t{1} << 20;

  const BlockWork& work_;
  const std::size_t sms_;
  BlockQueue queue_;
  std::vector<double> load_;
  std::vector<Handed> handed_;
  bool is_single_ = false;  // the last entry is of blocks with slots of their own
};

}  // namespace

SmSchedule schedule(const BlockWork& work, const LaunchPlan& plan, std::size_t sms) {
  const std::uint64_t count = plan.blocks();
  double all = 0, most = 0;
  for (std::uint64_t block = 0; block < count; ++block) {
    const double one = work.of(block);
    all += one;
    most = std::max(most, one);
  }
  Schedule schedule(work, plan, sms, all / static_cast<double>(count), most);
  schedule.run(count);
  const std::size_t last = schedule.last();
  SmSchedule result;
  // SMs for which there is no block are not in the tail: the whole launch leaves them idle.
  const double used = static_cast<double>(std::min<std::uint64_t>(sms, count));
  result.balance = schedule.load()[last] > 0 ? all / used / schedule.load()[last] : 1;
  result.blocks = schedule.blocks_of(last);
  return result;
}

}  // namespace tilescope::model
