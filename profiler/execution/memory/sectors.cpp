#include "profiler/execution/memory/sectors.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tilescope {

SectorCost sector_cost(const std::uint64_t* addresses, simt::LaneMask lanes, int lane_bytes) {
  std::array<std::uint64_t, simt::lane_count> starts;
  std::size_t count = 0;
  bool ascending = true;
  for (simt::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    starts[count] = addresses[std::countr_zero(rest)];
    ascending = ascending && (count == 0 || starts[count - 1] <= starts[count]);
    ++count;
  }
  if (!ascending) std::sort(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(count));

  // In ascending order, each lane adds what lies after the end of those before it.
  const auto width = static_cast<std::uint64_t>(lane_bytes);
  std::uint64_t sectors = 0, bytes = 0;
  std::uint64_t next_sector = 0, next_byte = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t end = starts[i] + width;
    const std::uint64_t end_sector = (end - 1) / sector_bytes + 1;
    sectors += end_sector - std::max(next_sector, starts[i] / sector_bytes);
    bytes += end - std::max(next_byte, starts[i]);
    next_sector = end_sector;
    next_byte = end;
  }
  return {static_cast<std::uint32_t>(sectors),
          static_cast<std::uint32_t>((bytes + sector_bytes - 1) / sector_bytes)};
}

SectorCost local_sector_cost(const std::uint64_t* addresses, simt::LaneMask lanes, int lane_bytes) {
  constexpr std::uint64_t word = 4;
  SectorCost sum;
  for (int offset = 0; offset < lane_bytes; offset += static_cast<int>(word)) {
    std::array<std::uint64_t, simt::lane_count> interleaved{};
    for (simt::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint64_t address = addresses[lane] + static_cast<std::uint64_t>(offset);
      interleaved[lane] = (address / word * simt::lane_count + lane) * word + address % word;
    }
    const SectorCost part =
        sector_cost(interleaved.data(), lanes, std::min(lane_bytes, static_cast<int>(word)));
    sum.sectors += part.sectors;
    sum.minimum += part.minimum;
  }
  return sum;
}

}  // namespace tilescope
