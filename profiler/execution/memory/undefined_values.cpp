#include "profiler/execution/memory/undefined_values.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilescope {

using simt::Flow;
using simt::Instruction;
using simt::LaneMask;
using simt::Slot;

namespace {

std::size_t byte_of(Slot slot) {
  return static_cast<std::size_t>(slot) * simt::slot_bytes;
}

// Slots that a register takes at most, of those that instructions name one by one.
constexpr Slot slots_of_register = 4;

// The read that a lane's value depends on; another lane's where a shuffle moved it.
const UnwrittenRead& read_of(const UndefinedValues::Load& load, int lane) {
  const bool is_own = (load.lanes >> lane & 1u) != 0;
  return load.reads[static_cast<std::size_t>(is_own ? lane : std::countr_zero(load.lanes))];
}

}  // namespace

UndefinedValues::UndefinedValues(const simt::Program& program, Report report)
    : program_(program), report_(std::move(report)) {}

UndefinedValues::Kind UndefinedValues::kind_of(const Instruction& at) const {
  using simt::DataUse;
  switch (program_.origins[at.origin].data.use) {
    case DataUse::store:
      return Kind::store;
    case DataUse::load:
    case DataUse::constant_load:
    case DataUse::matrix_load:
      return Kind::load;
    case DataUse::atomic:
    case DataUse::reduction:
      return Kind::atomic;
    case DataUse::async_copy:
    case DataUse::cache_hint:
    case DataUse::matrix_store:
    case DataUse::mbarrier:
    case DataUse::mbarrier_init:
      return Kind::other_memory;
    case DataUse::registers:
    case DataUse::no_number:
    case DataUse::matrix_product:
    case DataUse::fence:
    case DataUse::shuffle:
      break;
  }
  return Kind::plain;
}

void UndefinedValues::begin(const simt::Block& block) {
  warps_.clear();
  warps_.resize(block.warps.size());
  carried_.begin(block.shared.size());
  is_following_ = false;
}

void UndefinedValues::report_unread(const Load& load) {
  if (load.part == 0 && !load.is_read && !load.is_reported && load.wholly != 0) report_(load, load.wholly);
}

void UndefinedValues::end() {
  for (const Registers& own : warps_)
    std::ranges::for_each(own.loads, [&](const Load& load) { report_unread(load); });
  warps_.clear();
  is_following_ = false;
}

void UndefinedValues::update() {
  is_following_ = std::ranges::any_of(warps_, [](const Registers& own) { return own.undefined.count != 0; });
}

UndefinedValues::Source UndefinedValues::source_of(Registers& own, const Instruction* load,
                                                   std::uint32_t part) {
  constexpr std::size_t most = UINT16_MAX - 1;
  const auto [found, is_new] = own.known.try_emplace({load, part}, Source{0});
  if (is_new) {
    if (own.loads.size() < most) own.loads.emplace_back();
    found->second = static_cast<Source>(own.loads.size());
  }
  return found->second;
}

void UndefinedValues::loaded(const simt::Warp& observed, const simt::MemoryAccess& access,
                             const Taken& taken) {
  simt::Block& block = observed.block();
  const auto index = static_cast<std::size_t>(observed.index());
  simt::Warp& warp = block.warps[index];
  Registers& own = warps_[index];
  if (own.undefined.bits.empty()) {
    if (kinds_.empty()) {
      for (const Instruction& at : program_.code) kinds_.push_back(kind_of(at));
    }
    own.undefined.make(program_.register_slots);
  }
  const Source source = source_of(own, access.instruction, taken.part);
  Load& load = own.loads[source - 1u];
  report_unread(load);
  load.instruction = access.instruction;
  load.is_read = load.is_given_up();
  load.part = taken.part;
  load.lanes = taken.unwritten | taken.carried;
  load.wholly = taken.wholly;
  std::vector<std::size_t> changed;
  for (LaneMask rest = load.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t address = access.addresses[lane] + taken.part;
    load.reads[lane] = {access.instruction, warp.first_thread() + lane, address, access.lane_bytes};
    for (std::uint32_t byte = 0; byte < taken.bytes; ++byte) {
      const UnwrittenRead* carried = carried_.at(address + byte);
      if ((taken.carried >> lane & 1u) != 0 && carried == nullptr) continue;
      if (carried != nullptr) load.reads[lane] = *carried;
      changed.push_back(address + byte);
    }
  }
  // The trial has to show what else depends on a carried value.
  if (load.is_reported && taken.unwritten != 0) report_(load, taken.unwritten);
  if (load.is_reported || load.is_given_up()) return;
  std::ranges::sort(changed);
  const auto repeated = std::ranges::unique(changed);
  changed.erase(repeated.begin(), repeated.end());
  RegisterTrial trial(warp, *access.instruction, own.undefined);
  add_undefined(own, trial, trial.results_depending_on(block.shared, changed), source);
  update();
}

