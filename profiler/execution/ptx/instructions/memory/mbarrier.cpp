#include <algorithm>
#include <bit>
#include <cstring>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/memory/mbarrier_state.hpp"
#include "profiler/execution/ptx/instructions/memory/modifiers.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/memory/lane_access.hpp"

// mbarrier: a is the address, b an operand (no_slot for none), d the result (no_slot for none), `width` the size of the
// address register, `count` the state space.
namespace tilescope::ptx {
namespace {

// An action on the barrier of one lane. Returns the value of the result register.
template <class Action>
void for_each_barrier(Warp& warp, const Instruction& i, Action action) {
  const LanePointers barriers = mbarriers_at(warp, i, static_cast<Space>(i.count));
  for (LaneMask rest = barriers.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    action(lane, barriers.at[lane]);
  }
}

MbarrierState state_at(const std::byte* barrier) {
  std::uint64_t word = 0;
  std::memcpy(&word, barrier, sizeof word);
  return MbarrierState::unpack(word);
}

void set_state(std::byte* barrier, const MbarrierState& state) {
  const std::uint64_t word = state.pack();
  std::memcpy(barrier, &word, sizeof word);
}

std::uint32_t operand(const Warp& warp, const Instruction& i, unsigned lane) {
  return i.b == no_slot ? 1 : warp.read<std::uint32_t>(i.b)[lane];
}

void set_result(Warp& warp, const Instruction& i, unsigned lane, std::uint64_t state) {
  if (i.d != no_slot) warp.write<std::uint64_t>(i.d)[lane] = state;
}

void initialise(Warp& warp, const Instruction& i) {
  for_each_barrier(warp, i, [&](unsigned lane, std::byte* barrier) {
    const std::uint32_t count = operand(warp, i, lane) & MbarrierState::most_arrivals;
    set_state(barrier, {.expected = count, .pending = count, .is_valid = true});
  });
}

void invalidate(Warp& warp, const Instruction& i) {
  for_each_barrier(warp, i, [&](unsigned, std::byte* barrier) { set_state(barrier, {}); });
}

void arrive(Warp& warp, const Instruction& i) {
  for_each_barrier(warp, i, [&](unsigned lane, std::byte* barrier) {
    set_result(warp, i, lane, arrive_on(warp, i, lane, barrier, operand(warp, i, lane)));
  });
}

// Threads that drop are not expected in later phases either.
void arrive_and_drop(Warp& warp, const Instruction& i) {
  for_each_barrier(warp, i, [&](unsigned lane, std::byte* barrier) {
    const std::uint32_t count = operand(warp, i, lane);
    MbarrierState state = state_at(barrier);
    const MbarrierState before = state;
    state.expected -= std::min(count, state.expected);
    set_state(barrier, state);
    arrive_on(warp, i, lane, barrier, count);
    set_result(warp, i, lane, before.pack());
  });
}

void add_transactions(Warp& warp, const Instruction& i, int sign) {
  for_each_barrier(warp, i, [&](unsigned lane, std::byte* barrier) {
    MbarrierState state = state_at(barrier);
    state.add_transactions(sign * static_cast<std::int32_t>(operand(warp, i, lane)));
    set_state(barrier, state);
  });
}
void expect_transactions(Warp& warp, const Instruction& i) {
  add_transactions(warp, i, 1);
}
void complete_transactions(Warp& warp, const Instruction& i) {
  add_transactions(warp, i, -1);
}

void expect_and_arrive(Warp& warp, const Instruction& i) {
  for_each_barrier(warp, i, [&](unsigned lane, std::byte* barrier) {
    MbarrierState state = state_at(barrier);
    state.transactions += static_cast<std::int32_t>(operand(warp, i, lane));
    set_state(barrier, state);
    set_result(warp, i, lane, arrive_on(warp, i, lane, barrier, 1));
  });
}

// test_wait and try_wait. try_wait does not wait here: the ISA lets it give up at any time, and programs loop.
template <class IsOver>
void test(Warp& warp, const Instruction& i, IsOver is_over) {
  LaneMask done = 0;
  for_each_barrier(warp, i, [&](unsigned lane, const std::byte* barrier) {
    if (is_over(lane, state_at(barrier))) done |= LaneMask{1} << lane;
  });
  warp.set_mask(i.d, done);
}
void test_state(Warp& warp, const Instruction& i) {
  test(warp, i, [&](unsigned lane, const MbarrierState& state) {
    return state.phase != MbarrierState::unpack(warp.read<std::uint64_t>(i.b)[lane]).phase;
  });
}
void test_parity(Warp& warp, const Instruction& i) {
  test(warp, i, [&](unsigned lane, const MbarrierState& state) {
    return state.phase != ((warp.read<std::uint32_t>(i.b)[lane] & 1u) != 0);
  });
}

void pending_count(Warp& warp, const Instruction& i) {
  for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    warp.write<std::uint32_t>(i.d)[lane] = MbarrierState::unpack(warp.read<std::uint64_t>(i.a)[lane]).pending;
  }
}

void take_barrier(Decoder& decoder, Instruction& instruction, std::size_t index) {
  const Space space = take_space(decoder);
  if (space != Space::shared && space != Space::generic)
    decoder.unsupported("an mbarrier is in shared memory");
  if (decoder.take_type() != Type::b64) decoder.unsupported("an mbarrier is a .b64");
  const Decoder::Address address = decoder.read_address(index);
  instruction.a = address.base;
  instruction.immediate = address.offset;
  instruction.width = static_cast<std::uint8_t>(address.bytes);
  instruction.count = static_cast<std::uint8_t>(space);
}

void decode_without_result(Decoder& decoder, Instruction& instruction, Handler handler, bool has_operand) {
  take_barrier(decoder, instruction, 0);
  if (has_operand) instruction.b = decoder.read(1, Type::u32);
  instruction.execute = handler;
}

// With or without a state as its result, with or without a count.
void decode_arrival(Decoder& decoder, Instruction& instruction, Handler handler) {
  decoder.take("noComplete");
  if (decoder.take("expect_tx")) {
    if (handler != arrive) decoder.unsupported("arrive_drop.expect_tx");
    handler = expect_and_arrive;
  }
  const bool has_result = decoder.operand(0).kind != OperandSyntax::Kind::address;
  const std::size_t first = has_result ? 1 : 0;
  take_barrier(decoder, instruction, first);
  if (decoder.operand_count() > first + 1) instruction.b = decoder.read(first + 1, Type::u32);
  if (has_result) instruction.d = decoder.write(0, Type::b64);
  instruction.execute = handler;
}

void decode_test(Decoder& decoder, Instruction& instruction, bool has_time_limit) {
  const bool is_parity = decoder.take("parity");
  take_barrier(decoder, instruction, 1);
  instruction.b = decoder.read(2, is_parity ? Type::u32 : Type::b64);
  if (has_time_limit && decoder.operand_count() > 3) decoder.take_operand(3);
  instruction.d = decoder.write_predicate(0);
  instruction.execute = is_parity ? test_parity : test_state;
}

void decode_pending_count(Decoder& decoder, Instruction& instruction) {
  if (decoder.take_type() != Type::b64) decoder.unsupported("the state of an mbarrier is a .b64");
  instruction.d = decoder.write(0, Type::u32);
  instruction.a = decoder.read(1, Type::b64);
  instruction.execute = pending_count;
}

void decode_mbarrier(Decoder& decoder, Instruction& instruction) {
  take_cache_and_order(decoder);
  if (decoder.take("init")) {
    decoder.data().use = DataUse::mbarrier_init;
    decode_without_result(decoder, instruction, initialise, true);
  } else if (decoder.take("inval")) {
    decode_without_result(decoder, instruction, invalidate, false);
  } else if (decoder.take("arrive")) {
    decode_arrival(decoder, instruction, arrive);
  } else if (decoder.take("arrive_drop")) {
    decode_arrival(decoder, instruction, arrive_and_drop);
  } else if (decoder.take("test_wait")) {
    decode_test(decoder, instruction, false);
  } else if (decoder.take("try_wait")) {
    decode_test(decoder, instruction, true);
  } else if (decoder.take("expect_tx")) {
    decode_without_result(decoder, instruction, expect_transactions, true);
  } else if (decoder.take("complete_tx")) {
    decode_without_result(decoder, instruction, complete_transactions, true);
  } else if (decoder.take("pending_count")) {
    decode_pending_count(decoder, instruction);
  } else {
    decoder.unsupported("the operation on the mbarrier is not known");
  }
}

constexpr Opcode opcodes[] = {{"mbarrier", decode_mbarrier, Pipe::lsu, DataUse::mbarrier}};

}  // namespace

std::span<const Opcode> mbarrier_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
