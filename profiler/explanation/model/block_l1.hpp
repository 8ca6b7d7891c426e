#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/execution/memory/paged_table.hpp"
#include "profiler/explanation/model/access_lines.hpp"

namespace tilescope::model {

/// The part of L1 that one block has: lines of 128 B in sectors of 32 B, of which the least recently used one is replaced.
/// All stores go to L2; those to global memory leave it as it is, those to local memory stay in it, too.
class BlockL1 {
 public:
  struct Line {
    std::uint64_t number = 0;
    /// A bit for each sector that it has, and for each of these that came from DRAM.
    unsigned sectors = 0, from_dram = 0;
    /// When each sector came, in the caller's time, and a bit for each warp that has waited for it.
    std::array<std::uint64_t, sectors_of_line> filled{}, waited{};
  };

  /// [B]
  explicit BlockL1(double bytes);
  /// The line, for which another one makes room where it is new. Until the next call.
  Line& find(std::uint64_t number);

 private:
  struct Entry {
    Line line;
    /// The neighbours in the order of use, in a ring that begins with entry 0, which has no line.
    std::uint32_t before = 0, behind = 0;
  };
  void unlink(std::uint32_t entry);
  void put_first(std::uint32_t entry);

  const std::size_t most_lines_;
  std::vector<Entry> entries_;
  // By the number of the line; 0 where L1 does not have it.
  PagedTable<std::uint32_t, 4> entry_of_;
};

}  // namespace tilescope::model
