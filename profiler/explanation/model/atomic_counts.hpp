#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "profiler/execution/simt/observer.hpp"
#include "profiler/explanation/model/executed_kernel.hpp"

namespace tilescope::model {

/// Counts how atomic operations on global memory meet, from any host threads. Slices and sectors are counted by a hash of
/// 16 bits: where so many are used that two share a count, none of them has many.
class AtomicCounts {
 public:
  AtomicCounts();
  void add(const simt::MemoryAccess& access, bool are_floats);
  /// `factor`: the whole launch over what was counted.
  AtomicQueue queue(double factor) const;

 private:
  static constexpr std::size_t counters = std::size_t{1} << 16;
  using Counters = std::array<std::atomic<std::uint32_t>, counters>;
  std::unique_ptr<Counters> slices_, float_sectors_;
};

}  // namespace tilescope::model
