#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profiler/execution/simt/observer.hpp"

namespace tilescope {

/// A lane's read of shared memory that nothing had written.
struct UnwrittenRead {
  const simt::Instruction* instruction = nullptr;
  std::uint32_t thread = 0;
  /// [B] in shared memory
  std::uint64_t address = 0;
  /// [B] of the lane's whole load
  std::uint32_t bytes = 0;
};

/// Bytes of a block's shared memory that hold values which depend on an unwritten read, until they are overwritten: a
/// reduction adds such a value to others several times before it stores the sum to global memory.
class CarriedReads {
 public:
  /// The start of a block with `shared_bytes` of shared memory.
  void begin(std::size_t shared_bytes);

  /// The store that comes next leaves such a value at `address` [B].
  void prepare(std::uint64_t address, const UnwrittenRead& read);
  /// An access that writes shared memory: defined values take the place of those that were not prepared. An atomic
  /// leaves a sum that depends on the value before it.
  void written(const simt::MemoryAccess& access);
  /// The store has ended, maybe with a fault.
  void drop_prepared() { prepared_.clear(); }

  /// nullptr for a byte that depends on none.
  const UnwrittenRead* at(std::uint64_t address) const;
  bool is_any(std::uint64_t address, std::uint64_t bytes) const;
  /// Whether a lane of a load takes such a byte.
  bool are_taken_by(const simt::MemoryAccess& load) const;

 private:
  using Number = std::uint32_t;

  Number number_of(const UnwrittenRead& read);
  void set(std::uint64_t address, Number number);

  std::size_t shared_bytes_ = 0;
  /// By byte: a number above 0 of a read. Empty before the first one.
  std::vector<Number> of_byte_;
  std::size_t count_ = 0;
  std::vector<UnwrittenRead> reads_;
  std::map<std::pair<const simt::Instruction*, std::uint64_t>, Number> known_;
  std::vector<std::pair<std::uint64_t, Number>> prepared_;
};

}  // namespace tilescope
