#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace tilescope::model {

/// The time for which a transfer keeps something busy [cycles]: the way from L2, the way to L2, the SM's share of DRAM.
struct Transfer {
  double read = 0, write = 0, dram = 0;
  /// And the queue of atomic operations of all SMs.
  double queue = 0;
  /// The part of it that waits for DRAM, 0 to 1.
  double waits_for_dram = 0;
};

/// The ways between an SM and L2, and its share of DRAM, each of which takes one transfer after the other; and L1 for
/// what blocks share. Times in cycles.
class MemoryPath {
 public:
  /// Latencies of a transfer beyond its turns: from L2 and from DRAM.
  MemoryPath(double l1_bytes, double l2_latency, double dram_latency)
      : l1_bytes_(l1_bytes), l2_latency_(l2_latency), dram_latency_(dram_latency) {}

  /// When a load arrives.
  double read(double begin, const Transfer& transfer) {
    if (transfer.queue > 0) begin = queue_ = std::max(begin, queue_) + transfer.queue;
    from_l2_ = std::max(begin, from_l2_) + transfer.read;
    to_l2_ = std::max(begin, to_l2_) + transfer.write + in_common * transfer.read;
    double latency = l2_latency_;
    if (transfer.waits_for_dram > 0)
      latency += transfer.waits_for_dram * (dram_latency_ * slowdown_by_load(begin) - l2_latency_);
    if (transfer.dram <= 0) return from_l2_ + latency;
    add_dram(begin, transfer.dram);
    return std::max(from_l2_ + l2_latency_, std::max(from_l2_, dram_) + latency);
  }

  /// When what is written is acknowledged.
  double write(double begin, const Transfer& transfer) {
    if (transfer.queue > 0) queue_ = std::max(begin, queue_) + transfer.queue;
    to_l2_ = std::max(begin, to_l2_) + transfer.write;
    from_l2_ = std::max(begin, from_l2_) + in_common * transfer.write;
    if (transfer.dram <= 0) return to_l2_ + l2_latency_;
    add_dram(begin, transfer.dram);
    return std::max(to_l2_, dram_) + l2_latency_;
  }

  /// Bytes that no other block loads. `weight`: how many such loads it stands for.
  double load(double begin, const Transfer& transfer, double bytes, double weight) {
    filled_ += bytes * weight;
    return read(begin, transfer);
  }

  /// Bytes that other blocks load with the same `key`: in L1, if the loads since then leave them there.
  double load_shared(double begin, const Transfer& transfer, double bytes, double weight, std::uint64_t key) {
    const auto [found, is_new] = shared_.try_emplace(key);
    Line& line = found->second;
    if (!is_new && filled_ - line.filled <= l1_bytes_) {
      line.filled = filled_;
      return std::max(begin, line.arrival);
    }
    filled_ += bytes * weight;
    line = {filled_, read(begin, transfer)};
    return line.arrival;
  }

  /// When the way to L2 has taken all but what waits at most: a store before that stays in the load-store unit.
  double room_for_stores() const { return to_l2_ - stores_that_wait; }
  /// When everything has arrived.
  double end() const { return std::max({from_l2_, to_l2_, dram_, queue_}); }

 private:
  void add_dram(double begin, double busy) {
    dram_ = std::max(begin, dram_) + busy;
    dram_busy_ += busy;
  }
  // Banks of DRAM that are in use make others wait, the more the more of them are: some 1.2 times the latency of a single
  // load at a third of the bandwidth, 1.7 at two thirds (launches/mechanisms: copy_floats_large, scale_add_12m).
  double slowdown_by_load(double now) const {
    const double used = std::min(0.9, dram_busy_ / std::max(now, dram_latency_));
    return std::min(2.5, 1 + 0.35 * used / (1 - used));
  }

  struct Line {
    /// [B] into L1 before it
    double filled = 0;
    double arrival = 0;
  };

  // [cycles] of stores between the load-store unit and L2. Assumed.
  static constexpr double stores_that_wait = 600;

  // The part of their time that the two ways have in common (launches/mechanisms: copy_16mb, copy_32mb, scale_add_*).
  static constexpr double in_common = 0.35;

  const double l1_bytes_, l2_latency_, dram_latency_;
  double from_l2_ = 0, to_l2_ = 0, dram_ = 0, dram_busy_ = 0, queue_ = 0;
  double filled_ = 0;
  std::unordered_map<std::uint64_t, Line> shared_;
};

}  // namespace tilescope::model
