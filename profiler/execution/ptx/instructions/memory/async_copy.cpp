#include "profiler/execution/ptx/instructions/families.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/memory/async_copy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "profiler/execution/ptx/instructions/memory/mbarrier_state.hpp"
#include "profiler/execution/ptx/instructions/memory/modifiers.hpp"
#include "profiler/execution/simt/memory/async_copies.hpp"
#include "profiler/execution/simt/memory/async_copy-inl.hpp"

#ifndef TILESCOPE_PROFILER_PTX_ASYNC_COPY_FORM
#define TILESCOPE_PROFILER_PTX_ASYNC_COPY_FORM
namespace tilescope::ptx {
// cp.async: a and `immediate` are the destination, b and the constant in c the source, `width` the bytes, d how many of
// them are read.
enum AsyncCopyFlags : std::uint8_t {
  destination_is_32_bits = 1,
  has_source_bytes = 2,  // in d
  has_ignored = 4,       // a predicate in d
  ignored_is_negated = 8,
  past_l1 = 16,  // .cg
};

// [B] that each lane reads.
inline std::uint32_t source_bytes(const Warp& warp, const Instruction& i, unsigned lane) {
  if ((i.flags & has_source_bytes) != 0)
    return std::min<std::uint32_t>(warp.read<std::uint32_t>(i.d)[lane], i.width);
  if ((i.flags & has_ignored) == 0) return i.width;
  const bool is_ignored = (warp.mask(i.d) >> lane & 1u) != ((i.flags & ignored_is_negated) != 0 ? 1u : 0u);
  return is_ignored ? 0 : i.width;
}

// Any form, lane after lane.
void copy_slowly(Warp& warp, const Instruction& i);
}  // namespace tilescope::ptx
#endif

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

// Lanes read all their bytes or none of them.
template <class Address, int bytes>
void copy_async(Warp& warp, const Instruction& i) {
  const LaneMask exec = warp.exec;
  LaneMask reading = exec;
  if ((i.flags & (has_source_bytes | has_ignored)) != 0) {
    for (LaneMask rest = exec; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint32_t read = source_bytes(warp, i, lane);
      if (read == 0) reading &= ~(LaneMask{1} << lane);
      if (read != 0 && read != bytes) return copy_slowly(warp, i);
    }
  }
  Lanes destination, source;
  if (!find_shared<Address, bytes>(warp, exec, {i.a, i.immediate}, 0, destination))
    return copy_slowly(warp, i);
  const std::int64_t offset = *warp.read<std::int64_t>(i.c);
  if (reading != 0 && !find_global<bytes, false>(warp, reading, {i.b, offset}, source))
    return copy_slowly(warp, i);
  const bool has_source = reading != 0 && (i.flags & past_l1) != 0;
  std::array<std::uint64_t, lane_count> sources;
  if (has_source && warp.block().observer != nullptr) sources = addresses_of(warp, i.b, 8, offset);
  issue_async_copy<bytes>(warp, i, reading, destination, source, has_source ? sources.data() : nullptr);
}

