#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "profiler/execution/memory/paged_table.hpp"
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
  struct Sectors {
    /// By the number of a line: a bit for each of its sectors.
    PagedTable<std::uint8_t, 4> of_line;
    /// Lines that have any.
    std::vector<std::uint64_t> lines;
    std::size_t count = 0;
  };
  std::unordered_map<std::uint32_t, Sectors> by_instruction_;
};

}  // namespace tilescope::model
