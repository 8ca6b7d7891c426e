#include "profiler/execution/memory/shared_shadow.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "profiler/execution/simt/block.hpp"

namespace tilescope {
namespace {

using simt::Access;
using simt::LaneMask;

constexpr Moment never = 0;
constexpr Moment pending = INT32_MAX;
constexpr std::uint16_t no_site = UINT16_MAX;

std::uint32_t thread_of(std::size_t warp, int lane) {
  return static_cast<std::uint32_t>(warp * simt::lane_count) + static_cast<std::uint32_t>(lane);
}

}  // namespace

SharedShadow::SharedShadow(const simt::Program& program, const HappensBefore& order, FindingLog& log,
                           UndefinedValues& values, bool finds_races)
    : program_(program),
      order_(order),
      log_(log),
      values_(values),
      finds_races_(finds_races),
      orders_warps_(program.is_machine_code),
      grain_(std::max<std::uint32_t>(program.shared_grain, 1)),
      site_numbers_(program.code.size(), no_site) {
  for (std::uint32_t i = 0; i < program.code.size(); ++i) {
    const simt::Instruction& instruction = program.code[i];
    if (instruction.flow == simt::Flow::block_barrier) barriers_.push_back(i);
    if (instruction.flow == simt::Flow::branch && instruction.target <= i)
      loops_.emplace_back(instruction.target, i);
  }
}

void SharedShadow::begin(std::size_t bytes, std::size_t warps) {
  cells_ = (bytes + grain_ - 1) / grain_;
  written_.assign(cells_, never);
  writer_.resize(cells_);
  write_site_.resize(cells_);
  last_read_.assign(cells_, never);
  readers_.assign(cells_, 0);
  // Entries are valid only where `readers_` has their bit, so they need no reset.
  read_.resize(cells_ * warps);
  read_lanes_.resize(cells_ * warps);
  read_site_.resize(cells_ * warps);
  issued_.clear();
  plain_writes_.clear();
  accesses_ = 0;
  interval_.assign(warps, 0);
  for (std::vector<std::uint64_t>& by_warp : executed_) by_warp.assign(warps, 0);
  unwritten_reads_.clear();
}

void SharedShadow::block_barrier(std::span<const LaneMask> released) {
  for (std::size_t warp = 0; warp < released.size(); ++warp) {
    if (released[warp] != 0) interval_[warp] = accesses_;
  }
}

void SharedShadow::end() {
  for (const UnwrittenCell& read : unwritten_reads_) {
    if (written_[read.cell] == never) log_.add_unwritten(read.origin);
  }
}

std::uint16_t SharedShadow::site_of(const simt::Instruction& instruction, Access access) {
  std::uint16_t& number = site_numbers_[static_cast<std::size_t>(&instruction - program_.code.data())];
  if (number == no_site) {
    // In a program with more sites than fit, the last ones share a number.
    if (sites_.size() < no_site) {
      const bool is_st =
          access == Access::store && program_.origins[instruction.origin].data.use == simt::DataUse::store;
      const bool is_async_copy = access == Access::async_copy_issue || access == Access::async_copy_write;
      const auto code = static_cast<std::uint32_t>(&instruction - program_.code.data());
      sites_.push_back({instruction.origin, code, is_atomic(access), is_st, is_async_copy});
      executed_.emplace_back(interval_.size(), 0);
    }
    number = static_cast<std::uint16_t>(sites_.size() - 1);
  }
  return number;
}

void SharedShadow::access(const simt::Warp& warp, const simt::MemoryAccess& access) {
  log_.begin_event();
  ++accesses_;
  const Event event{warp, access};
  switch (access.lane_bytes / grain_) {
    case 2:
      return access_lanes<2>(event);
    case 4:
      return access_lanes<4>(event);
    case 8:
      return access_lanes<8>(event);
    case 16:
      return access_lanes<16>(event);
    default:
      return access_lanes<1>(event);
  }
}

template <std::size_t cells>
void SharedShadow::access_lanes(const Event& event) {
  const simt::MemoryAccess& access = event.access;
  Part part{static_cast<std::size_t>(event.warp.index()),
            0,
            0,
            site_of(*access.instruction, access.access),
            access.lane_bytes,
            access.access,
            &event};
  const bool is_read = access.access == Access::load || access.access == Access::matrix_load;
  for (LaneMask rest = access.lanes; rest != 0;) {
    const std::uint64_t address = access.addresses[std::countr_zero(rest)];
    part.lanes = 0;
    // Neighbours on one address read it once.
    do {
      part.lanes |= rest & (~rest + 1);
      rest &= rest - 1;
    } while (is_read && rest != 0 && access.addresses[std::countr_zero(rest)] == address);
    part.cell = address / grain_;
    if (part.cell + cells > cells_) continue;
    if (is_read) {
      read<cells>(part);
    } else {
      write<cells>(part);
    }
  }
  executed_[part.site][part.warp] = accesses_;
  if (!is_read) values_.written(access);
  const bool has_unwritten = std::exchange(has_unwritten_, false);
  if (has_unwritten || (is_read && values_.carried().are_taken_by(access)))
    follow_unwritten(event.warp, access);
}

void SharedShadow::follow_unwritten(const simt::Warp& warp, const simt::MemoryAccess& access) {
  const std::uint32_t cells = std::max<std::uint32_t>(access.lane_bytes / grain_, 1);
  const std::uint32_t bytes = std::min<std::uint32_t>(grain_, access.lane_bytes);
  std::array<UndefinedValues::Taken, 32> taken{};
  LaneMask wholly = access.lanes;
  for (std::uint32_t part = 0; part < cells; ++part) {
    taken[part].part = part * grain_;
    taken[part].bytes = bytes;
    for (LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const std::uint64_t address = access.addresses[std::countr_zero(rest)] + part * grain_;
      const LaneMask lane = rest & (~rest + 1);
      if (address / grain_ < cells_ && written_[address / grain_] == never) taken[part].unwritten |= lane;
      if (values_.carried().is_any(address, bytes)) taken[part].carried |= lane;
    }
    wholly &= taken[part].unwritten;
  }
  for (std::uint32_t part = 0; part < cells; ++part) {
    taken[part].wholly = wholly;
    if ((taken[part].unwritten | taken[part].carried) != 0) values_.loaded(warp, access, taken[part]);
  }
}

void SharedShadow::report_used(const UndefinedValues::Load& load, LaneMask lanes) {
  log_.begin_event();
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const UnwrittenRead& read = load.reads[static_cast<std::size_t>(std::countr_zero(rest))];
    add_uninitialised(read.instruction->origin, read.address / grain_, read.thread, read.bytes);
  }
}

