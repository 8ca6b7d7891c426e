#include "profiler/explanation/model/read_sectors.hpp"

#include <algorithm>
#include <bit>

namespace tilescope::model {
namespace {

constexpr std::size_t compared_sectors = 2048;

}  // namespace

void ReadSectors::add(std::uint32_t instruction, std::span<const TouchedLine> lines) {
  Sectors& read = by_instruction_[instruction];
  for (const TouchedLine& line : lines) {
    if (read.count == compared_sectors) return;
    std::uint8_t& known = read.of_line[line.number];
    if (known == 0) read.lines.push_back(line.number);
    for (unsigned fresh = line.sectors() & ~unsigned{known}; fresh != 0 && read.count < compared_sectors;
         fresh &= fresh - 1) {
      known = static_cast<std::uint8_t>(known | (fresh & (0 - fresh)));
      ++read.count;
    }
  }
}

bool ReadSectors::are_shared(std::uint32_t instruction, const ReadSectors& other) const {
  const auto mine = by_instruction_.find(instruction), others = other.by_instruction_.find(instruction);
  if (mine == by_instruction_.end() || others == other.by_instruction_.end()) return false;
  std::size_t common = 0;
  for (const std::uint64_t line : mine->second.lines) {
    const std::uint8_t* const theirs = others->second.of_line.find(line);
    if (theirs == nullptr) continue;
    const unsigned both = unsigned{*theirs} & *mine->second.of_line.find(line);
    common += static_cast<std::size_t>(std::popcount(both));
  }
  return common * 10 >= std::min(mine->second.count, others->second.count) * 9;
}

}  // namespace tilescope::model
