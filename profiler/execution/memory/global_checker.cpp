#include "profiler/execution/memory/global_checker.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "profiler/execution/memory/memory_checker.hpp"

namespace tilescope {

using simt::Access;
using simt::LaneMask;

namespace {

constexpr std::uint32_t word_bytes = 4;

bool reads_alone(Access access) {
  return access == Access::load || access == Access::matrix_load || access == Access::async_copy_read;
}

bool is_of_writes(Access access) {
  return access == Access::store || access == Access::matrix_store || is_atomic(access);
}

LaneMask bit(int lane) {
  return LaneMask{1} << lane;
}

}  // namespace

GlobalChecker::GlobalChecker(const simt::Program& program)
    : program_(program),
      sites_(program),
      grid_(order_),
      finds_races_in_blocks_(!MemoryChecker::uses_mbarriers(program)),
      has_messages_(GlobalSites::has_messages(program)),
      blocks_are_ordered_(GlobalSites::orders_blocks(program)) {}

void GlobalChecker::begin_block(const simt::Block& block) {
  block_ = static_cast<std::uint32_t>(block.linear_index);
  order_.begin(block.threads());
  grid_.begin_block(block_, block.warps.size());
  live_.assign(block.warps.size(), 0);
  meetings_.assign(block.warps.size(), {});
}

void GlobalChecker::barrier_arrival(const simt::Warp& warp, int barrier, LaneMask lanes) {
  order_.arrive(static_cast<std::size_t>(warp.index()), lanes, static_cast<std::size_t>(barrier));
}

void GlobalChecker::block_barrier(const simt::Block& block, int barrier, std::span<const LaneMask> arrived,
                                  std::span<const LaneMask> released) {
  for (std::size_t w = 0; w < live_.size(); ++w) live_[w] = block.warps[w].live();
  const auto number = static_cast<std::size_t>(barrier);
  order_.block_barrier(number, block.barriers[number].expected == 0, arrived, released, live_);
  grid_.block_barrier(arrived, released);
}

void GlobalChecker::warp_barrier(const simt::Warp& warp, LaneMask lanes) {
  order_.warp_barrier(static_cast<std::size_t>(warp.index()), lanes, warp.live());
}

void GlobalChecker::member_mask(const simt::Warp& warp, const simt::Instruction&, LaneMask lanes) {
  meetings_[static_cast<std::size_t>(warp.index())] = {order_.now(), lanes};
  order_.tick();
}

void GlobalChecker::fence(const simt::Warp& warp, const simt::Instruction& at) {
  const simt::FenceScope scope = program_.origins[at.origin].data.fence;
  if (scope == simt::FenceScope::none) return;
  grid_.fence(static_cast<std::size_t>(warp.index()), warp.exec, scope);
  order_.tick();
}

void GlobalChecker::end_block(const simt::Block&) {
  for (const auto& [cell, race] : unconfirmed_) log_.add(race, ++event_);
  unconfirmed_.clear();
}

// All lanes read memory that no kernel can write: the inputs of a catalogue kernel.
bool GlobalChecker::is_read_only(const simt::Warp& warp, const simt::MemoryAccess& access) const {
  const std::uint64_t first = access.addresses[std::countr_zero(access.lanes)];
  const simt::Allocation* allocation = warp.block().global->find(first, 1);
  if (allocation == nullptr || !allocation->read_only) return false;
  bool is_inside = true;
  for (LaneMask rest = access.lanes; rest != 0; rest &= rest - 1)
    is_inside &= access.addresses[std::countr_zero(rest)] - allocation->address < allocation->bytes;
  return is_inside;
}

void GlobalChecker::access(const simt::Warp& warp, const simt::MemoryAccess& access) {
  const bool is_global = access.space == simt::Space::global;
  if (!is_global && !(has_messages_ && access.space == simt::Space::shared)) return;
  const bool writes = is_of_writes(access.access);
  if (!writes && !reads_alone(access.access)) return;
  if (is_global && !writes && is_read_only(warp, access)) return;
  ++event_;
  const std::uint16_t site = sites_.number_of(*access.instruction, access.access);
  const bool is_message = has_messages_ && sites_[site].is_strong;
  if (is_message && (reads_alone(access.access) || is_atomic(access.access)))
    exchange_messages(warp, access, site);
  if (is_global) access_lanes(warp, access, site);
  if (is_message && access.access == Access::store) exchange_messages(warp, access, site);
}

// Takes what other threads published with these words, and publishes with a write what this one knows.
void GlobalChecker::exchange_messages(const simt::Warp& warp, const simt::MemoryAccess& access,
                                      std::uint16_t site) {
  const auto w = static_cast<std::size_t>(warp.index());
  const bool is_shared = access.space == simt::Space::shared;
  for (LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = access.addresses[lane] / word_bytes;
    const std::uint64_t word = is_shared ? shared_word(address) : address;
    if (access.access != Access::store) grid_.acquire(w, word);
    if (is_of_writes(access.access)) grid_.release({w, lane}, word, sites_[site].releases);
  }
  if (sites_[site].releases) order_.tick();
}

void GlobalChecker::access_lanes(const simt::Warp& warp, const simt::MemoryAccess& access,
                                 std::uint16_t site) {
  if (is_atomic(access.access)) confirm_reads(warp, access, site);
  const bool is_read = reads_alone(access.access);
  for (LaneMask rest = access.lanes; rest != 0;) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t address = access.addresses[lane];
    Part part{warp, access, site, 0, warp.first_thread() + static_cast<std::uint32_t>(lane)};
    // Neighbours on one address read it once.
    do {
      part.lanes |= rest & (~rest + 1);
      rest &= rest - 1;
    } while (is_read && rest != 0 && access.addresses[std::countr_zero(rest)] == address);
    if (is_read) {
      for_cells(part, address, [&](GlobalCell& cell) { read(part, cell); });
    } else {
      for_cells(part, address, [&](GlobalCell& cell) { write(part, cell); });
    }
  }
}

