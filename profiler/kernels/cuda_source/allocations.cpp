#include "profiler/kernels/cuda_source/allocations.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace tilescope {
namespace {

struct Allocator {
  std::string_view name;
  Allocation::Kind kind;
  std::size_t arguments;  ///< at least
};

constexpr std::array<Allocator, 18> allocators = {{
    {"cudaMalloc", Allocation::bytes, 2},
    {"cudaMallocManaged", Allocation::bytes, 2},
    {"cudaMallocAsync", Allocation::bytes, 2},
    {"cudaMallocFromPoolAsync", Allocation::bytes, 2},
    {"cudaMallocHost", Allocation::bytes, 2},
    {"cudaHostAlloc", Allocation::bytes, 2},
    {"cuMemAlloc", Allocation::bytes, 2},
    {"cuMemAllocManaged", Allocation::bytes, 2},
    {"cudaMallocPitch", Allocation::pitch, 4},
    {"cudaHostGetDevicePointer", Allocation::alias, 2},
    {"cudaGetSymbolAddress", Allocation::unknown, 2},
    {"cudaMemset", Allocation::set, 3},
    {"cudaMemsetAsync", Allocation::set, 3},
    {"cudaMemcpy", Allocation::copy, 4},
    {"cudaMemcpyAsync", Allocation::copy, 4},
    {"cudaMemcpy2D", Allocation::copy, 4},
    {"resize", Allocation::count, 1},
    {"assign", Allocation::count, 2},
}};

std::optional<HostName> target_of(const Allocation& allocation) {
  if (allocation.kind == Allocation::count)
    return host_name_of(allocation.call.child("function").child("argument"));
  if (!allocation.writes_contents()) return pointee_of(allocation.arguments[0]);
  return host_name_of(allocation.arguments[0]);
}

}  // namespace

Allocations::Allocations(const SourceIndex& index) {
  std::vector<Allocation> all;
  for (const Allocator& allocator : allocators) {
    for (const SyntaxNode& call : index.calls_of(std::string(allocator.name))) {
      Allocation one{allocator.kind, {}, call, call.child("arguments").operands(), index.function_of(call)};
      if (one.arguments.size() < allocator.arguments) continue;
      const auto target = target_of(one);
      if (!target) continue;
      one.target = *target;
      all.push_back(std::move(one));
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Allocation& a, const Allocation& b) { return a.call.index() < b.call.index(); });
  for (const Allocation& one : all) {
    const std::string member = last_member(one.target.path);
    if (!one.writes_contents()) by_member_[member.empty() ? one.target.base : member].push_back(one);
    by_base_[one.target.base].push_back(one);
  }
}

const std::vector<Allocation>& Allocations::of(const std::string& base) const {
  static const std::vector<Allocation> none;
  const auto found = by_base_.find(base);
  return found == by_base_.end() ? none : found->second;
}

const std::vector<Allocation>& Allocations::of_member(const std::string& name) const {
  static const std::vector<Allocation> none;
  const auto found = by_member_.find(name);
  return found == by_member_.end() ? none : found->second;
}

}  // namespace tilescope