Handler AsyncCopyHandler(int bytes, int destination_bytes) {
  const bool is_short = destination_bytes == 4;
  switch (bytes) {
    case 4:
      return is_short ? copy_async<std::uint32_t, 4> : copy_async<std::uint64_t, 4>;
    case 8:
      return is_short ? copy_async<std::uint32_t, 8> : copy_async<std::uint64_t, 8>;
    default:
      return is_short ? copy_async<std::uint32_t, 16> : copy_async<std::uint64_t, 16>;
  }
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {
namespace {

HWY_EXPORT(AsyncCopyHandler);

void commit_group(Warp& warp, const Instruction&) {
  warp.async_copies().commit(warp.exec);
}

void wait_group(Warp& warp, const Instruction& i) {
  warp.async_copies().wait(warp, warp.exec, static_cast<std::uint32_t>(i.immediate));
}

void wait_all(Warp& warp, const Instruction&) {
  warp.async_copies().wait_all(warp, warp.exec);
}

// Arrives when the thread's copies are complete, so they are completed here. Without noinc the arrival is added to the
// pending count first, which leaves the barrier unchanged.
void arrive_after_copies(Warp& warp, const Instruction& i) {
  warp.async_copies().wait_all(warp, warp.exec);
  if (i.count == 0) return;
  const LanePointers barriers = mbarriers_at(warp, i, static_cast<Space>(i.flags));
  for (LaneMask rest = barriers.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    arrive_on(warp, i, lane, barriers.at[lane], 1);
  }
}

void decode_copy(Decoder& decoder, Instruction& instruction) {
  if (!decoder.take("shared") && !decoder.take("shared::cta")) {
    decoder.unsupported("the destination must be in shared memory of the block");
  }
  if (take_space(decoder) != Space::global) decoder.unsupported("the source must be in global memory");
  const bool is_past_l1 = decoder.take("cg");
  const bool has_policy = decoder.take("L2::cache_hint");
  take_cache_and_order(decoder);
  const Decoder::Address destination = decoder.read_address(0);
  const Decoder::Address source = decoder.read_address(1);
  if (source.bytes != 8) decoder.unsupported("a global address of 32 bits");
  const std::int64_t bytes = decoder.immediate(2);
  if (bytes != 4 && bytes != 8 && bytes != 16) decoder.unsupported("cp.async copies 4, 8 or 16 bytes");
  const std::size_t operands = decoder.operand_count() - (has_policy ? 1 : 0);
  if (has_policy) decoder.take_operand(decoder.operand_count() - 1);
  if (operands > 3) {
    const OperandSyntax& extra = decoder.operand(3);
    const bool is_predicate = extra.kind == OperandSyntax::Kind::reg &&
                              decoder.function().registers[extra.index].type == Type::pred;
    if (is_predicate) {
      const Decoder::Predicate ignored = decoder.read_predicate(3);
      instruction.d = ignored.slot;
      instruction.flags = static_cast<std::uint8_t>(has_ignored | (ignored.negated ? ignored_is_negated : 0));
    } else {
      instruction.d = decoder.read(3, Type::u32);
      instruction.flags = has_source_bytes;
    }
  }
  instruction.a = destination.base;
  instruction.immediate = destination.offset;
  if (destination.bytes == 4) instruction.flags |= destination_is_32_bits;
  if (is_past_l1) instruction.flags |= past_l1;
  instruction.b = source.base;
  instruction.c = decoder.constant(static_cast<std::uint64_t>(source.offset), 8);
  instruction.width = static_cast<std::uint8_t>(bytes);
  instruction.count = 1;
  decoder.note_shared_element(static_cast<int>(bytes));
  instruction.execute = HWY_DYNAMIC_DISPATCH(AsyncCopyHandler)(static_cast<int>(bytes), destination.bytes);
}

void decode_arrive(Decoder& decoder, Instruction& instruction) {
  if (!decoder.take("arrive")) decoder.unsupported("only .arrive is known");
  instruction.count = decoder.take("noinc") ? 1 : 0;
  instruction.flags = static_cast<std::uint8_t>(take_space(decoder));
  if (decoder.take_type() != Type::b64) decoder.unsupported("an mbarrier is a .b64");
  const Decoder::Address barrier = decoder.read_address(0);
  instruction.a = barrier.base;
  instruction.immediate = barrier.offset;
  instruction.width = static_cast<std::uint8_t>(barrier.bytes);
  instruction.execute = arrive_after_copies;
}

void decode_cp(Decoder& decoder, Instruction& instruction) {
  if (!decoder.take("async")) decoder.unsupported("only cp.async is known");
  if (decoder.take("bulk")) decoder.unsupported("bulk and tensor copies are not executed");
  if (decoder.take("commit_group")) {
    instruction.execute = commit_group;
  } else if (decoder.take("wait_group")) {
    instruction.immediate = decoder.immediate(0);
    instruction.execute = wait_group;
  } else if (decoder.take("wait_all")) {
    instruction.execute = wait_all;
  } else if (decoder.take("mbarrier")) {
    decode_arrive(decoder, instruction);
  } else {
    decode_copy(decoder, instruction);
  }
}

constexpr Opcode opcodes[] = {{"cp", decode_cp, Pipe::lsu, DataUse::async_copy}};

}  // namespace

void copy_slowly(Warp& warp, const Instruction& i) {
  const auto to = addresses_of(warp, i.a, (i.flags & destination_is_32_bits) != 0 ? 4 : 8, i.immediate);
  const auto from = addresses_of(warp, i.b, 8, *warp.read<std::int64_t>(i.c));
  alignas(64) std::array<std::byte, lane_count * 16> data{};
  // Lanes that read the same number of bytes access memory together.
  LaneMask left = warp.exec, reading = 0;
  while (left != 0) {
    const std::uint32_t bytes = source_bytes(warp, i, static_cast<unsigned>(std::countr_zero(left)));
    LaneMask lanes = 0;
    for (LaneMask rest = left; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (source_bytes(warp, i, lane) == bytes) lanes |= LaneMask{1} << lane;
    }
    left &= ~lanes;
    if (bytes == 0) continue;
    reading |= lanes;
    const auto size = static_cast<std::uint8_t>(bytes);
    const LanePointers source = resolve(warp, i,
                                        {.space = Space::global,
                                         .access = Access::async_copy_read,
                                         .bytes = size,
                                         .element_bytes = size,
                                         .alignment = i.width},
                                        lanes, from.data());
    for (LaneMask rest = source.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      std::memcpy(data.data() + std::size_t{16} * lane, source.at[lane], bytes);
    }
  }
  const bool has_source = reading != 0 && (i.flags & past_l1) != 0;
  const LanePointers destination = resolve(warp, i,
                                           {.space = Space::shared,
                                            .access = Access::async_copy_issue,
                                            .bytes = i.width,
                                            .element_bytes = i.width,
                                            .alignment = i.width,
                                            .source_addresses = has_source ? from.data() : nullptr,
                                            .source_lanes = has_source ? reading : 0},
                                           warp.exec, to.data());
  if (destination.lanes == 0) return;
  AsyncCopies::Copy& copy = warp.async_copies().issue(warp, i, destination.lanes, i.width);
  for (std::size_t lane = 0; lane < lane_count; ++lane)
    copy.destination[lane] = static_cast<std::uint32_t>(to[lane]);
  copy.data = data;
}

std::span<const Opcode> async_copy_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
#endif