template <class Each>
void GlobalChecker::for_cells(Part& part, std::uint64_t address, const Each& each) {
  const std::uint64_t end = address + part.access.lane_bytes;
  const std::uint32_t grain = std::min<std::uint32_t>(part.access.lane_bytes, word_bytes);
  std::array<std::byte, 16> stored{};
  part.has_value = sites_[part.site].has_value && part.access.lane_bytes <= stored.size();
  if (part.has_value)
    stored = program_.stored_bytes(part.warp, *part.access.instruction,
                                   static_cast<unsigned>(std::countr_zero(part.lanes)));
  while (address < end) {
    GlobalShadow::Page* page = shadow_.page(address, grain);
    if (page == nullptr) return;
    const std::uint64_t page_end = (address / GlobalShadow::page_bytes + 1) * GlobalShadow::page_bytes;
    for (; address < std::min(end, page_end); address += page->grain) {
      part.address = address / page->grain * page->grain;
      if (part.has_value) {
        part.value = 0;
        std::memcpy(&part.value, stored.data() + (address + part.access.lane_bytes - end), page->grain);
      }
      each(page->cells[address % GlobalShadow::page_bytes / page->grain]);
    }
  }
}

bool GlobalChecker::is_ordered(const Part& part, const Prior& prior, const GlobalCell& cell) const {
  const auto w = static_cast<std::size_t>(part.warp.index());
  if (prior.block == block_) {
    if (prior.thread == part.thread || !finds_races_in_blocks_ || prior.moment <= order_.floor(w))
      return true;
    if (program_.is_machine_code && prior.thread / simt::lane_count == w) return true;
    const auto lane = static_cast<std::size_t>(std::countr_zero(part.lanes));
    if (order_.known(w, lane)[prior.thread] >= prior.moment) return true;
  } else {
    if (!blocks_are_ordered_) return true;  // judged when all blocks have ended
    if (sites_[prior.site].is_strong && cell.strong_block == block_) return true;
  }
  return has_messages_ && grid_.is_before(w, prior.block, prior.thread, prior.moment);
}

