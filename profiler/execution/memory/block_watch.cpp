#include "profiler/execution/memory/block_watch.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

#include "profiler/execution/memory/memory_checker.hpp"
#include "profiler/execution/memory/sectors.hpp"
#include "profiler/execution/memory/site_text.hpp"

namespace tilescope {
namespace {

using simt::Access;
using simt::Space;

constexpr std::uint64_t word_bytes = 4;  // of shared memory
constexpr std::size_t most_repeated = 3;

bool reads_memory(Access access) {
  switch (access) {
    case Access::load:
    case Access::matrix_load:
    case Access::async_copy_read:
    case Access::atomic:
    case Access::atomic_count:
      return true;
    default:
      return false;
  }
}

bool writes_memory(Access access) {
  switch (access) {
    case Access::store:
    case Access::matrix_store:
    // May be written from now on, and is at the latest where it is waited for.
    case Access::async_copy_issue:
    case Access::async_copy_write:
    case Access::atomic:
    case Access::atomic_count:
      return true;
    default:
      return false;
  }
}

// Calls `each` with every unit of `bytes` that the lanes touch; neighbouring lanes in one unit make one call.
template <class Each>
void for_units(const simt::MemoryAccess& access, std::uint64_t bytes, const Each& each) {
  std::uint64_t last = UINT64_MAX;
  for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.addresses[std::countr_zero(rest)];
    const std::uint64_t end = (address + access.lane_bytes - 1) / bytes;
    for (std::uint64_t unit = address / bytes; unit <= end; ++unit) {
      if (unit != last) each(unit);
      last = unit;
    }
  }
}

InstructionPlace code_place_of(const simt::Program& program, std::uint32_t instruction,
                               std::string_view main_file) {
  SitePlace place = place_of(program, program.code[instruction].origin, main_file);
  return {place.line, std::move(place.file), std::move(place.inlined)};
}

}  // namespace

BlockWatch::BlockWatch(const simt::Program& program)
    : program_(program), judges_barriers_(!MemoryChecker::uses_mbarriers(program)) {}

void BlockWatch::begin(const simt::Block& block) {
  warps_ = block.warps.size();
  shared_.assign(block.shared.size() / word_bytes + 1, {});
  lane_order_.begin(warps_, block.shared.size());
}

void BlockWatch::access(const simt::Warp& warp, const simt::MemoryAccess& access) {
  const auto index = static_cast<std::uint32_t>(warp.index());
  const bool reads = reads_memory(access.access), writes = writes_memory(access.access);
  if (access.space == Space::shared) touch_shared(access, index, reads, writes);
  if (access.space == Space::global) touch_global(access, index, reads, writes);
  const bool is_ordered = access.space == Space::shared || access.space == Space::global;
  accesses_memory_ = accesses_memory_ || is_ordered;
  if (judges_barriers_ && is_ordered && (reads || writes) && lane_order_.access(index, access, writes))
    need_for_lanes();
}

void BlockWatch::warp_barrier(const simt::Warp& warp, simt::LaneMask lanes) {
  if ((warp.live() & ~lanes) == 0) lane_order_.warp_barrier(static_cast<std::uint32_t>(warp.index()));
}

void BlockWatch::touch_shared(const simt::MemoryAccess& access, std::uint32_t warp, bool reads, bool writes) {
  if (!judges_barriers_ || (!reads && !writes)) return;
  // A lane of ldmatrix names a row of 16 B, which is its lane_bytes.
  for_units(access, word_bytes, [&](std::uint64_t word) {
    if (word < shared_.size()) touch(shared_[word], warp, writes);
  });
}

void BlockWatch::touch_global(const simt::MemoryAccess& access, std::uint32_t warp, bool reads, bool writes) {
  Reads* site = nullptr;
  const bool is_plain_read = reads && !writes;
  if (is_plain_read) site = &reads_[static_cast<std::uint32_t>(access.instruction - program_.code.data())];
  for_units(access, sector_bytes, [&](std::uint64_t number) {
    Sector& sector = global_[number];
    if (judges_barriers_) touch(sector.word, warp, writes);
    if (site == nullptr) return;
    ++sectors_read_;
    ++site->sectors;
    ++(sector.is_read ? site->again : different_sectors_);
    sector.is_read = true;
  });
  if (judges_barriers_) touch(any_global_, warp, is_strong(access));
}

