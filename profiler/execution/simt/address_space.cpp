#include "profiler/execution/simt/address_space.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tilescope::simt {

std::string_view name_of(Space space) {
  constexpr std::array<std::string_view, 6> names = {"generic", "global", "shared",
                                                     "local",   "param",  "const"};
  return names[static_cast<std::size_t>(space)];
}
namespace {

constexpr std::uint64_t alignment = 256;
// Between two allocations, so that an index that is off by a whole tile still hits no memory.
constexpr std::uint64_t gap = std::uint64_t{2} << 20;

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

std::uint64_t GlobalMemory::allocate(const std::string& name, std::uint64_t bytes, std::byte fill) {
  auto data = std::make_unique<std::byte[]>(std::max<std::uint64_t>(bytes, 1));
  std::memset(data.get(), std::to_integer<int>(fill), bytes);
  const std::uint64_t address = attach(name, data.get(), bytes, false);
  owned_.push_back(std::move(data));
  return address;
}

std::uint64_t GlobalMemory::allocate_sparse(const std::string& name, std::uint64_t bytes) {
  sparse_.push_back(std::make_unique<SparseMemory>(bytes));
  return attach({name, 0, bytes, sparse_.back()->data(), false, true});
}

std::uint64_t GlobalMemory::attach(const std::string& name, std::byte* data, std::uint64_t bytes,
                                   bool read_only) {
  return attach({name, 0, bytes, data, read_only, false});
}

std::uint64_t GlobalMemory::attach(Allocation allocation) {
  const std::uint64_t address = next_;
  next_ = round_up(address + allocation.bytes + gap, alignment);
  allocation.address = address;
  insert(std::move(allocation));
  return address;
}

void GlobalMemory::place(const std::string& name, std::uint64_t address, std::vector<std::byte> initial,
                         bool read_only) {
  auto data = std::make_unique<std::byte[]>(std::max<std::size_t>(initial.size(), 1));
  std::copy(initial.begin(), initial.end(), data.get());
  insert({name, address, initial.size(), data.get(), read_only, false});
  owned_.push_back(std::move(data));
}

void GlobalMemory::insert(Allocation allocation) {
  const auto after = std::ranges::upper_bound(allocations_, allocation.address, {}, &Allocation::address);
  allocations_.insert(after, std::move(allocation));
}

const Allocation* GlobalMemory::nearest(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(allocations_, address, {}, &Allocation::address);
  if (after == allocations_.begin()) return allocations_.empty() ? nullptr : &allocations_.front();
  return &*std::prev(after);
}

const Allocation* GlobalMemory::find(std::uint64_t address, std::uint64_t bytes) const {
  const Allocation* candidate = nearest(address);
  if (candidate == nullptr || address < candidate->address) return nullptr;
  const std::uint64_t offset = address - candidate->address;
  const bool inside = offset <= candidate->bytes && bytes <= candidate->bytes - offset;
  return inside ? candidate : nullptr;
}

}  // namespace tilescope::simt
