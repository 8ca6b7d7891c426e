#include "profiler/explanation/layouts/layout_cost.hpp"

#include <algorithm>
#include <bit>

namespace tilescope {

std::array<std::uint64_t, 32> addresses_at(const TileAccess& access,
                                           const std::vector<std::uint32_t>& places) {
  std::array<std::uint64_t, 32> addresses = access.offsets;
  for (std::uint32_t rest = access.lanes & ~access.fixed_lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    addresses[lane] += places[access.elements[lane]];
  }
  return addresses;
}

SharedCost cost_of(const TileAccess& access, const std::vector<std::uint32_t>& places) {
  const std::array<std::uint64_t, 32> addresses = addresses_at(access, places);
  simt::MemoryAccess as_observed;
  as_observed.space = simt::Space::shared;
  as_observed.access = access.access;
  as_observed.lane_bytes = access.lane_bytes;
  as_observed.lanes = access.lanes;
  as_observed.addresses = addresses.data();
  as_observed.source_addresses = access.source_addresses.empty() ? nullptr : access.source_addresses.data();
  as_observed.source_lanes = access.source_lanes;
  return shared_cost(as_observed);
}

LayoutCost cost_of(const TileAccesses& tile, const std::vector<std::uint32_t>& places) {
  LayoutCost cost;
  for (const std::uint32_t site : tile.sites) cost.sites.push_back({site, 0, 0, 0});
  std::uint64_t worst_excess = 0, worst_wavefronts = 0;
  std::size_t place = 0;  // of the last access's site: neighbours mostly share one
  for (std::size_t i = 0; i < tile.accesses.size(); ++i) {
    const TileAccess& access = tile.accesses[i];
    const SharedCost once = cost_of(access, places);
    const std::uint64_t wavefronts = once.wavefronts * access.executions;
    const std::uint64_t minimum = once.minimum * access.executions;
    cost.wavefronts += wavefronts;
    cost.minimum += minimum;
    while (cost.sites[place].site != access.site) place = (place + 1) % cost.sites.size();
    cost.sites[place].executions += access.executions;
    cost.sites[place].wavefronts += wavefronts;
    cost.sites[place].minimum += minimum;
    const std::uint64_t excess = wavefronts - minimum;
    if (excess > worst_excess || (excess == worst_excess && wavefronts > worst_wavefronts)) {
      worst_excess = excess;
      worst_wavefronts = wavefronts;
      cost.worst = i;
    }
  }
  return cost;
}

CutRun find_cut(const TileAccesses& tile, const TileShape& shape, const std::vector<std::uint32_t>& places) {
  const auto element_bytes = static_cast<std::uint32_t>(shape.element_bytes);
  for (std::size_t i = 0; i < tile.runs.size(); ++i) {
    const TileRun& run = tile.runs[i];
    const std::uint32_t first = places[run.element];
    // An access is aligned to the greatest power of two in its width: 12 B move as 4 B each.
    if ((tile.base + first + run.byte) % (run.bytes & (0 - run.bytes)) != 0) return {Cut::misaligned, i};
    const std::uint32_t elements = (run.byte + run.bytes + element_bytes - 1) / element_bytes;
    for (std::uint32_t k = 1; k < elements; ++k) {
      const std::size_t next = std::size_t{run.element} + k;
      if (next >= places.size() || places[next] != first + k * element_bytes) return {Cut::apart, i};
    }
  }
  return {};
}

}  // namespace tilescope
