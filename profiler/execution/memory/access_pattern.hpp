#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "profiler/execution/simt/program.hpp"

namespace tilescope {

/// Whether the active lanes of two accesses have the same distances: addresses[lane] - base == deltas[lane]. Both have
/// 32 entries; inactive lanes' are ignored.
bool has_deltas(const std::uint64_t* addresses, std::uint64_t base, const std::uint64_t* deltas,
                simt::LaneMask lanes);

/// The last few patterns of an instruction, each with its cost: most executions repeat one of them at another place. A
/// pattern can move by multiples of `phase_bytes` without a change of its cost. [B]
template <class Cost, std::uint64_t phase_bytes>
class PatternCache {
 public:
  /// The cost of an access of `lanes`, which must not be empty; `compute()` returns it for a new pattern.
  template <class Compute>
  const Cost& find(const std::uint64_t* addresses, simt::LaneMask lanes, Compute compute) {
    const std::uint64_t base = addresses[std::countr_zero(lanes)];
    const std::uint64_t phase = base % phase_bytes;
    for (std::size_t i = 0; i < used_; ++i) {
      const std::size_t way = (latest_ + i) % ways;
      const Pattern& pattern = patterns_[way];
      if (pattern.lanes == lanes && pattern.phase == phase &&
          has_deltas(addresses, base, pattern.deltas.data(), lanes)) {
        latest_ = way;
        return pattern.cost;
      }
    }
    return remember(addresses, lanes, base, phase, compute());
  }

 private:
  static constexpr std::size_t ways = 4;
  struct Pattern {
    std::array<std::uint64_t, simt::lane_count> deltas{};
    std::uint64_t phase = 0;
    simt::LaneMask lanes = 0;
    Cost cost;
  };

  const Cost& remember(const std::uint64_t* addresses, simt::LaneMask lanes, std::uint64_t base,
                       std::uint64_t phase, const Cost& cost) {
    // The entry after the latest is approximately the least recently used one; unused entries come first.
    latest_ = used_ < ways ? used_++ : (latest_ + ways - 1) % ways;
    Pattern& pattern = patterns_[latest_];
    for (std::size_t lane = 0; lane < simt::lane_count; ++lane) pattern.deltas[lane] = addresses[lane] - base;
    pattern.phase = phase;
    pattern.lanes = lanes;
    pattern.cost = cost;
    return pattern.cost;
  }

  std::array<Pattern, ways> patterns_;
  std::size_t used_ = 0;
  std::size_t latest_ = 0;
};

}  // namespace tilescope