void UndefinedValues::add_undefined(Registers& own, const RegisterTrial& trial,
                                    const RegisterTrial::Bytes& depending, Source source) {
  for (const RegisterTrial::Part& part : trial.parts()) {
    for (std::size_t i = 0; i < part.bytes; ++i) {
      if (const std::uint8_t bits = depending[part.begin + i]; bits != 0)
        own.undefined.set(part.first + i, bits, source);
    }
  }
}

void UndefinedValues::mark_read(Registers& own, const simt::Warp& warp, const Instruction& at) {
  const auto mark = [&](Slot slot) {
    if (slot < 0) return;
    const std::size_t end = std::min(own.undefined.source.size(), byte_of(slot + slots_of_register));
    for (std::size_t byte = byte_of(slot); byte < end; ++byte) {
      if (own.undefined.of_slot[byte / simt::slot_bytes] == 0) {
        byte += simt::slot_bytes - 1;
        continue;
      }
      const Source source = own.undefined.source[byte];
      if (source == 0 || own.loads[source - 1u].is_read) continue;
      for (Load& load : own.loads) {
        load.is_read = load.is_read || load.instruction == own.loads[source - 1u].instruction;
      }
    }
  };
  for (const Slot slot : {at.a, at.b, at.c}) mark(slot);
  for (std::size_t i = 0; i < at.operand_count; ++i) mark(warp.operands(at)[i]);
}

// All lanes of the load where another lane used it: a shuffle moved the value. Two statements, since GCC 12 at -O3 takes
// another register for `lanes` in `(a & b) != 0 ? a & b : a`.
void UndefinedValues::report_of(const Load& load, LaneMask lanes) const {
  const LaneMask known = load.lanes & lanes;
  if (known == 0) return report_(load, load.lanes);
  report_(load, known);
}

void UndefinedValues::use(Registers& own, Source source, LaneMask lanes) {
  Load& load = own.loads[source - 1u];
  if (!load.is_reported) {
    load.is_reported = load.is_read = true;
    report_of(load, lanes);
    for (const Source other : std::exchange(load.with, {})) use(own, other, lanes);
  }
  forget(own, source);
}

void UndefinedValues::forget(Registers& own, Source source) {
  for (std::size_t byte = 0; byte < own.undefined.source.size(); ++byte) {
    if (own.undefined.source[byte] == source) own.undefined.set(byte, 0, 0);
  }
}

void UndefinedValues::use_predicate(Registers& own, Slot slot, LaneMask lanes) {
  if (slot < 0) return;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::size_t byte = byte_of(slot) + static_cast<std::size_t>(lane) / 8;
    if ((own.undefined.bits[byte] >> lane % 8 & 1) != 0)
      use(own, own.undefined.source[byte], rest & (~rest + 1));
  }
}

// A register of 32 bits.
void UndefinedValues::use_lanes(Registers& own, Slot slot, LaneMask lanes) {
  if (slot < 0) return;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t byte = byte_of(slot) + 4 * static_cast<std::size_t>(lane) + i;
      if (own.undefined.bits[byte] != 0) use(own, own.undefined.source[byte], rest & (~rest + 1));
    }
  }
}

void UndefinedValues::before(const simt::Warp& warp, const Instruction& at, LaneMask lanes) {
  Registers& own = warps_[static_cast<std::size_t>(warp.index())];
  if (own.undefined.count == 0) return;
  const bool is_executed = at.flow == Flow::next || at.flow == Flow::uniform || at.flow == Flow::warp_wide;
  const auto index = static_cast<std::size_t>(&at - program_.code.data());
  if (is_executed && kinds_[index] == Kind::plain) return;
  use_predicate(own, at.guard, lanes);
  if (at.flow == Flow::branch || at.flow == Flow::jump || at.flow == Flow::exit)
    use_predicate(own, at.c, lanes);
  if (at.flow == Flow::branch_table || at.flow == Flow::jump) use_lanes(own, at.a, guarded(warp, at, lanes));
  if (at.flow == Flow::call) {
    for (const simt::CallCopy& copy : program_.calls[static_cast<std::size_t>(at.immediate)].arguments) {
      if (!copy.from.is_register() || !copy.to.is_register() || copy.from.slot < 0) continue;
      const std::size_t bytes = simt::lane_count * std::max<std::size_t>(copy.bytes, 2);
      for (std::size_t byte = 0; byte < bytes; ++byte) {
        const std::size_t from = byte_of(copy.from.slot) + byte, to = byte_of(copy.to.slot) + byte;
        own.undefined.set(to, own.undefined.bits[from], own.undefined.source[from]);
      }
    }
  }
  update();
}

