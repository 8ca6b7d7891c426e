#include "profiler/explanation/model/block_schedule.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "profiler/explanation/model/block_queue.hpp"
#include "profiler/explanation/model/sm_order.hpp"

namespace tilescope::model {
namespace {

// More than an SM of any GPU holds.
constexpr std::uint64_t most_resident = 1024;

using SmNumber = std::uint16_t;

// Blocks that follow each other, and their SMs: one for each block, or one for each slot, whose blocks come in turn.
struct Handed {
  std::uint64_t first = 0, count = 0;
  std::vector<SmNumber> sms;
};

struct Summary {
  double sum = 0, most = 0;
};

// Several sums at a time: one alone would wait for each addition.
Summary summarise(const std::vector<float>& work) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums{};
  std::array<float, lanes> most{};
  std::size_t i = 0;
  for (; i + lanes <= work.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += work[i + lane];
      most[lane] = std::max(most[lane], work[i + lane]);
    }
  }
  Summary summary{std::accumulate(sums.begin(), sums.end(), 0.0), std::ranges::max(most)};
  for (; i < work.size(); ++i) {
    summary.sum += work[i];
    summary.most = std::max<double>(summary.most, work[i]);
  }
  return summary;
}

class Schedule {
 public:
  // `work`: by block. `first_sms`: of the blocks that begin at once.
  Schedule(const std::vector<float>& work, const Summary& of_work,
           const std::vector<std::uint32_t>& first_sms, std::size_t sms)
      : work_(work),
        sm_of_slot_(first_sms.begin(), first_sms.end()),
        queue_(sm_of_slot_.size(), of_work.sum / static_cast<double>(work.size()), of_work.most),
        load_of_slot_(sm_of_slot_.size(), 0),
        load_of_sm_(sms, 0) {
    begin();
  }

  void run() {
    for (std::uint64_t block = queue_.slots(); block < work_.size();) {
      std::uint64_t end = block + 1;
      while (end < work_.size() && work_[end] == work_[block]) ++end;
      hand_out(block, end, work_[block]);
      block = end;
    }
    for (std::size_t slot = 0; slot < load_of_slot_.size(); ++slot)
      load_of_sm_[sm_of_slot_[slot]] += load_of_slot_[slot];
  }

  const std::vector<double>& load_of_sm() const { return load_of_sm_; }

  std::size_t sm_with_most() const {
    return static_cast<std::size_t>(std::ranges::max_element(load_of_sm_) - load_of_sm_.begin());
  }

  // The slot that is busy the longest; among equal ones, on the SM with the most work.
  std::size_t sm_of_longest_slot() const {
    std::size_t longest = 0;
    const auto is_shorter = [&](std::size_t a, std::size_t b) {
      if (load_of_slot_[a] != load_of_slot_[b]) return load_of_slot_[a] < load_of_slot_[b];
      return load_of_sm_[sm_of_slot_[a]] < load_of_sm_[sm_of_slot_[b]];
    };
    for (std::size_t slot = 1; slot < load_of_slot_.size(); ++slot)
      if (is_shorter(longest, slot)) longest = slot;
    return sm_of_slot_[longest];
  }

  std::vector<std::uint64_t> blocks_of(std::size_t sm) const {
    std::vector<std::uint64_t> blocks;
    std::vector<std::uint64_t> places;
    for (const Handed& handed : handed_) {
      places.clear();
      for (std::size_t at = 0; at < handed.sms.size(); ++at)
        if (handed.sms[at] == sm) places.push_back(at);
      for (std::uint64_t round = 0; round < handed.count; round += handed.sms.size())
        for (const std::uint64_t place : places) blocks.push_back(handed.first + round + place);
    }
    return blocks;
  }

 private:
  // Slots are numbered by their first block. Equal blocks of an SM end one after the other, which gives each SM one of the
  // next blocks before any gets two (hardware/block_ends.cu).
  void begin() {
    std::vector<std::uint32_t> blocks_of_sm(load_of_sm_.size(), 0);
    Handed first{0, sm_of_slot_.size(), sm_of_slot_};
    first.sms.reserve(work_.size());
    for (std::uint32_t slot = 0; slot < sm_of_slot_.size(); ++slot) {
      load_of_slot_[slot] += work_[slot];
      queue_.begin(slot, work_[slot], blocks_of_sm[sm_of_slot_[slot]]++);
    }
    handed_.push_back(std::move(first));
    is_single_ = true;
  }

  // Blocks [begin, end), which all take `work`.
  void hand_out(std::uint64_t begin, std::uint64_t end, double work) {
    const std::uint64_t slots = queue_.slots();
    while (end - begin >= 2 * slots && !queue_.goes_round(work)) take(begin++, work);
    if (end - begin >= 2 * slots) {
      const std::uint64_t rounds = (end - begin) / slots;
      Handed handed{begin, rounds * slots, {}};
      handed.sms.reserve(slots);
      for (const std::uint32_t slot : queue_.order()) handed.sms.push_back(sm_of_slot_[slot]);
      handed_.push_back(std::move(handed));
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
    handed_.back().sms.push_back(sm_of_slot_[slot]);
    ++handed_.back().count;
    load_of_slot_[slot] += work;
  }

  const std::vector<float>& work_;
  const std::vector<SmNumber> sm_of_slot_;
  BlockQueue queue_;
  std::vector<double> load_of_slot_, load_of_sm_;
  std::vector<Handed> handed_;
  bool is_single_ = false;  // the last entry is of blocks with SMs of their own
};

}  // namespace

bool has_equal_blocks(const std::vector<SmSchedule::Block>& blocks) {
  constexpr double alike = 1.05;
  const auto [least, most] = std::ranges::minmax(blocks, {}, &SmSchedule::Block::work);
  return most.work <= alike * least.work;
}

std::vector<SmSchedule> schedule(const BlockWork& work, const LaunchPlan& plan, std::size_t sms,
                                 int architecture) {
  const std::uint64_t count = plan.blocks();
  const std::vector<float> of_blocks = work.of_all(count);
  const Summary of_work = summarise(of_blocks);
  const std::uint64_t resident = std::clamp<std::uint64_t>(plan.blocks_per_sm, 1, most_resident);
  Schedule schedule(of_blocks, of_work, sm_order(architecture, sms, resident, count), sms);
  schedule.run();
  // SMs for which there is no block are not in the tail: the whole launch leaves them idle.
  const double used = static_cast<double>(std::min<std::uint64_t>(sms, count));
  const auto schedule_of = [&](std::size_t sm) {
    SmSchedule result;
    const double load = schedule.load_of_sm()[sm];
    result.balance = load > 0 ? of_work.sum / used / load : 1;
    for (const std::uint64_t block : schedule.blocks_of(sm))
      result.blocks.push_back({block, work.executed(block), of_blocks[block]});
    return result;
  };
  const std::size_t most = schedule.sm_with_most(), longest = schedule.sm_of_longest_slot();
  std::vector<SmSchedule> last = {schedule_of(most)};
  if (longest != most) last.push_back(schedule_of(longest));
  return last;
}

}  // namespace tilescope::model
