#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "profiler/explanation/model/access_lines.hpp"

namespace tilescope::model {

/// The sectors that each instruction of a block reads, up to a number that is enough to compare blocks.
class ReadSectors {
 public:
  void add(std::uint32_t instruction, std::span<const TouchedLine> lines);
  bool reads(std::uint32_t instruction) const { return by_instruction_.contains(instruction); }
  /// Whether most of an instruction's sectors are also read by it in the other block; false where it reads none.
  bool are_shared(std::uint32_t instruction, const ReadSectors& other) const;

 private:
  std::unordered_map<std::uint32_t, std::unordered_set<std::uint64_t>> by_instruction_;
};

}  // namespace tilescope::model
