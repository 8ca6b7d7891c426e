#include "profiler/explanation/model/load_reuse.hpp"

#include <algorithm>
#include <bit>

#include "profiler/execution/memory/past_l1.hpp"
#include "profiler/execution/memory/sectors.hpp"

namespace tilescope::model {
namespace {

constexpr std::uint64_t bytes_of_line = 128;
constexpr std::uint64_t read_sector = sector_bytes;
constexpr std::size_t compared_sectors = 2048;

template <class F>
void for_each_sector(const simt::MemoryAccess& access, const F& visit) {
  std::uint64_t last = ~std::uint64_t{0};
  for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.addresses[std::countr_zero(rest)];
    const std::uint64_t end = (address + access.lane_bytes - 1) / read_sector;
    for (std::uint64_t sector = address / read_sector; sector <= end; ++sector) {
      if (sector != last) visit(sector);
      last = sector;
    }
  }
}

}  // namespace

BlockL1::BlockL1(double bytes)
    : most_lines_(static_cast<std::size_t>(std::max(bytes / static_cast<double>(bytes_of_line), 1.0))) {}

std::uint32_t BlockL1::missed(const simt::MemoryAccess& access) {
  std::uint32_t missed = 0;
  for_each_sector(access, [&](std::uint64_t sector) {
    constexpr std::uint64_t sectors_of_line = bytes_of_line / read_sector;
    const std::uint64_t number = sector / sectors_of_line;
    const unsigned bit = 1u << (sector % sectors_of_line);
    const auto found = by_number_.find(number);
    if (found != by_number_.end()) {
      lines_.splice(lines_.begin(), lines_, found->second);
      if ((lines_.front().sectors & bit) == 0) ++missed;
      lines_.front().sectors |= bit;
      return;
    }
    ++missed;
    if (lines_.size() == most_lines_) {
      by_number_.erase(lines_.back().number);
      lines_.pop_back();
    }
    lines_.push_front({number, bit});
    by_number_[number] = lines_.begin();
  });
  return missed;
}

void ReadSectors::add(std::uint32_t instruction, const simt::MemoryAccess& access) {
  std::unordered_set<std::uint64_t>& sectors = by_instruction_[instruction];
  for_each_sector(access, [&](std::uint64_t sector) {
    if (sectors.size() < compared_sectors) sectors.insert(sector);
  });
}

bool ReadSectors::are_shared(std::uint32_t instruction, const ReadSectors& other) const {
  const auto mine = by_instruction_.find(instruction), others = other.by_instruction_.find(instruction);
  if (mine == by_instruction_.end() || others == other.by_instruction_.end()) return false;
  std::size_t common = 0;
  for (const std::uint64_t sector : mine->second) common += others->second.contains(sector) ? 1 : 0;
  return common * 10 >= std::min(mine->second.size(), others->second.size()) * 9;
}

}  // namespace tilescope::model
