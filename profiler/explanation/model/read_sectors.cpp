#include "profiler/explanation/model/read_sectors.hpp"

#include <algorithm>

namespace tilescope::model {
namespace {

constexpr std::size_t compared_sectors = 2048;

}  // namespace

void ReadSectors::add(std::uint32_t instruction, std::span<const TouchedLine> lines) {
  std::unordered_set<std::uint64_t>& sectors = by_instruction_[instruction];
  for (const TouchedLine& line : lines) {
    for (unsigned sector = 0; sector < sectors_of_line; ++sector)
      if (line.bytes[sector] != 0 && sectors.size() < compared_sectors)
        sectors.insert(line.number * sectors_of_line + sector);
  }
}

bool ReadSectors::are_shared(std::uint32_t instruction, const ReadSectors& other) const {
  const auto mine = by_instruction_.find(instruction), others = other.by_instruction_.find(instruction);
  if (mine == by_instruction_.end() || others == other.by_instruction_.end()) return false;
  std::size_t common = 0;
  for (const std::uint64_t sector : mine->second) common += others->second.contains(sector) ? 1 : 0;
  return common * 10 >= std::min(mine->second.size(), others->second.size()) * 9;
}

}  // namespace tilescope::model
