#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/observer.hpp"

namespace tilescope::model {

/// Which sectors of a launch's buffers are read or written, and by which block first. Host threads share it.
class TouchedMemory {
 public:
  /// Memory that is allocated later is not counted.
  explicit TouchedMemory(const simt::GlobalMemory& memory);

  /// Adds an access of a block, by its linear index.
  void add(const simt::MemoryAccess& access, std::uint64_t block);
  /// Whether the block touched a sector (address / 32) before all others and this was not asked before: true once.
  bool take_first(std::uint64_t sector, std::uint64_t block);
  /// [B] After the run, whole sectors: all of them, and those that are written.
  double bytes() const;
  double written_bytes() const;

 private:
  struct Buffer {
    std::uint64_t address = 0, bytes = 0;
    /// For each sector: 0, or the block + 1 in the low bits, and whether it was written and taken.
    std::vector<std::uint32_t> sectors;
  };
  /// nullptr where it lies in none.
  Buffer* find(std::uint64_t address);
  double bytes_with(std::uint32_t bits) const;

  std::vector<Buffer> buffers_;  // by ascending address
};

}  // namespace tilescope::model
