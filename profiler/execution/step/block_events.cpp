#include "profiler/execution/step/block_events.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "profiler/execution/step/shared_writes.hpp"

namespace tilescope {
namespace {

bool reads_global(simt::Access access) {
  return access == simt::Access::load || access == simt::Access::async_copy_read ||
         access == simt::Access::matrix_load || is_atomic(access);
}

bool writes_global(simt::Access access) {
  return access == simt::Access::store || access == simt::Access::matrix_store || is_atomic(access);
}

// Code that a warp came back to, as far as it jumped back.
struct Loop {
  std::uint32_t head = 0, last = 0;
  std::vector<std::uint64_t> slots;  // of its iterations
  std::uint64_t inside = 0;          // instructions
};

}  // namespace

BlockEvents::BlockEvents(const CodePlaces& places, const simt::BlockStepper& stepper)
    : places_(places), stepper_(stepper) {
  tiles_of_warp_.assign(stepper.block().warps.size(), 0);
  slots_of_.resize(stepper.block().warps.size());
  const std::size_t words = (stepper.block().shared.size() + shared_word_bytes - 1) / shared_word_bytes;
  first_written_.assign(words, UINT64_MAX);
}

void BlockEvents::note_writes(const simt::MemoryAccess& access) {
  for_each_written_word(access, [this](std::uint64_t word) {
    if (word < first_written_.size())
      first_written_[word] = std::min(first_written_[word], stepper_.slot() + 1);
  });
}

void BlockEvents::access(const simt::Warp& warp, const simt::MemoryAccess& access) {
  if (access.space == simt::Space::shared) note_writes(access);
  if (access.space != simt::Space::global) return;
  const auto bytes = static_cast<std::uint64_t>(std::popcount(access.lanes)) * access.lane_bytes;
  Traffic now = traffic_.empty() ? Traffic{} : traffic_.back();
  now.slot = stepper_.slot();
  if (reads_global(access.access)) now.read += bytes;
  if (writes_global(access.access)) now.written += bytes;
  traffic_.push_back(now);
  if (first_query_byte_ || !reads_global(access.access)) return;
  const std::uint64_t address = access.addresses[std::countr_zero(access.lanes)];
  const simt::Allocation* allocation = warp.block().global->find(address, access.lane_bytes);
  if (allocation != nullptr && allocation->name == "Q") first_query_byte_ = address - allocation->address;
}

void BlockEvents::block_barrier(const simt::Block&, int, std::span<const simt::LaneMask>,
                                std::span<const simt::LaneMask>) {
  // Behind the instruction that arrived last.
  barriers_.push_back({stepper_.slot() + 1, 0, static_cast<std::int64_t>(barriers_.size() + 1), 0, 0});
}

void BlockEvents::probe(const simt::Warp& warp, const simt::Probe& probe) {
  has_probes_ = true;
  if (probe.name != "tile" || probe.indices.empty()) return;
  const auto lane = static_cast<std::size_t>(std::countr_zero(warp.exec));
  const auto w = static_cast<std::size_t>(warp.index());
  if (tiles_of_warp_[w]++ < tiles_.size()) return;
  const std::int64_t first_key = warp.read<std::int32_t>(probe.indices[0])[lane];
  tiles_.push_back(
      {stepper_.slot(), 0, first_key, static_cast<std::int64_t>(warp.read<float>(probe.value)[lane]), 0});
}

void BlockEvents::complete() {
  for (std::uint64_t slot = 0; slot < stepper_.slots(); ++slot)
    slots_of_[stepper_.warp_of(slot)].push_back(static_cast<std::uint32_t>(slot));
  if (tiles_.empty()) find_loop();
  for (auto* marks : {&barriers_, &tiles_}) {
    for (StepMark& mark : *marks) {
      mark.round = stepper_.round_of(mark.slot);
      const std::uint64_t at = marks == &barriers_ && mark.slot > 0 ? mark.slot - 1 : mark.slot;
      if (at < stepper_.slots()) mark.line = places_.at(stepper_.code_of(at)).line;
    }
  }
}

// The outermost loop of the first warp in which most of its instructions are: in an attention kernel that over the tiles
// of keys.
void BlockEvents::find_loop() {
  if (slots_of_.empty()) return;
  std::map<std::uint32_t, Loop> loops;
  std::uint32_t before = 0;
  for (const std::uint64_t slot : slots_of_.front()) {
    const std::uint32_t at = stepper_.code_of(slot);
    if (at < before) {
      Loop& loop = loops[at];
      loop.head = at;
      loop.last = std::max(loop.last, before);
      loop.slots.push_back(slot);
    }
    before = at;
  }
  const Loop* best = nullptr;
  for (auto& [head, loop] : loops) {
    for (const std::uint64_t slot : slots_of_.front()) {
      const std::uint32_t at = stepper_.code_of(slot);
      if (at >= loop.head && at <= loop.last) ++loop.inside;
    }
    const bool is_main = 2 * loop.inside > slots_of_.front().size();
    if (is_main && (best == nullptr || loop.inside > best->inside)) best = &loop;
  }
  if (best == nullptr) return;
  // The first iteration is entered from above.
  const auto first = std::ranges::find_if(slots_of_.front(), [&](std::uint32_t slot) {
    const std::uint32_t at = stepper_.code_of(slot);
    return at >= best->head && at <= best->last;
  });
  tiles_.push_back({*first, 0, -1, 0, 0});
  for (const std::uint64_t slot : best->slots) tiles_.push_back({slot, 0, -1, 0, 0});
}

BlockEvents::Traffic BlockEvents::traffic_before(std::uint64_t slot) const {
  const auto after = std::ranges::lower_bound(traffic_, slot, {}, &Traffic::slot);
  return after == traffic_.begin() ? Traffic{} : *std::prev(after);
}

}  // namespace tilescope
