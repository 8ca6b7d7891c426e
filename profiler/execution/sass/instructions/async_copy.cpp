#include <array>
#include <cstring>
#include <vector>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/load_store.hpp"
#include "profiler/execution/sass/instructions/memory_address.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/async_copy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/find_lanes-inl.hpp"
#include "profiler/execution/simt/memory/async_copy-inl.hpp"

// LDGSTS: copies from global to shared memory, whose data lands when its group is waited for. The operands are the
// addresses of the destination and of the source; `immediate` has the destination's offset in its low half and the
// source's in its high half, `width` the destination's shift, `type` the bytes of a lane; c is a predicate that is true
// for lanes that read, the others get zeros.
#ifndef TILESCOPE_PROFILER_SASS_ASYNC_COPY_FORM
#define TILESCOPE_PROFILER_SASS_ASYNC_COPY_FORM
namespace tilescope::sass {
enum AsyncCopyFlags : std::uint8_t { past_l1 = 1, negated_predicate = 2 };

inline AddressSlots destination_of(const Warp& warp, const simt::Instruction& i) {
  const simt::Slot* at = warp.operands(i);
  return {at[0], at[1], at[2], at[3], i.width, static_cast<std::int32_t>(i.immediate & 0xffff'ffff)};
}
inline AddressSlots source_of(const Warp& warp, const simt::Instruction& i) {
  const simt::Slot* at = warp.operands(i) + address_operands;
  return {at[0], at[1], at[2], at[3], 0, i.immediate >> 32};
}
inline LaneMask reading_lanes(const Warp& warp, const simt::Instruction& i) {
  if (i.c == simt::no_slot) return warp.exec;
  return warp.exec & ((i.flags & negated_predicate) != 0 ? ~warp.mask(i.c) : warp.mask(i.c));
}

void copy_slowly(Warp& warp, const simt::Instruction& i);
}  // namespace tilescope::sass
#endif

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

template <int bytes>
void copy_async(Warp& warp, const simt::Instruction& i) {
  const LaneMask reading = reading_lanes(warp, i);
  const AddressSlots from = source_of(warp, i);
  Lanes destination, source;
  if (!find_lanes<Space::shared, bytes, true>(warp, warp.exec, destination_of(warp, i), destination))
    return copy_slowly(warp, i);
  if (reading != 0 && !find_lanes<Space::global, bytes, false>(warp, reading, from, source))
    return copy_slowly(warp, i);
  const bool has_source = reading != 0 && (i.flags & past_l1) != 0;
  std::array<std::uint64_t, simt::lane_count> sources;
  if (has_source && warp.block().observer != nullptr) sources = addresses_64(warp, from);
  issue_async_copy<bytes>(warp, i, reading, destination, source, has_source ? sources.data() : nullptr);
}

simt::Handler AsyncCopyHandler(int bytes) {
  return bytes == 4 ? copy_async<4> : bytes == 8 ? copy_async<8> : copy_async<16>;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(AsyncCopyHandler);

// LDGSTS.E.BYPASS.LTC128B.128 [R5+0x10], desc[UR4][R2.64+0x20], !P0
void decode_copy(Decoder& decoder, simt::Instruction& instruction) {
  const int bytes = decoder.take("128") ? 16 : decoder.take("64") ? 8 : 4;
  if (decoder.take("BYPASS")) instruction.flags |= past_l1;
  decoder.take("ZFILL");
  take_cache_and_order(decoder);
  std::vector<simt::Slot> slots;
  const std::int64_t to =
      decode_address(decoder, 0, slots, instruction.width) - decoder.reserved_shared_bytes();
  std::uint8_t shift = 0;
  const std::int64_t from = decode_address(decoder, 1, slots, shift);
  if (shift != 0) decoder.unsupported("a scaled source address");
  instruction.immediate =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(from) << 32) | static_cast<std::uint32_t>(to);
  if (decoder.operand_count() > 2) {
    const Decoder::Predicate predicate = decoder.predicate(2);
    instruction.c = predicate.slot;
    if (predicate.is_negated) instruction.flags |= negated_predicate;
  }
  decoder.more_operands(instruction, slots);
  instruction.type = static_cast<std::uint8_t>(bytes);
  decoder.note_shared_element(bytes);
  instruction.execute = HWY_DYNAMIC_DISPATCH(AsyncCopyHandler)(bytes);
}

// Closes the group of the copies that were issued.
void commit_group(Warp& warp, const simt::Instruction&) {
  warp.async_copies().commit(warp.exec);
}
void decode_commit(Decoder&, simt::Instruction& instruction) {
  instruction.execute = commit_group;
}

// DEPBAR.LE SB0, 0x1: until at most one group is open. "DEPBAR.LE SB0, 0x0, {1}" also waits for scoreboard 1. The other
// scoreboards count results that are there at once here.
void wait_for_groups(Warp& warp, const simt::Instruction& i) {
  warp.async_copies().wait(warp, warp.exec, static_cast<std::uint32_t>(i.immediate));
}
void decode_wait(Decoder& decoder, simt::Instruction& instruction) {
  if (!decoder.take("LE")) decoder.unsupported("a wait that is not .LE");
  const Operand& scoreboard = decoder.take_operand(0);
  if (scoreboard.kind != Operand::Kind::scoreboard) decoder.unsupported("no scoreboard");
  instruction.immediate = decoder.integer(1);
  if (instruction.immediate < 0) decoder.unsupported("a negative number of groups");
  if (decoder.is(2, Operand::Kind::scoreboards)) decoder.take_operand(2);
  instruction.execute = wait_for_groups;
}

// "SB0, 0x1": the groups that may be on their way.
void read_pending(const InstructionParts& parts, simt::MachineFacts& facts) {
  for (const Operand& operand : parts.operands) {
    if (operand.kind == Operand::Kind::integer) facts.number = static_cast<std::uint8_t>(operand.value);
  }
}

constexpr Opcode opcodes[] = {
    Opcode{"LDGSTS", decode_copy, simt::Pipe::lsu, HardwarePipe::lsu, Effect::async_copy}.uses(
        simt::DataUse::async_copy),
    {"LDGDEPBAR", decode_commit, simt::Pipe::lsu, HardwarePipe::lsu, Effect::commit_copies},
    {"DEPBAR", decode_wait, simt::Pipe::control, {}, Effect::wait_copies, read_pending},
};

}  // namespace

// Any addresses, lane after lane, and faults.
void copy_slowly(Warp& warp, const simt::Instruction& i) {
  const std::uint8_t bytes = i.type;
  const LaneMask reading = reading_lanes(warp, i);
  const auto to = addresses_32(warp, destination_of(warp, i));
  const auto from = addresses_64(warp, source_of(warp, i));
  const auto request = [&](Space space, simt::Access access) {
    return simt::LaneRequest{
        .space = space, .access = access, .bytes = bytes, .element_bytes = bytes, .alignment = bytes};
  };
  simt::LanePointers source;
  if (reading != 0) {
    source =
        simt::resolve(warp, i, request(Space::global, simt::Access::async_copy_read), reading, from.data());
  }
  simt::LaneRequest issue = request(Space::shared, simt::Access::async_copy_issue);
  if (reading != 0 && (i.flags & past_l1) != 0) {
    issue.source_addresses = from.data();
    issue.source_lanes = reading;
  }
  const simt::LanePointers destination = simt::resolve(warp, i, issue, warp.exec, to.data());
  if (destination.lanes == 0) return;
  simt::AsyncCopies::Copy& copy = warp.async_copies().issue(warp, i, destination.lanes, bytes);
  for (std::size_t lane = 0; lane < simt::lane_count; ++lane) {
    copy.destination[lane] = static_cast<std::uint32_t>(to[lane]);
    std::memset(copy.data.data() + 16 * lane, 0, bytes);
    if ((source.lanes >> lane & 1u) != 0) std::memcpy(copy.data.data() + 16 * lane, source.at[lane], bytes);
  }
}

std::span<const Opcode> async_copy_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
#endif
