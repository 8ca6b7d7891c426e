#include "profiler/explanation/model/touched_memory.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>

#include "profiler/execution/memory/sectors.hpp"

namespace tilescope::model {
namespace {

constexpr std::uint32_t written = 1u << 31, taken = 1u << 30, block_bits = taken - 1;

std::uint32_t mark_of(std::uint64_t block) {
  return static_cast<std::uint32_t>(block % (block_bits - 1)) + 1;
}

}  // namespace

TouchedMemory::TouchedMemory(const simt::GlobalMemory& memory) {
  buffers_.reserve(memory.allocations().size());
  for (const simt::Allocation& allocation : memory.allocations()) {
    const std::uint64_t sectors = (allocation.bytes + sector_bytes - 1) / sector_bytes;
    buffers_.push_back({allocation.address, allocation.bytes, std::vector<std::uint32_t>(sectors)});
  }
}

void TouchedMemory::add(const simt::MemoryAccess& access, std::uint64_t block) {
  const bool writes = access.access == simt::Access::store || simt::is_atomic(access.access);
  const std::uint32_t mark = mark_of(block);
  Buffer* buffer = nullptr;
  for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.addresses[std::countr_zero(rest)];
    if (buffer == nullptr || address - buffer->address >= buffer->bytes) buffer = find(address);
    if (buffer == nullptr) continue;
    const std::atomic_ref sector(buffer->sectors[(address - buffer->address) / sector_bytes]);
    std::uint32_t before = sector.load(std::memory_order_relaxed);
    while ((before & block_bits) == 0 &&
           !sector.compare_exchange_weak(before, before | mark, std::memory_order_relaxed)) {
    }
    if (writes && (before & written) == 0) sector.fetch_or(written, std::memory_order_relaxed);
  }
}

bool TouchedMemory::take_first(std::uint64_t sector, std::uint64_t block) {
  const std::uint64_t address = sector * sector_bytes;
  Buffer* const buffer = find(address);
  if (buffer == nullptr) return false;
  const std::atomic_ref mark(buffer->sectors[(address - buffer->address) / sector_bytes]);
  const std::uint32_t before = mark.load(std::memory_order_relaxed);
  if ((before & block_bits) != mark_of(block) || (before & taken) != 0) return false;
  mark.fetch_or(taken, std::memory_order_relaxed);
  return true;
}

TouchedMemory::Buffer* TouchedMemory::find(std::uint64_t address) {
  const auto behind = std::ranges::upper_bound(buffers_, address, {}, &Buffer::address);
  if (behind == buffers_.begin()) return nullptr;
  Buffer& buffer = *std::prev(behind);
  return address - buffer.address < buffer.bytes ? &buffer : nullptr;
}

double TouchedMemory::bytes_with(std::uint32_t bits) const {
  std::uint64_t sectors = 0;
  for (const Buffer& buffer : buffers_)
    sectors += static_cast<std::uint64_t>(
        std::ranges::count_if(buffer.sectors, [bits](std::uint32_t one) { return (one & bits) != 0; }));
  return static_cast<double>(sectors * sector_bytes);
}

double TouchedMemory::bytes() const {
  return bytes_with(block_bits);
}

double TouchedMemory::written_bytes() const {
  return bytes_with(written);
}

}  // namespace tilescope::model
