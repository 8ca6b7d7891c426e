#include "profiler/execution/memory/memory_counter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tilescope {

using simt::Access;
using simt::Space;

MemoryCounter::MemoryCounter(const simt::Program& program, std::shared_ptr<const TileMap> tiles,
                             std::shared_ptr<const BlockWeights> weights)
    : program_(program),
      tiles_(std::move(tiles)),
      weights_(std::move(weights)),
      first_site_(program.code.size(), simt::no_index),
      classes_(weights_->weights().size()) {}

void MemoryCounter::begin_block(const simt::Block& block) {
  current_ = &classes_[weights_->class_of(block.linear_index)];
  current_->tallies.resize(subjects_.size());
}

void MemoryCounter::access(const simt::Warp&, const simt::MemoryAccess& access) {
  if (access.access == Access::async_copy_write) return;
  Site& site = site_of(access);
  const std::uint64_t first = access.addresses[std::countr_zero(access.lanes)];
  if (!site.tile.contains(first) || site.tally == simt::no_index) choose_tally(site, access, first);
  Tally& tally = current_->tallies[site.tally];
  ++tally.executions;
  tally.lanes += static_cast<unsigned>(std::popcount(access.lanes));
  if (access.space == Space::shared) {
    const SharedCost& cost = shared_cost_at(site, access);
    tally.wavefronts += cost.wavefronts;
    tally.minimum += cost.minimum;
    ++tally.degrees[cost.degree];
  } else if (access.space == Space::global) {
    const SectorCost& cost = site.global.find(access.addresses, access.lanes, [&] {
      return sector_cost(access.addresses, access.lanes, access.lane_bytes);
    });
    tally.wavefronts += cost.sectors;
    tally.minimum += cost.minimum;
  } else if (access.space == Space::local) {
    const SectorCost& cost = site.local.find(access.addresses, access.lanes, [&] {
      return local_sector_cost(access.addresses, access.lanes, access.lane_bytes);
    });
    tally.wavefronts += cost.sectors;
    tally.minimum += cost.minimum;
  }
}

const SharedCost& MemoryCounter::shared_cost_at(Site& site, const simt::MemoryAccess& access) {
  const auto compute = [&] { return shared_cost(access); };
  if (access.source_addresses == nullptr) return site.shared.find(access.addresses, access.lanes, compute);
  constexpr std::uint64_t whole_lines = ~std::uint64_t{127};
  // No distance between two lanes that read 16 B.
  constexpr std::uint64_t no_source = 1;
  const std::uint64_t to = access.addresses[std::countr_zero(access.lanes)] & whole_lines;
  const std::uint64_t from = access.source_addresses[std::countr_zero(access.source_lanes)] & whole_lines;
  std::array<std::uint64_t, simt::lane_count> both;
  for (std::size_t lane = 0; lane < both.size(); ++lane) {
    const bool reads = (access.source_lanes >> lane & 1u) != 0;
    both[lane] = (access.addresses[lane] - to) +
                 ((reads ? access.source_addresses[lane] - from : no_source) << shared_bits);
  }
  return site.past_l1.find(both.data(), access.lanes, compute);
}

void MemoryCounter::block_barrier(const simt::Block&, int, std::span<const simt::LaneMask>,
                                  std::span<const simt::LaneMask> released) {
  for (const simt::LaneMask lanes : released) current_->barriers += lanes != 0 ? 1u : 0u;
}

void MemoryCounter::end_block(const simt::Block& block) {
  current_->warp_instructions += block.clock;
}

MemoryCounter::Site& MemoryCounter::site_of(const simt::MemoryAccess& access) {
  std::uint32_t& first = first_site_[static_cast<std::size_t>(access.instruction - program_.code.data())];
  for (std::uint32_t i = first; i != simt::no_index; i = sites_[i].next) {
    if (sites_[i].access == access.access && sites_[i].space == access.space) return sites_[i];
  }
  sites_.push_back({access.space, access.access, first, simt::no_index, {}, {}, {}, {}, {}});
  first = static_cast<std::uint32_t>(sites_.size() - 1);
  return sites_.back();
}

void MemoryCounter::choose_tally(Site& site, const simt::MemoryAccess& access, std::uint64_t address) {
  const bool has_tiles = access.space == Space::shared || access.space == Space::global;
  site.tile = has_tiles ? tiles_->find(access.space, address) : TileMap::Range{0, UINT64_MAX, 0};
  const Subject subject{static_cast<std::uint32_t>(access.instruction - program_.code.data()), access.space,
                        access.access, access.lane_bytes, site.tile.name};
  const auto found = std::ranges::find(subjects_, subject);
  site.tally = static_cast<std::uint32_t>(found - subjects_.begin());
  if (found == subjects_.end()) {
    subjects_.push_back(subject);
    current_->tallies.resize(subjects_.size());
  }
}

}  // namespace tilescope