template <std::size_t cells>
void SharedShadow::read(const Part& part) {
  const Moment floor = order_.floor(part.warp), now = order_.now();
  const Moment* written = written_.data() + part.cell;
  bool is_clear = true;
  for (std::size_t i = 0; i < cells; ++i) is_clear &= (written[i] <= floor) & (written[i] != never);
  if (!is_clear) {
    for (std::size_t i = 0; i < cells; ++i) {
      if (written[i] > floor || written[i] == never) check_read(part, part.cell + i);
    }
  }
  Moment* last_read = last_read_.data() + part.cell;
  std::uint32_t* readers = readers_.data() + part.cell;
  const std::size_t own = part.warp * cells_ + part.cell;
  Moment* read = read_.data() + own;
  LaneMask* lanes = read_lanes_.data() + own;
  std::uint16_t* site = read_site_.data() + own;
  const std::uint32_t bit = 1u << part.warp;
  for (std::size_t i = 0; i < cells; ++i) {
    const LaneMask with = (readers[i] & bit) != 0 && read[i] == now ? lanes[i] : 0;
    lanes[i] = part.lanes | with;
    read[i] = now;
    site[i] = part.site;
    readers[i] |= bit;
    last_read[i] = now;
  }
}

template <std::size_t cells>
void SharedShadow::write(const Part& part) {
  const Moment floor = order_.floor(part.warp), now = order_.now();
  Moment* written = written_.data() + part.cell;
  Moment* last_read = last_read_.data() + part.cell;
  const bool is_atomic = simt::is_atomic(part.access);
  if (part.access == Access::async_copy_write) {
    // The copy was checked when it was issued.
    for (std::size_t i = 0; i < cells; ++i) written[i] = now;
    return;
  }
  bool is_clear = true;
  for (std::size_t i = 0; i < cells; ++i) is_clear &= (written[i] <= floor) & (last_read[i] <= floor);
  if (!is_clear || is_atomic) {
    for (std::size_t i = 0; i < cells; ++i) check_write(part, part.cell + i);
  }
  const auto thread = static_cast<std::uint16_t>(thread_of(part.warp, std::countr_zero(part.lanes)));
  if (part.access == Access::async_copy_issue) {
    issued_.resize(cells_);
    std::fill_n(issued_.data() + part.cell, cells, now);
  }
  std::uint32_t* readers = readers_.data() + part.cell;
  for (std::size_t i = 0; i < cells; ++i) {
    if (is_atomic) keep_plain_write(part.cell + i);
    written[i] = part.access == Access::async_copy_issue ? pending : now;
    writer_[part.cell + i] = thread;
    write_site_[part.cell + i] = part.site;
    readers[i] = is_atomic ? readers[i] : 0;
  }
}