void GlobalChecker::report(GlobalRaceKind kind, const Part& part, const Prior& prior) {
  const GlobalSite &earlier = sites_[prior.site], &later = sites_[part.site];
  const GlobalRace race{kind,        earlier.origin, later.origin,
                        prior.block, block_,         prior.thread,
                        part.thread, part.address,   earlier.is_atomic || later.is_atomic};
  const bool reads_now = reads_alone(part.access.access), read_then = kind == GlobalRaceKind::read_write;
  if (reads_now && earlier.is_atomic) {
    unconfirmed_.try_emplace({part.address, part.thread}, race);
  } else if (read_then && later.is_atomic && prior.block == block_) {
    unconfirmed_.try_emplace({part.address, prior.thread}, race);
  } else {
    log_.add(race, event_);
  }
}

void GlobalChecker::read(const Part& part, GlobalCell& cell) {
  const auto warp = static_cast<std::uint16_t>(part.warp.index());
  const GlobalCell::Write& written = cell.write;
  if (written.block != no_block && !(sites_[part.site].is_strong && sites_[written.site].is_strong)) {
    const Prior prior{written.block, written.thread, written.moment, written.site};
    if (!is_ordered(part, prior, cell))
      report(cell.is_flag ? GlobalRaceKind::same_value : GlobalRaceKind::write_read, part, prior);
  }
  if (cell.first_read.block == no_block)
    cell.first_read = {block_, static_cast<std::uint16_t>(part.thread), part.site};
  GlobalCell::Read& last = cell.reads[0];
  const bool is_same_warp = last.block == block_ && last.warp == warp;
  if (is_same_warp && last.moment == order_.now()) {
    last.lanes |= part.lanes;
    last.site = part.site;
  } else {
    if (!is_same_warp) cell.reads[1] = last;
    last = {block_, part.lanes, order_.now(), warp, part.site};
  }
}

// The last read of the cell by the thread, as far as it is known; else nullptr.
const GlobalCell::Read* GlobalChecker::own_read(const Part& part, const GlobalCell& cell) const {
  const auto read = std::ranges::find_if(cell.reads, [&](const GlobalCell::Read& one) {
    return one.block == block_ && one.warp == part.warp.index() && (one.lanes & part.lanes) != 0;
  });
  return read == cell.reads.end() ? nullptr : &*read;
}

// Whether another thread of the warp stores to the address in the same access.
bool GlobalChecker::stores_with(const Part& part, std::uint32_t thread) const {
  if (thread / simt::lane_count != part.thread / simt::lane_count) return false;
  const auto lane = thread % simt::lane_count, own = part.thread % simt::lane_count;
  return (part.access.lanes & bit(static_cast<int>(lane))) != 0 &&
         part.access.addresses[lane] == part.access.addresses[own];
}

void GlobalChecker::check_writer(const Part& part, const GlobalCell& cell) {
  const GlobalSite &earlier = sites_[cell.write.site], &later = sites_[part.site];
  const bool is_same = !cell.has_different_values && part.has_value && cell.value == part.value;
  const bool is_strong = earlier.is_strong && later.is_strong;
  if (is_strong) check_weak_write(part, cell);
  if (is_strong && (earlier.is_atomic || later.is_atomic || is_same)) return;
  const Prior prior{cell.write.block, cell.write.thread, cell.write.moment, cell.write.site};
  const bool is_same_instruction = cell.write.event == event_ && prior.thread != part.thread;
  if (!is_same_instruction && is_ordered(part, prior, cell)) return;
  const GlobalCell::Read* own = own_read(part, cell);
  if (own != nullptr && sites_.stores_loaded(part.site) && sites_.stores_loaded(cell.write.site))
    return report(GlobalRaceKind::lost_update, part, {prior.block, prior.thread, prior.moment, own->site});
  report(is_same ? GlobalRaceKind::same_value : GlobalRaceKind::write_write, part, prior);
}

// A strong write that comes after other ones still races with the plain write before them all, unless it is ordered
// itself.
void GlobalChecker::check_weak_write(const Part& part, const GlobalCell& cell) {
  const GlobalCell::Write& weak = cell.weak_write;
  if (weak.block == no_block) return;
  const Prior prior{weak.block, weak.thread, weak.moment, weak.site};
  if (!is_ordered(part, prior, cell)) report(GlobalRaceKind::write_write, part, prior);
}

