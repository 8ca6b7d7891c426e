#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

/// Resources of an SM for which its warps compete.
namespace tilescope::model {

/// The cycles in which a quarter of an SM issues.
class IssueSlots {
 public:
  /// The first free one from `earliest` on. `slots`: those that the instruction takes on average.
  std::int64_t take(std::int64_t earliest, double slots) {
    owed_ += slots;
    if (owed_ < whole) return earliest;
    const std::int64_t cycle = take_one(earliest);
    for (--owed_; owed_ >= whole; --owed_) take_one(cycle + 1);
    return cycle;
  }

  /// How many of the cycles from `begin` until `end` are taken; of a long time, of its last cycles alone.
  std::int64_t taken(std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t most = 64;
    std::int64_t count = 0;
    for (std::int64_t cycle = std::max(begin, end - most); cycle < end; ++cycle)
      count += taken_[at(cycle)] == mark_of(cycle) ? 1 : 0;
    return count;
  }

 private:
  std::int64_t take_one(std::int64_t earliest) {
    while (taken_[at(earliest)] == mark_of(earliest)) ++earliest;
    taken_[at(earliest)] = mark_of(earliest);
    return earliest;
  }

  // Sums of parts of a slot are a little less than one.
  static constexpr double whole = 1 - 1e-9;
  // Instructions are issued a few hundred cycles ahead at the most. Small, to stay in the cache of the processor.
  static constexpr std::size_t window = 2048;
  static std::size_t at(std::int64_t cycle) { return static_cast<std::size_t>(cycle) % window; }
  static std::uint32_t mark_of(std::int64_t cycle) { return static_cast<std::uint32_t>(cycle) + 1; }

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

}  // namespace tilescope::model