// A read of a cell that was not written before the last barrier of the whole block.
void SharedShadow::check_read(const Part& part, std::size_t cell) {
  const Moment written = written_[cell];
  const std::uint32_t writer = writer_[cell];
  const std::uint32_t reader = thread_of(part.warp, std::countr_zero(part.lanes));
  if (written == never) {
    has_unwritten_ = true;
    return;
  }
  if (written == pending) {
    return report(FindingKind::early_cp_async_read, part, cell, write_site_[cell], writer, reader);
  }
  if (is_atomic(part.access) && sites_[write_site_[cell]].is_atomic) return;
  for (LaneMask rest = part.lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (thread_of(part.warp, lane) == writer) continue;
    if (is_ordered_by_warp(part, write_site_[cell], writer, cell)) continue;
    if (written > order_.known(part.warp, static_cast<std::size_t>(lane))[writer]) {
      return report(FindingKind::write_read_race, part, cell, write_site_[cell], writer,
                    thread_of(part.warp, lane));
    }
    if (order_.is_uniform(part.warp)) return;
  }
}

void SharedShadow::keep_plain_write(std::size_t cell) {
  plain_writes_.resize(cells_);
  if (written_[cell] != never && sites_[write_site_[cell]].is_atomic) return;
  // A copy under way is reported with the first atomic.
  const Moment written = written_[cell] == pending ? never : written_[cell];
  plain_writes_[cell] = {written, writer_[cell], write_site_[cell]};
}

// The write that must come before a write of the cell: the last one, but for an atomic behind others the plain one
// before them all.
SharedShadow::Write SharedShadow::rival_write(const Part& part, std::size_t cell) const {
  if (written_[cell] != never && simt::is_atomic(part.access) && sites_[write_site_[cell]].is_atomic)
    return plain_writes_[cell];
  return {written_[cell], writer_[cell], write_site_[cell]};
}

void SharedShadow::check_write(const Part& part, std::size_t cell) {
  const auto [written, writer, site] = rival_write(part, cell);
  const int lane = std::countr_zero(part.lanes);
  const std::uint32_t thread = thread_of(part.warp, lane);
  if (written_[cell] == never) {
    if (simt::is_atomic(part.access)) report_uninitialised(part, cell, thread);
  } else if (written == pending ||
             (writer != thread && !is_ordered_by_warp(part, site, writer, cell) &&
              written > order_.known(part.warp, static_cast<std::size_t>(lane))[writer])) {
    const FindingKind kind =
        stores_what_is_there(part, cell) ? FindingKind::same_value_store : FindingKind::write_write_race;
    report(kind, part, cell, site, writer, thread);
  }
  check_readers(part, cell);
}

// Whether the store leaves the same value in a written cell as the store before it. A lane that stores in the same
// instruction has not written memory yet: its value is still in its register.
bool SharedShadow::stores_what_is_there(const Part& part, std::size_t cell) const {
  const Site& earlier = sites_[write_site_[cell]];
  if (written_[cell] == pending || !sites_[part.site].is_st || !earlier.is_st) return false;
  const simt::MemoryAccess& access = part.event->access;
  const std::uint64_t begin = cell * grain_;
  const auto lane = static_cast<unsigned>(std::countr_zero(part.lanes));
  const simt::StoredBytes stored_bytes = part.event->warp.block().program->stored_bytes;
  const auto stored = stored_bytes(part.event->warp, *access.instruction, lane);
  const std::byte* now = stored.data() + (begin - access.addresses[lane]);

  const std::uint32_t writer = writer_[cell], writer_lane = writer % simt::lane_count;
  const bool is_lane_before =
      writer / simt::lane_count == part.warp && writer_lane < lane && (access.lanes >> writer_lane & 1u) != 0;
  if (is_lane_before && begin - access.addresses[writer_lane] < access.lane_bytes) {
    const auto before = stored_bytes(part.event->warp, *access.instruction, writer_lane);
    return std::memcmp(now, before.data() + (begin - access.addresses[writer_lane]), grain_) == 0;
  }
  return std::memcmp(now, part.event->warp.block().shared.data() + begin, grain_) == 0;
}