// Lanes that have met the writing lane since they read, in a shuffle or another instruction of the whole warp. It
// orders no memory, but a lane comes to it with its reads done, and a warp that meets there stores behind it.
LaneMask GlobalChecker::lanes_that_have_read(const Part& part, const GlobalCell::Read& read) const {
  const Meeting& met = meetings_[static_cast<std::size_t>(part.warp.index())];
  return read.moment <= met.moment && (met.lanes & part.lanes) == part.lanes ? met.lanes : 0;
}

void GlobalChecker::check_readers(const Part& part, const GlobalCell& cell) {
  const bool is_flag = cell.is_flag && own_read(part, cell) != nullptr && part.has_value &&
                       (cell.write.block == no_block || cell.value == part.value) &&
                       !sites_.stores_loaded(part.site);
  for (const GlobalCell::Read& read : cell.reads) {
    if (read.block == no_block || (sites_[read.site].is_strong && sites_[part.site].is_strong)) continue;
    const bool is_own_warp = read.block == block_ && read.warp == part.warp.index();
    LaneMask others = is_own_warp ? read.lanes & ~part.lanes : read.lanes;
    if (is_own_warp) others &= ~lanes_that_have_read(part, read);
    if (read.block == block_ && read.moment <= order_.floor(static_cast<std::size_t>(part.warp.index())))
      continue;
    for (; others != 0; others &= others - 1) {
      const std::uint32_t thread =
          read.warp * std::uint32_t{simt::lane_count} + static_cast<std::uint32_t>(std::countr_zero(others));
      const Prior prior{read.block, thread, read.moment, read.site};
      if (is_ordered(part, prior, cell)) continue;
      const bool updates =
          own_read(part, cell) != nullptr && sites_.stores_loaded(part.site) && stores_with(part, thread);
      report(is_flag   ? GlobalRaceKind::same_value
             : updates ? GlobalRaceKind::lost_update
                       : GlobalRaceKind::read_write,
             part, prior);
      break;
    }
  }
}

void GlobalChecker::note_values(const Part& part, GlobalCell& cell) {
  const bool is_first = cell.first_write.block == no_block, has_read = own_read(part, cell) != nullptr;
  const bool updates = has_read && sites_.stores_loaded(part.site);
  cell.is_updated = cell.is_updated || updates;
  cell.is_flag =
      cell.is_flag && part.has_value && !updates && has_read && (is_first || cell.value == part.value);
  if (is_first) {
    cell.first_write = {block_, static_cast<std::uint16_t>(part.thread), part.site};
    cell.value = part.value;
    cell.has_different_values = !part.has_value;
  } else {
    cell.has_different_values = cell.has_different_values || !part.has_value || cell.value != part.value;
  }
}

void GlobalChecker::write(const Part& part, GlobalCell& cell) {
  if (cell.write.block != no_block) check_writer(part, cell);
  check_readers(part, cell);
  note_values(part, cell);
  if (sites_[part.site].is_strong) cell.strong_block = block_;
  if (cell.write.block != block_ && cell.writing_blocks != UINT16_MAX) ++cell.writing_blocks;
  if (sites_[part.site].is_strong && cell.write.block != no_block && !sites_[cell.write.site].is_strong)
    cell.weak_write = cell.write;
  cell.write = {block_, static_cast<std::uint16_t>(part.thread), part.site, order_.now(), event_};
}

// The lanes of an atomic have read what they update: what they read before, and compared with, does not count.
void GlobalChecker::confirm_reads(const simt::Warp& warp, const simt::MemoryAccess& access,
                                  std::uint16_t site) {
  for (LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    Part part{warp, access, site, bit(lane), warp.first_thread() + static_cast<std::uint32_t>(lane)};
    for_cells(part, access.addresses[lane], [&](GlobalCell& cell) {
      if (!unconfirmed_.empty()) unconfirmed_.erase({part.address, part.thread});
      for (GlobalCell::Read& read : cell.reads) {
        if (read.block != block_ || read.warp != warp.index()) continue;
        read.lanes &= ~part.lanes;
        if (read.lanes == 0) read.block = no_block;
      }
    });
  }
}

}  // namespace tilescope
