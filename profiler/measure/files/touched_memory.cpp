#include "profiler/measure/files/touched_memory.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>

#include "profiler/execution/memory/sectors.hpp"

namespace tilescope {
namespace {

class TouchObserver : public simt::Observer {
 public:
  explicit TouchObserver(TouchedMemory& touched) : touched_(touched) {}
  void access(const simt::Warp&, const simt::MemoryAccess& access) override {
    if (access.space == simt::Space::global) touched_.add(access);
  }

 private:
  TouchedMemory& touched_;
};

}  // namespace

TouchedMemory::TouchedMemory(const simt::GlobalMemory& memory) {
  buffers_.reserve(memory.allocations().size());
  for (const simt::Allocation& allocation : memory.allocations()) {
    const std::uint64_t sectors = (allocation.bytes + sector_bytes - 1) / sector_bytes;
    buffers_.push_back({allocation.address, allocation.bytes, std::vector<std::uint8_t>(sectors)});
  }
}

std::unique_ptr<simt::Observer> TouchedMemory::make_observer() {
  return std::make_unique<TouchObserver>(*this);
}

void TouchedMemory::add(const simt::MemoryAccess& access) {
  for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.addresses[std::countr_zero(rest)];
    const auto behind = std::ranges::upper_bound(buffers_, address, {}, &Buffer::address);
    if (behind == buffers_.begin()) continue;
    Buffer& buffer = *std::prev(behind);
    if (address - buffer.address >= buffer.bytes) continue;
    std::uint8_t& sector = buffer.sectors[(address - buffer.address) / sector_bytes];
    std::atomic_ref(sector).store(1, std::memory_order_relaxed);
  }
}

double TouchedMemory::bytes() const {
  std::uint64_t touched = 0;
  for (const Buffer& buffer : buffers_)
    touched += std::accumulate(buffer.sectors.begin(), buffer.sectors.end(), std::uint64_t{0});
  return static_cast<double>(touched * sector_bytes);
}

}  // namespace tilescope
