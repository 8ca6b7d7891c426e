#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::model {

/// The slots of all SMs for resident blocks, by the time at which they are free: each block goes to the first free one, of
/// several to the one that began first. Times are whole ticks, chosen so that an average block has a thousand.
class BlockQueue {
 public:
  /// `mean_work`, `most_work`: of the blocks, in any unit.
  BlockQueue(std::size_t slots, double mean_work, double most_work);

  /// A slot's first block takes `work`. It ends behind equal blocks that began at once with it in slots of a lower `rank`, from
  /// 0: below a thousandth of an average block for each.
  void begin(std::uint32_t slot, double work, std::size_t rank) {
    add(std::min(ticks_of(work) + rank, buckets_ - 1), slot);
  }
  /// Hands out a block that takes `work`; returns its slot. Once all slots have begun.
  std::uint32_t take(double work);
  /// Whether further blocks that all take `work` go to all slots in turn, in their order, so often as one likes.
  bool goes_round(double work) const;
  /// The slots in the order in which they become free.
  std::vector<std::uint32_t> order() const;
  std::size_t slots() const { return next_.size(); }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::size_t most_buckets = std::size_t{1} << 16;
  std::size_t ticks_of(double work) const;
  void add(std::size_t bucket, std::uint32_t slot);

  std::size_t place(std::size_t tick) const { return tick & (buckets_ - 1); }

  double ticks_of_work_ = 1;
  // A power of two: the longest block ends within them, behind all equal ones. As many as can be needed at all would take
  // longer to clear than a short launch takes to simulate.
  std::size_t buckets_ = most_buckets;
  std::size_t now_ = 0;
  /// A list for each tick of the next ones, as a ring.
  std::vector<std::uint32_t> first_, last_;
  std::vector<std::uint32_t> next_;  // by slot
};

}  // namespace tilescope::model
