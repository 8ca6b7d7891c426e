#include "profiler/explanation/model/block_queue.hpp"

#include <algorithm>
#include <bit>

namespace tilescope::model {

BlockQueue::BlockQueue(std::size_t slots, double mean_work, double most_work) : next_(slots, none) {
  constexpr double ticks_of_mean = 1024;
  const double most_ticks = static_cast<double>(most_buckets - 1);
  ticks_of_work_ =
      std::min(ticks_of_mean / std::max(mean_work, 1e-9), most_ticks / std::max(most_work, 1e-9));
  buckets_ = std::min(most_buckets, std::bit_ceil(ticks_of(most_work) + slots + 2));
  first_.assign(buckets_, none);
  last_.assign(buckets_, none);
}

std::size_t BlockQueue::ticks_of(double work) const {
  // Rounds half ticks, which is cheaper than std::llround.
  const auto halves = static_cast<std::size_t>(2 * work * ticks_of_work_);
  return std::clamp<std::size_t>((halves + 1) / 2, 1, buckets_ - 1);
}

void BlockQueue::add(std::size_t bucket, std::uint32_t slot) {
  next_[slot] = none;
  if (first_[bucket] == none) {
    first_[bucket] = slot;
  } else {
    next_[last_[bucket]] = slot;
  }
  last_[bucket] = slot;
}

std::uint32_t BlockQueue::take(double work) {
  while (first_[now_] == none) now_ = place(now_ + 1);
  const std::uint32_t slot = first_[now_];
  first_[now_] = next_[slot];
  add(place(now_ + ticks_of(work)), slot);
  return slot;
}

// All slots are free within the time of one such block, its end included: they keep their distances.
bool BlockQueue::goes_round(double work) const {
  const std::size_t ticks = ticks_of(work);
  std::size_t seen = 0;
  for (std::size_t ahead = 0; ahead <= ticks && seen < next_.size(); ++ahead) {
    for (std::uint32_t slot = first_[place(now_ + ahead)]; slot != none; slot = next_[slot]) ++seen;
  }
  return seen == next_.size();
}

std::vector<std::uint32_t> BlockQueue::order() const {
  std::vector<std::uint32_t> slots;
  slots.reserve(next_.size());
  for (std::size_t ahead = 0; slots.size() < next_.size(); ++ahead)
    for (std::uint32_t slot = first_[place(now_ + ahead)]; slot != none; slot = next_[slot])
      slots.push_back(slot);
  return slots;
}

}  // namespace tilescope::model
