#include "profiler/views/memory/sector_reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>

#include "profiler/execution/memory/shared_passes.hpp"
#include "profiler/views/memory/lane_words.hpp"
#include "profiler/views/memory/number_lists.hpp"

namespace tilescope {
namespace {

using simt::LaneMask;

std::string scattered_cause(const MicroscopeView& view, std::uint64_t used_bytes) {
  LaneMask active = 0;
  for (std::size_t lane = 0; lane < view.lanes.size(); ++lane) {
    if (view.lanes[lane].role != LaneRole::idle) active |= LaneMask{1} << lane;
  }
  const std::vector<std::int64_t> lanes = lanes_in(active);
  std::vector<std::int64_t> addresses = lane_addresses(view, lanes);
  const std::int64_t step = common_step(lanes) == 1 ? common_step(addresses).value_or(0) : 0;
  std::ranges::sort(addresses);
  const auto width = static_cast<std::int64_t>(view.site.width_bytes);
  const std::int64_t span = addresses.back() + width - addresses.front();
  const std::int64_t into = addresses.front() % static_cast<std::int64_t>(sector_bytes);
  if (span == static_cast<std::int64_t>(used_bytes) && into != 0)
    return fmt::format("the first one begins {} B into a sector", into);
  if (std::abs(step) > width)
    return fmt::format("neighbouring lanes are {} apart",
                       bytes_words(static_cast<std::uint64_t>(std::abs(step))));
  std::set<std::uint64_t> lines;
  for (const UsedSector& sector : view.global.sectors) lines.insert(sector.address / line_bytes);
  return fmt::format("the addresses lie in {} of 128 B",
                     counted_noun(static_cast<std::int64_t>(lines.size()), "line"));
}

}  // namespace

std::string sector_reason(const MicroscopeView& view) {
  std::uint64_t used = 0;
  for (const UsedSector& sector : view.global.sectors)
    used += static_cast<std::uint64_t>(std::popcount(sector.bytes));
  const std::uint64_t moved = view.cost * sector_bytes;
  if (!view.has_excess) {
    return used == moved ? fmt::format("Every byte of the {} is used.", counted_noun(view.cost, "sector"))
                         : fmt::format("{} of the {} moved are used; fewer sectors could not hold them.",
                                       bytes_words(used), bytes_words(moved));
  }
  return fmt::format("{} of the {} moved are used. They would fit into {} but lie in {}: {}.",
                     bytes_words(used), bytes_words(moved), counted_noun(view.minimum, "sector"), view.cost,
                     scattered_cause(view, used));
}

}  // namespace tilescope
