#include "profiler/execution/memory/grid_order.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilescope {

void GridOrder::begin_block(std::uint32_t block, std::size_t warps) {
  block_ = block;
  warps_.assign(warps, {});
  if (has_any_) std::erase_if(logs_, [](const auto& log) { return (log.first >> 63) != 0; });
  has_any_ = false;
}

void GridOrder::join(Known& into, const Known& other) {
  if (other == nullptr || into == other) return;
  if (into == nullptr) {
    into = other;
    return;
  }
  auto joined = std::make_shared<std::vector<Moment>>(*into);
  for (std::size_t thread = 0; thread < joined->size(); ++thread)
    (*joined)[thread] = std::max((*joined)[thread], (*other)[thread]);
  into = std::move(joined);
}

void GridOrder::join(Reach& into, const Reach& other) {
  for (const auto& [word, count] : other) into[word] = std::max(into[word], count);
}

GridOrder::Known GridOrder::known_now(std::size_t warp, simt::LaneMask lanes) const {
  const auto clock = order_.known(warp, static_cast<std::size_t>(std::countr_zero(lanes)));
  auto known = std::make_shared<std::vector<Moment>>(clock.begin(), clock.end());
  const std::size_t first = warp * simt::lane_count;
  for (simt::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const std::size_t thread = first + static_cast<std::size_t>(std::countr_zero(rest));
    if (thread < known->size()) (*known)[thread] = order_.now();
  }
  return known;
}

void GridOrder::fence(std::size_t warp, simt::LaneMask lanes, simt::FenceScope scope) {
  has_any_ = true;
  const Known now = known_now(warp, lanes);
  join(warps_[warp].in_block, now);
  if (scope == simt::FenceScope::grid) join(warps_[warp].in_grid, now);
}

void GridOrder::block_barrier(std::span<const simt::LaneMask> arrived,
                              std::span<const simt::LaneMask> released) {
  if (!has_any_) return;
  Warp all;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (arrived[w] == 0) continue;
    join(all.in_grid, warps_[w].in_grid);
    join(all.in_block, warps_[w].in_block);
    join(all.reach, warps_[w].reach);
  }
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (released[w] == 0) continue;
    join(warps_[w].in_grid, all.in_grid);
    join(warps_[w].in_block, all.in_block);
    join(warps_[w].reach, all.reach);
  }
}

void GridOrder::acquire(std::size_t warp, std::uint64_t word) {
  const auto log = logs_.find(word);
  if (log == logs_.end()) return;
  has_any_ = true;
  Reach& reach = warps_[warp].reach;
  reach[word] = static_cast<std::uint32_t>(log->second.releases.size());
  join(reach, log->second.reach);
}

void GridOrder::release(Thread thread, std::uint64_t word, bool releases) {
  const Warp& warp = warps_[thread.warp];
  Release made{warp.in_grid, warp.in_block};
  if (releases) made.in_grid = made.in_block = known_now(thread.warp, simt::LaneMask{1} << thread.lane);
  if (made.in_block == nullptr && warp.reach.empty()) return;
  has_any_ = true;
  Log& log = logs_[word];
  log.by_block[block_].push_back(static_cast<std::uint32_t>(log.releases.size()));
  log.releases.push_back(std::move(made));
  join(log.reach, warp.reach);
}

bool GridOrder::is_before(std::size_t warp, std::uint32_t block, std::uint32_t thread, Moment moment) const {
  for (const auto& [word, count] : warps_[warp].reach) {
    const auto log = logs_.find(word);
    if (log == logs_.end()) continue;
    const auto of_block = log->second.by_block.find(block);
    if (of_block == log->second.by_block.end()) continue;
    for (const std::uint32_t index : of_block->second) {
      if (index >= count) break;
      const Release& release = log->second.releases[index];
      const Known& known = block == block_ ? release.in_block : release.in_grid;
      if (known != nullptr && thread < known->size() && (*known)[thread] >= moment) return true;
    }
  }
  return false;
}

}  // namespace tilescope