void UndefinedValues::execute(simt::Warp& warp, const Instruction& at) {
  Registers& own = warps_[static_cast<std::size_t>(warp.index())];
  if (own.undefined.count == 0) return at.execute(warp, at);
  if (!RegisterTrial::has_undefined(warp, at, own.undefined)) return at.execute(warp, at);
  RegisterTrial trial(warp, at, own.undefined);
  mark_read(own, warp, at);
  switch (kinds_[static_cast<std::size_t>(&at - program_.code.data())]) {
    case Kind::plain:
      follow(own, trial);
      break;
    case Kind::load:
      check_addresses(own, trial);
      follow(own, trial);
      break;
    case Kind::store:
      check_addresses(own, trial);
      check_stored(own, trial);
      break;
    case Kind::atomic:
      check_addresses(own, trial);
      for (const Slot slot : {at.b, at.c}) use_lanes(own, slot, warp.exec);
      break;
    case Kind::other_memory:
      break;
  }
  for (const Source source : trial.sources()) {
    ++own.loads[source - 1u].trials;
    if (own.loads[source - 1u].is_given_up()) forget(own, source);
  }
  update();
  at.execute(warp, at);
  carried_.drop_prepared();
}

// Serves a load, too: what it overwrites is equal whatever was there before.
void UndefinedValues::follow(Registers& own, RegisterTrial& trial) {
  Results results;
  for (const Source source : trial.sources())
    results.emplace_back(source, trial.results_depending_on(source));
  take_results(own, results, trial);
}

// Most words of 8 bytes are defined before and after.
void UndefinedValues::take_results(Registers& own, const Results& results, const RegisterTrial& trial) {
  const auto word_at = [](const RegisterTrial::Bytes& bytes, std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes[at], sizeof word);
    return word;
  };
  for (const RegisterTrial::Part& part : trial.parts()) {
    for (std::size_t i = 0; i < part.bytes; i += sizeof(std::uint64_t)) {
      std::uint64_t bits = word_at(own.undefined.bits, part.first + i);
      for (const auto& [source, depending] : results) bits |= word_at(depending, part.begin + i);
      if (bits == 0) continue;
      for (std::size_t byte = i; byte < i + sizeof(std::uint64_t); ++byte)
        take_byte(own, results, part.begin + byte, part.first + byte);
    }
  }
}

void UndefinedValues::take_byte(Registers& own, const Results& results, std::size_t at, std::size_t place) {
  std::uint8_t bits = 0;
  Source kept = 0;
  for (const auto& [source, depending] : results) {
    if (depending[at] == 0) continue;
    bits |= depending[at];
    if (kept == 0) kept = source;
    if (own.undefined.source[place] != source) own.loads[source - 1u].has_spread = true;
    std::vector<Source>& with = own.loads[kept - 1u].with;
    if (source != kept && std::ranges::find(with, source) == with.end()) with.push_back(source);
  }
  if (bits != 0 || own.undefined.bits[place] != 0) own.undefined.set(place, bits, kept);
}

void UndefinedValues::check_addresses(Registers& own, RegisterTrial& trial) {
  const auto addresses = trial.addresses();
  if (!addresses) return;
  for (const Source source : trial.sources()) {
    const auto others = trial.addresses_with_other(source);
    if (!others) continue;
    if (others->has_fault || addresses->has_fault) {
      if (others->has_fault != addresses->has_fault) use(own, source, simt::all_lanes);
      continue;
    }
    LaneMask differing = 0;
    for (LaneMask rest = addresses->lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      if (addresses->of_lane[lane] == others->of_lane[lane]) continue;
      differing |= rest & (~rest + 1);
    }
    if (differing != 0) use(own, source, differing);
  }
}

void UndefinedValues::check_stored(Registers& own, RegisterTrial& trial) {
  const auto addresses = trial.addresses();
  if (!addresses || addresses->has_fault) return;
  if (addresses->space == simt::Space::shared) return carry_stored(own, trial, *addresses);
  if (addresses->space != simt::Space::global) return;
  for (const Source source : trial.sources()) {
    // stored_bytes gives 16 bytes at most.
    const LaneMask lanes =
        addresses->lane_bytes > 16 ? addresses->lanes : trial.lanes_storing(source, addresses->lanes);
    if (lanes != 0) use(own, source, lanes);
  }
}

void UndefinedValues::carry_stored(const Registers& own, RegisterTrial& trial,
                                   const RegisterTrial::Addresses& addresses) {
  if (addresses.lane_bytes > 16) return;
  for (const Source source : trial.sources()) {
    const auto bytes = trial.bytes_storing(source, addresses.lanes);
    for (LaneMask rest = addresses.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      for (unsigned mask = bytes[lane]; mask != 0; mask &= mask - 1) {
        const auto byte = static_cast<std::uint64_t>(std::countr_zero(mask));
        carried_.prepare(addresses.of_lane[lane] + byte,
                         read_of(own.loads[source - 1u], static_cast<int>(lane)));
      }
    }
  }
}

}  // namespace tilescope
