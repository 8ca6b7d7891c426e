#include "profiler/execution/ptx/register_allocation.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

namespace tilescope::ptx {
namespace {

class BitSet {
 public:
  explicit BitSet(std::size_t bits) : words_((bits + 63) / 64, 0) {}
  void set(std::size_t bit) { words_[bit / 64] |= std::uint64_t{1} << bit % 64; }
  void clear(std::size_t bit) { words_[bit / 64] &= ~(std::uint64_t{1} << bit % 64); }
  bool test(std::size_t bit) const { return (words_[bit / 64] >> bit % 64 & 1u) != 0; }

  // this |= from & ~without; returns whether anything changed.
  bool add(const BitSet& from, const BitSet& without) {
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t added = from.words_[i] & ~without.words_[i] & ~words_[i];
      words_[i] |= added;
      changed |= added;
    }
    return changed != 0;
  }
  bool add(const BitSet& from) {
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      changed |= from.words_[i] & ~words_[i];
      words_[i] |= from.words_[i];
    }
    return changed != 0;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        visit(i * 64 + static_cast<std::size_t>(__builtin_ctzll(rest)));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct BlockLiveness {
  explicit BlockLiveness(std::size_t registers)
      : read_first(registers), written(registers), live_in(registers), live_out(registers) {}
  BitSet read_first, written, live_in, live_out;
};

std::vector<BlockLiveness> liveness(std::size_t registers, std::span<const RegisterUse> instructions,
                                    std::span<const InstructionRange> blocks, const ControlFlowGraph& graph) {
  std::vector<BlockLiveness> live(blocks.size(), BlockLiveness(registers));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::uint32_t i = blocks[b].first; i < blocks[b].end; ++i) {
      const auto read = [&](std::uint32_t r) {
        if (!live[b].written.test(r)) live[b].read_first.set(r);
      };
      std::ranges::for_each(instructions[i].reads, read);
      if (instructions[i].may_not_write) {
        std::ranges::for_each(instructions[i].writes, read);
      }
      for (const std::uint32_t r : instructions[i].writes) live[b].written.set(r);
    }
    live[b].live_in.add(live[b].read_first);
  }
  // Backwards until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      bool grown = false;
      for (const std::uint32_t next : graph[b]) grown |= live[b].live_out.add(live[next].live_in);
      if (grown) changed |= live[b].live_in.add(live[b].live_out, live[b].written);
    }
  }
  return live;
}

struct Interval : LiveInterval {
  void cover(std::uint32_t at) {
    first = std::min(first, at);
    last = std::max(last, at);
  }
};

std::vector<Interval> live_intervals(std::size_t registers, std::span<const RegisterUse> instructions,
                                     std::span<const InstructionRange> blocks,
                                     const ControlFlowGraph& graph) {
  std::vector<Interval> intervals(registers);
  const std::vector<BlockLiveness> live = liveness(registers, instructions, blocks, graph);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].first == blocks[b].end) continue;
    live[b].live_in.for_each([&](std::size_t r) { intervals[r].cover(blocks[b].first); });
    live[b].live_out.for_each([&](std::size_t r) { intervals[r].cover(blocks[b].end - 1); });
    for (std::uint32_t i = blocks[b].first; i < blocks[b].end; ++i) {
      for (const std::uint32_t r : instructions[i].reads) intervals[r].cover(i);
      for (const std::uint32_t r : instructions[i].writes) intervals[r].cover(i);
    }
  }
  return intervals;
}

// Places of registers of one size each, the lowest free one first.
class Places {
 public:
  std::uint32_t take(std::uint8_t lane_bytes) {
    Free& free = free_[lane_bytes];
    if (free.empty()) {
      const std::uint32_t start = size_;
      size_ += static_cast<std::uint32_t>(slots_for(lane_bytes));
      return start;
    }
    const std::uint32_t start = free.top();
    free.pop();
    return start;
  }
  void release(std::uint32_t start, std::uint8_t lane_bytes) { free_[lane_bytes].push(start); }
  std::uint32_t size() const { return size_; }

 private:
  using Free = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;
  std::map<std::uint8_t, Free> free_;
  std::uint32_t size_ = 0;
};

}  // namespace

int slots_for(int lane_bytes) {
  return lane_bytes <= 2 ? 1 : lane_bytes / 2;
}

RegisterAllocation allocate_registers(std::span<const std::uint8_t> lane_bytes,
                                      std::span<const RegisterUse> instructions,
                                      std::span<const InstructionRange> blocks, const ControlFlowGraph& graph,
                                      std::span<const std::uint32_t> live_at_start) {
  std::vector<Interval> intervals = live_intervals(lane_bytes.size(), instructions, blocks, graph);
  for (const std::uint32_t r : live_at_start) intervals[r].cover(0);

  std::vector<std::uint32_t> order(lane_bytes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t r) { return intervals[r].first; });

  RegisterAllocation result;
  result.slot_of.assign(lane_bytes.size(), 0);
  using Ending = std::pair<std::uint32_t, std::uint32_t>;  // last instruction, register
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> active;
  Places places;
  for (const std::uint32_t r : order) {
    if (intervals[r].first == no_index) continue;  // never used
    while (!active.empty() && active.top().first < intervals[r].first) {
      const std::uint32_t ended = active.top().second;
      places.release(static_cast<std::uint32_t>(result.slot_of[ended]), lane_bytes[ended]);
      active.pop();
    }
    result.slot_of[r] = static_cast<Slot>(places.take(lane_bytes[r]));
    active.emplace(intervals[r].last, r);
  }
  result.slots = places.size();
  result.live.assign(intervals.begin(), intervals.end());
  return result;
}

}  // namespace tilescope::ptx