void SharedShadow::check_readers(const Part& part, std::size_t cell) {
  const int lane = std::countr_zero(part.lanes);
  const std::uint32_t thread = thread_of(part.warp, lane);
  const auto known = order_.known(part.warp, static_cast<std::size_t>(lane));
  for (std::uint32_t warps = readers_[cell]; warps != 0; warps &= warps - 1) {
    const auto warp = static_cast<std::size_t>(std::countr_zero(warps));
    const std::size_t entry = warp * cells_ + cell;
    for (LaneMask lanes = read_lanes_[entry]; lanes != 0; lanes &= lanes - 1) {
      const std::uint32_t reader = thread_of(warp, std::countr_zero(lanes));
      if (reader == thread || read_[entry] <= known[reader]) continue;
      if (is_ordered_by_warp(part, read_site_[entry], reader, cell)) continue;
      report(FindingKind::read_write_race, part, cell, read_site_[entry], reader, thread);
      break;
    }
  }
}

// Whether a GPU makes an access of another thread before this one because both threads are in one warp, which executes
// its machine code in order. Lanes of one instruction have no order.
bool SharedShadow::is_ordered_by_warp(const Part& part, std::uint16_t earlier_site, std::uint32_t earlier,
                                      std::size_t cell) const {
  if (!orders_warps_ || earlier / simt::lane_count != part.warp) return false;
  const simt::MemoryAccess& access = part.event->access;
  const std::uint32_t lane = earlier % simt::lane_count;
  const bool is_same_instruction = earlier_site == part.site && (access.lanes >> lane & 1u) != 0 &&
                                   cell * grain_ - access.addresses[lane] < access.lane_bytes;
  return !is_same_instruction;
}

void SharedShadow::report_uninitialised(const Part& part, std::size_t cell, std::uint32_t thread) {
  add_uninitialised(sites_[part.site].origin, cell, thread, part.bytes);
}

void SharedShadow::add_uninitialised(std::uint32_t origin, std::size_t cell, std::uint32_t thread,
                                     std::uint32_t bytes) {
  // Enough for every instruction of a block to be among them.
  constexpr std::size_t most_kept = 1 << 16;
  if (unwritten_reads_.size() < most_kept) unwritten_reads_.push_back({cell, origin});
  log_.add({FindingKind::uninitialised_read, simt::no_index, origin, thread, thread, cell * grain_, bytes});
}

std::uint64_t SharedShadow::last_execution(std::uint16_t site, std::size_t warp) const {
  const std::uint64_t last = executed_[site][warp];
  return last > interval_[warp] ? last : 0;
}

bool SharedShadow::are_parted_in_loop(std::uint32_t first_code, std::uint32_t second_code) const {
  const auto next = std::ranges::upper_bound(barriers_, first_code);
  if (next == barriers_.end() || *next >= second_code) return false;
  return std::ranges::any_of(
      loops_, [&](const auto& loop) { return loop.first <= first_code && second_code <= loop.second; });
}

// The interpreter runs a warp to its next barrier before the others begin. So what it executes second may belong to the
// round of a loop before: between the same two barriers one warp has read and then overwritten what another one is
// about to read. What each of the two warps executed since its last barrier tells in which order the code has both
// accesses.
bool SharedShadow::is_second_first(const Part& part, std::uint16_t earlier_site,
                                   std::uint32_t earlier_thread) const {
  const std::size_t earlier_warp = earlier_thread / simt::lane_count;
  if (earlier_warp == part.warp || earlier_site == part.site) return false;
  if (last_execution(earlier_site, part.warp) != 0) return false;
  const std::uint64_t later_there = last_execution(part.site, earlier_warp);
  if (later_there != 0) return later_there < last_execution(earlier_site, earlier_warp);
  return are_parted_in_loop(sites_[earlier_site].code, sites_[part.site].code);
}

void SharedShadow::report(FindingKind kind, const Part& part, std::size_t cell, std::uint16_t earlier_site,
                          std::uint32_t earlier_thread, std::uint32_t later_thread) {
  const bool is_race = kind != FindingKind::uninitialised_read && kind != FindingKind::early_cp_async_read;
  if (!finds_races_ && is_race) return;
  Occurrence occurrence{kind,
                        earlier_site == no_site ? simt::no_index : sites_[earlier_site].origin,
                        sites_[part.site].origin,
                        earlier_thread,
                        later_thread,
                        cell * grain_,
                        part.bytes};
  if (kind == FindingKind::write_read_race && sites_[earlier_site].is_async_copy && !issued_.empty())
    occurrence.is_awaited_late = issued_[cell] <= order_.floor(part.warp);
  if (is_race && !occurrence.is_awaited_late && is_second_first(part, earlier_site, earlier_thread)) {
    std::swap(occurrence.earlier, occurrence.later);
    std::swap(occurrence.earlier_thread, occurrence.later_thread);
    if (kind == FindingKind::write_read_race) occurrence.kind = FindingKind::read_write_race;
    if (kind == FindingKind::read_write_race) occurrence.kind = FindingKind::write_read_race;
  }
  log_.add(occurrence);
}

}  // namespace tilescope
