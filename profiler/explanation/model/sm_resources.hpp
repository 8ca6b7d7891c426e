#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

/// Resources of an SM for which its warps compete.
namespace tilescope::model {

/// The cycles in which a quarter of an SM issues.
class IssueSlots {
 public:
  /// An instruction takes `slowdown` of them, on average.
  explicit IssueSlots(double slowdown) : lost_(slowdown - 1) {}

  /// The first free one from `earliest` on.
  std::int64_t take(std::int64_t earliest) {
    const std::int64_t cycle = take_one(earliest);
    owed_ += lost_;
    for (; owed_ >= 1; --owed_) take_one(cycle + 1);
    return cycle;
  }

 private:
  std::int64_t take_one(std::int64_t earliest) {
    while (taken_[at(earliest)] == mark_of(earliest)) ++earliest;
    taken_[at(earliest)] = mark_of(earliest);
    return earliest;
  }

  // Instructions are issued a few hundred cycles ahead at the most. Small, to stay in the cache of the processor.
  static constexpr std::size_t window = 2048;
  static std::size_t at(std::int64_t cycle) { return static_cast<std::size_t>(cycle) % window; }
  static std::uint32_t mark_of(std::int64_t cycle) { return static_cast<std::uint32_t>(cycle) + 1; }

  const double lost_;
  double owed_ = 0;
  std::array<std::uint32_t, window> taken_{};
};

/// How long a resource of the SM was busy [cycles].
struct Load {
  double cycles = 0;
  /// With the cycles of iterations that are left out.
  double weighted = 0;

  void add(double busy, double weight) {
    cycles += busy;
    weighted += busy * weight;
  }
};

/// The path to L2, which takes one transfer after the other, and L1 for what blocks share. Times in cycles.
class MemoryPath {
 public:
  /// `latency`: of a transfer, beyond its turn.
  MemoryPath(double l1_bytes, double l2_bytes_per_clk, double latency)
      : l1_bytes_(l1_bytes), l2_bytes_per_clk_(l2_bytes_per_clk), latency_(latency) {}

  /// When bytes arrive from L2, or what is written there is acknowledged.
  double transfer(double begin, double bytes) {
    if (bytes <= 0) return begin;
    free_ = std::max(begin, free_) + bytes / l2_bytes_per_clk_;
    return free_ + latency_;
  }

  /// Bytes that no other block loads. `weight`: how many such loads it stands for.
  double load(double begin, double bytes, double weight) {
    filled_ += bytes * weight;
    return transfer(begin, bytes);
  }

  /// Bytes that other blocks load with the same `key`: in L1, if the loads since then leave them there.
  double load_shared(double begin, double bytes, double weight, std::uint64_t key) {
    const auto [found, is_new] = shared_.try_emplace(key);
    Line& line = found->second;
    if (!is_new && filled_ - line.filled <= l1_bytes_) {
      line.filled = filled_;
      return std::max(begin, line.arrival);
    }
    filled_ += bytes * weight;
    line = {filled_, transfer(begin, bytes)};
    return line.arrival;
  }

 private:
  struct Line {
    /// [B] into L1 before it
    double filled = 0;
    double arrival = 0;
  };

  const double l1_bytes_, l2_bytes_per_clk_, latency_;
  double free_ = 0;
  double filled_ = 0;
  std::unordered_map<std::uint64_t, Line> shared_;
};

}  // namespace tilescope::model
