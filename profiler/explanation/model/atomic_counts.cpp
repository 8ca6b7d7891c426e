#include "profiler/explanation/model/atomic_counts.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "profiler/execution/memory/sectors.hpp"
#include "profiler/explanation/model/mixed_hash.hpp"

namespace tilescope::model {
namespace {

// Addresses that one slice of L2 has are those with equal bits from 10 on, and an equal bit 8. Inferred from an H200, where
// 512 B are as fast as 1 KB and twice as fast as 256 B (hardware/atomic_turns_h200.csv); larger arrays meet a little more
// often there.
std::uint64_t slice_of(std::uint64_t address) {
  return address >> 10 << 1 | (address >> 8 & 1);
}

}  // namespace

AtomicCounts::AtomicCounts()
    : slices_(std::make_unique<Counters>()), float_sectors_(std::make_unique<Counters>()) {}

void AtomicCounts::add(const simt::MemoryAccess& access, bool are_floats) {
  // The addresses of the warp, each once, with the lanes that have it.
  std::array<std::pair<std::uint64_t, std::uint32_t>, simt::lane_count> addresses;
  std::size_t used = 0;
  for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.addresses[std::countr_zero(rest)];
    const auto end = addresses.begin() + static_cast<std::ptrdiff_t>(used);
    const auto found =
        std::find_if(addresses.begin(), end, [&](const auto& one) { return one.first == address; });
    if (found == end) addresses[used++] = {address, 0};
    ++found->second;
  }
  std::sort(addresses.begin(), addresses.begin() + static_cast<std::ptrdiff_t>(used));
  const auto count = [](Counters& of, std::uint64_t key, std::uint32_t by) {
    of[mixed(0, key) % counters].fetch_add(by, std::memory_order_relaxed);
  };
  for (std::size_t i = 0; i < used;) {
    const std::uint64_t sector = addresses[i].first / sector_bytes;
    std::uint32_t turns = 0;
    for (; i < used && addresses[i].first / sector_bytes == sector; ++i)
      turns = std::max(turns, addresses[i].second);
    count(*slices_, slice_of(sector * sector_bytes), turns);
    if (are_floats) count(*float_sectors_, sector, turns);
  }
}

AtomicQueue AtomicCounts::queue(double factor) const {
  const auto most = [&](const Counters& of) {
    std::uint32_t value = 0;
    for (const std::atomic<std::uint32_t>& one : of)
      value = std::max(value, one.load(std::memory_order_relaxed));
    return factor * value;
  };
  return {most(*slices_), most(*float_sectors_)};
}

}  // namespace tilescope::model