bool BlockWatch::is_strong(const simt::MemoryAccess& access) const {
  return simt::is_atomic(access.access) || program_.origins[access.instruction->origin].data.is_strong;
}

void BlockWatch::touch(Word& word, std::uint32_t warp, bool writes) {
  const std::uint32_t mine = 1u << (warp % 32), others = ~mine;
  if (word.needed_before != last_needed_) {
    word.older_writers = word.older_readers = 0;
    word.needed_before = last_needed_;
  }
  if (word.last_interval < interval_) {
    if (word.last_interval >= last_needed_) {
      word.older_writers |= word.writers;
      word.older_readers |= word.readers;
    }
    word.writers = word.readers = 0;
    word.last_interval = interval_;
  }
  const std::uint32_t in_conflict = word.older_writers | (writes ? word.older_readers : 0);
  if ((in_conflict & others) != 0) {
    need_barrier();
    word.older_writers = word.older_readers = 0;
    word.needed_before = last_needed_;
  }
  (writes ? word.writers : word.readers) |= mine;
}

void BlockWatch::need_barrier() {
  last_needed_ = interval_;
  if (is_needed_ || opened_by_ == simt::no_index) return;
  is_needed_ = true;
  ++barriers_[opened_by_].needed;
}

void BlockWatch::need_for_lanes() {
  if (is_needed_for_lanes_ || opened_by_ == simt::no_index) return;
  is_needed_for_lanes_ = true;
  ++barriers_[opened_by_].orders_lanes;
}

void BlockWatch::passes(const simt::Block& block, std::span<const simt::LaneMask> released,
                        std::uint64_t idle) {
  ++interval_;
  is_needed_ = is_needed_for_lanes_ = false;
  lane_order_.pass();
  opened_by_ = simt::no_index;
  for (const simt::Warp& warp : block.warps) {
    const simt::LaneMask lanes = released[static_cast<std::size_t>(warp.index())];
    for (const simt::Fragment& fragment : warp.fragments) {
      if ((fragment.lanes & lanes) == 0 || fragment.at == 0) continue;
      opened_by_ = fragment.at - 1;  // released fragments have gone on by one instruction
      break;
    }
    if (opened_by_ != simt::no_index) break;
  }
  if (opened_by_ == simt::no_index) return;
  Site& site = barriers_[opened_by_];
  ++site.passes;
  site.idle += idle;
  // bar.red also carries what the warps vote.
  if (program_.code[opened_by_].c != simt::no_slot) need_barrier();
}

WatchedBlock BlockWatch::result(std::string_view main_file) const {
  WatchedBlock block;
  block.warps = static_cast<std::int64_t>(warps_);
  block.sectors_read = static_cast<std::int64_t>(sectors_read_);
  block.different_sectors = static_cast<std::int64_t>(different_sectors_);
  if (judges_barriers_) {
    std::map<InstructionPlace, BarrierSite>
        sites;  // an unrolled loop makes several instructions of one barrier
    for (const auto& [instruction, counts] : barriers_) {
      InstructionPlace place = code_place_of(program_, instruction, main_file);
      BarrierSite& site = sites[place];
      site.place = std::move(place);
      site.passes += static_cast<std::int64_t>(counts.passes);
      // A block that has nothing to do, as behind the end of the data, does not show what its barriers order.
      site.needed += static_cast<std::int64_t>(accesses_memory_ ? counts.needed : counts.passes);
      site.orders_lanes += static_cast<std::int64_t>(counts.orders_lanes);
      site.idle_instructions += static_cast<std::int64_t>(counts.idle);
    }
    block.barriers.emplace().reserve(sites.size());
    for (auto& [place, site] : sites) block.barriers->push_back(std::move(site));
  }
  std::map<InstructionPlace, RepeatedRead> repeated;
  for (const auto& [instruction, counts] : reads_) {
    if (counts.again == 0) continue;
    InstructionPlace place = code_place_of(program_, instruction, main_file);
    RepeatedRead& read = repeated[place];
    read.place = std::move(place);
    read.sectors += static_cast<std::int64_t>(counts.sectors);
    read.again += static_cast<std::int64_t>(counts.again);
  }
  for (auto& [place, read] : repeated) block.repeated.push_back(std::move(read));
  std::ranges::stable_sort(block.repeated, std::greater{}, &RepeatedRead::again);
  if (block.repeated.size() > most_repeated) block.repeated.resize(most_repeated);
  return block;
}

}  // namespace tilescope
