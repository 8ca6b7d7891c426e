#include "profiler/explanation/model/atomic_counts.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "profiler/execution/memory/sectors.hpp"
#include "profiler/explanation/model/access_lines.hpp"
#include "profiler/explanation/model/mixed_hash.hpp"

namespace tilescope::model {
namespace {

// [B] Neighbouring addresses that one slice of L2 has. Inferred from an H200 and an H100: operations on 16 KB are some 16
// times as fast as those on 1 KB, and those on 256 B are as slow as on 1 KB.
constexpr std::uint64_t bytes_of_slice = 1024;

}  // namespace

AtomicCounts::AtomicCounts()
    : integers_(std::make_unique<Counters>()),
      floats_(std::make_unique<Counters>()),
      slices_(std::make_unique<Counters>()),
      lines_(std::make_unique<Counters>()) {}

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
  Counters& of_addresses = are_floats ? *floats_ : *integers_;
  for (std::size_t i = 0; i < used;) {
    const std::uint64_t sector = addresses[i].first / sector_bytes;
    std::uint32_t turns = 0;
    for (; i < used && addresses[i].first / sector_bytes == sector; ++i) {
      turns = std::max(turns, addresses[i].second);
      count(of_addresses, addresses[i].first, addresses[i].second);
    }
    count(*slices_, sector * sector_bytes / bytes_of_slice, turns);
    count(*lines_, sector * sector_bytes / bytes_of_line, turns);
  }
}

AtomicQueue AtomicCounts::queue(double factor) const {
  const auto most = [&](const Counters& of) {
    std::uint32_t value = 0;
    for (const std::atomic<std::uint32_t>& one : of)
      value = std::max(value, one.load(std::memory_order_relaxed));
    return factor * value;
  };
  return {most(*integers_), most(*floats_), most(*slices_), most(*lines_)};
}

}  // namespace tilescope::model
