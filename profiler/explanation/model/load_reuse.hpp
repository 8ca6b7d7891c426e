#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profiler/execution/simt/observer.hpp"

/// Which loads from global memory find their data in L1.
namespace tilescope::model {

/// The L1 of one block: lines of 128 B in sectors of 32 B, the least recently used is replaced.
class BlockL1 {
 public:
  /// [B]
  explicit BlockL1(double bytes);
  /// The sectors of an access that L1 does not have; it has them afterwards.
  std::uint32_t missed(const simt::MemoryAccess& access);

 private:
  struct Line {
    std::uint64_t number = 0;
    unsigned sectors = 0;
  };
  const std::size_t most_lines_;
  std::list<Line> lines_;  // the latest first
  std::unordered_map<std::uint64_t, std::list<Line>::iterator> by_number_;
};

/// The sectors that each instruction of a block reads, up to a number that is enough to compare blocks.
class ReadSectors {
 public:
  void add(std::uint32_t instruction, const simt::MemoryAccess& access);
  bool reads(std::uint32_t instruction) const { return by_instruction_.contains(instruction); }
  /// Whether most of an instruction's sectors are also read by it in the other block; false where it reads none.
  bool are_shared(std::uint32_t instruction, const ReadSectors& other) const;

 private:
  std::unordered_map<std::uint32_t, std::unordered_set<std::uint64_t>> by_instruction_;
};

}  // namespace tilescope::model
