#include "profiler/execution/memory/output_writes.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilescope {
namespace {

// A block that loops over many tiles joins its ranges from this many on, and again when they have doubled.
constexpr std::size_t first_joining = 1 << 16;

}  // namespace

void join_ranges(std::vector<ElementRange>& ranges) {
  if (ranges.empty()) return;
  std::ranges::sort(ranges, {}, &ElementRange::first);
  std::size_t last = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first <= ranges[last].end) {
      ranges[last].end = std::max(ranges[last].end, ranges[i].end);
    } else {
      ranges[++last] = ranges[i];
    }
  }
  ranges.resize(last + 1);
}

std::int64_t elements_in(const std::vector<ElementRange>& ranges) {
  std::int64_t count = 0;
  for (const ElementRange& range : ranges) count += range.end - range.first;
  return count;
}

void OutputWrites::begin_block(const simt::Block&) {
  current_.clear();
  worth_joining_ = first_joining;
}

void OutputWrites::access(const simt::Warp&, const simt::MemoryAccess& access) {
  using simt::Access;
  if (access.space != simt::Space::global) return;
  if (access.access != Access::store && !is_atomic(access.access) && access.access != Access::matrix_store) {
    return;
  }
  for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t from = access.addresses[std::countr_zero(rest)] - tensor_.address;
    if (from >= tensor_.bytes) continue;
    const std::uint64_t to = std::min(from + access.lane_bytes, tensor_.bytes);
    const auto first = static_cast<std::int64_t>(from / tensor_.element_bytes);
    const auto end = static_cast<std::int64_t>((to + tensor_.element_bytes - 1) / tensor_.element_bytes);
    if (!current_.empty() && current_.back().end == first) {
      current_.back().end = end;
    } else {
      current_.push_back({first, end});
    }
  }
  if (current_.size() < worth_joining_) return;
  join_ranges(current_);
  worth_joining_ = std::max(first_joining, 2 * current_.size());
}

void OutputWrites::end_block(const simt::Block& block) {
  join_ranges(current_);
  blocks_.push_back({block.linear_index, current_});
}

}  // namespace tilescope
