#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope {

/// Names for addresses: the kernel's tiles in shared memory, its allocations in global memory.
class TileMap {
 public:
  /// The half-open range of addresses with one name around an address.
  struct Range {
    std::uint64_t begin = 0, end = 0;
    /// For name(); 0 is "".
    std::uint32_t name = 0;
    bool contains(std::uint64_t address) const { return address >= begin && address < end; }
  };

  /// Without tiles the shared variables of the program name the memory; dynamic shared memory reaches to the end.
  TileMap(const simt::Program& program, const std::vector<NamedTile>& tiles,
          const simt::GlobalMemory& memory);

  Range find(simt::Space space, std::uint64_t address) const;
  const std::string& name(std::uint32_t index) const { return names_[index]; }

 private:
  std::uint32_t number_of(const std::string& name);
  static Range find_in(const std::vector<Range>& ranges, std::uint64_t address);

  std::vector<std::string> names_ = {""};
  std::vector<Range> shared_, global_;  // disjoint, ascending
};

}  // namespace tilescope
