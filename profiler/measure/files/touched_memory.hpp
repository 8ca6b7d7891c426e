#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/observer.hpp"

namespace tilescope {

/// Which sectors of a launch's buffers are read or written, by any of its blocks.
class TouchedMemory {
 public:
  /// Memory that is allocated later is not counted.
  explicit TouchedMemory(const simt::GlobalMemory& memory);
  /// For one host thread. This must outlive it.
  std::unique_ptr<simt::Observer> make_observer();
  /// [B] After the run, whole sectors.
  double bytes() const;

  /// Adds the sectors of one access.
  void add(const simt::MemoryAccess& access);

 private:
  struct Buffer {
    std::uint64_t address = 0, bytes = 0;
    /// 1 for a sector that was touched. Host threads share it.
    std::vector<std::uint8_t> sectors;
  };
  std::vector<Buffer> buffers_;  // by ascending address
};

}  // namespace tilescope
