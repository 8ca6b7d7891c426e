#include <array>
#include <string_view>
#include <type_traits>
#include <vector>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/load_store.hpp"
#include "profiler/execution/sass/instructions/memory_address.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/memory/atomic_operations.hpp"

// ATOM, ATOMG, ATOMS and RED: the operands are the address; b and c are the operation's inputs, d gets the
// old value (no_slot for RED), `type` is the space. A 64-bit value lies in a register and the one behind it.
namespace tilescope::sass {
namespace {

using simt::LaneMask;
using simt::Space;
using simt::Warp;
using namespace simt::atomics;

template <class T>
using Lanes = std::array<T, simt::lane_count>;

template <class T>
Lanes<T> values_of(const Warp& warp, simt::Slot slot) {
  Lanes<T> values;
  const auto* low = warp.read<std::uint32_t>(slot);
  for (std::size_t lane = 0; lane < simt::lane_count; ++lane) {
    if constexpr (sizeof(T) == 8) {
      const auto* high = warp.read<std::uint32_t>(slot + RegisterSlots::step);
      values[lane] = std::bit_cast<T>(low[lane] | std::uint64_t{high[lane]} << 32);
    } else {
      values[lane] = std::bit_cast<T>(low[lane]);
    }
  }
  return values;
}

template <class T>
void set_values(Warp& warp, simt::Slot slot, const Lanes<T>& values) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(simt::first_lane(rest));
    const auto bits = std::bit_cast<Bits>(values[lane]);
    warp.write<std::uint32_t>(slot)[lane] = static_cast<std::uint32_t>(bits);
    if constexpr (sizeof(T) == 8) {
      warp.write<std::uint32_t>(slot + RegisterSlots::step)[lane] = static_cast<std::uint32_t>(bits >> 32);
    }
  }
}

simt::LanePointers memory_of(Warp& warp, const simt::Instruction& i, std::uint8_t bytes,
                             simt::Access access = simt::Access::atomic) {
  const auto space = static_cast<Space>(i.type);
  const auto addresses = addresses_in(warp, address_of(warp, i), space);
  const simt::LaneRequest request{
      .space = space, .access = access, .bytes = bytes, .element_bytes = bytes, .alignment = bytes};
  return simt::resolve(warp, i, request, warp.exec, addresses.data());
}

// ATOM.E.ADD P0, R0, [R4.64], R6: P0 is true in the lanes whose generic address is global. The others do nothing: the code
// behind it updates their shared or local memory.
LaneMask lanes_that_update(Warp& warp, const simt::Instruction& i) {
  const simt::Slot is_done = warp.operands(i)[address_operands];
  if (is_done == simt::no_slot || static_cast<Space>(i.type) != Space::generic) return warp.exec;
  const auto addresses = addresses_64(warp, address_of(warp, i));
  LaneMask global = 0;
  for (std::size_t lane = 0; lane < simt::lane_count; ++lane)
    global |= LaneMask{simt::space_of_generic(addresses[lane]) == Space::global} << lane;
  warp.set_mask(is_done, global);
  return warp.exec & global;
}

template <class Operation, class T>
void update(Warp& warp, const simt::Instruction& i) {
  warp.exec = lanes_that_update(warp, i);
  if (warp.exec == 0) return;
  const simt::LanePointers memory = memory_of(warp, i, sizeof(T));
  const Lanes<T> b = values_of<T>(warp, i.b), c = values_of<T>(warp, i.c);
  Lanes<T> old{};
  update_lanes<Operation, T>(warp.exec, memory, b.data(), c.data(), old.data());
  if (i.d != simt::no_slot) set_values<T>(warp, i.d, old);
}

// ATOMS.CAST.SPIN R3, [R0], R2, R3: a compare-and-swap that returns 1 to the lanes whose swap took place, for the loops
// by which ptxas makes atomics that shared memory has not.
template <class T>
void compare_and_store(Warp& warp, const simt::Instruction& i) {
  const simt::LanePointers memory = memory_of(warp, i, sizeof(T));
  const Lanes<T> b = values_of<T>(warp, i.b), c = values_of<T>(warp, i.c);
  Lanes<T> old{};
  update_lanes<CompareAndSwap, T>(warp.exec, memory, b.data(), c.data(), old.data());
  Lanes<std::uint32_t> swapped{};
  for (std::size_t lane = 0; lane < simt::lane_count; ++lane) swapped[lane] = old[lane] == b[lane] ? 1 : 0;
  set_values<std::uint32_t>(warp, i.d, swapped);
}

// ATOMS.POPC.INC.32 R0, [R4]: adds the number of lanes at the address; each gets the old value of all of them.
void count_lanes(Warp& warp, const simt::Instruction& i) {
  const simt::LanePointers memory = memory_of(warp, i, sizeof(std::uint32_t), simt::Access::atomic_count);
  Lanes<std::uint32_t> old{};
  for (LaneMask rest = memory.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(simt::first_lane(rest));
    std::memcpy(&old[lane], memory.at[lane], sizeof old[lane]);
  }
  for (LaneMask rest = memory.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(simt::first_lane(rest));
    std::uint32_t count = 0;
    std::memcpy(&count, memory.at[lane], sizeof count);
    ++count;
    std::memcpy(memory.at[lane], &count, sizeof count);
  }
  set_values<std::uint32_t>(warp, i.d, old);
}

// ATOMS.ARRIVE.64 R4, [R2] of mbarrier.arrive: below 9.0 an mbarrier is a number that ptxas' own code initialises and tests.
// Its low word has the arrivals that a phase waits for, and its high one those that are missing, each as a negative
// number of 30 or 31 bits; the top bit tells the phases apart. ATOMS.POPC.INC.32 on the low word takes one from both.
struct Arrive {
  std::uint64_t operator()(std::uint64_t old, std::uint64_t, std::uint64_t) const {
    constexpr std::uint32_t phase_bit = 0x8000'0000, of_30_bits = 0x4000'0000;
    const auto expected = static_cast<std::uint32_t>(old);
    std::uint32_t missing = static_cast<std::uint32_t>(old >> 32U) + 1;
    const bool is_complete = (missing & ~phase_bit) == 0;
    if (is_complete) missing |= (expected | of_30_bits) & ~phase_bit;
    return expected | std::uint64_t{missing} << 32U;
  }
};

enum class Value { u32, s32, u64, s64, f32, f64, f16x2, bf16x2 };

Value take_value(Decoder& decoder) {
  if (decoder.take("F32")) return Value::f32;
  if (decoder.take("F64")) return Value::f64;
  if (decoder.take("F16x2")) return Value::f16x2;
  if (decoder.take("BF16x2") || decoder.take("BF16_V2")) return Value::bf16x2;
  if (decoder.take("S64")) return Value::s64;
  if (decoder.take("U64") || decoder.take("64")) return Value::u64;
  if (decoder.take("S32")) return Value::s32;
  decoder.take("U32"), decoder.take("32");
  return Value::u32;
}

template <class Operation>
simt::Handler for_integers(Value value) {
  switch (value) {
    case Value::u32:
      return update<Operation, std::uint32_t>;
    case Value::s32:
      return update<Operation, std::int32_t>;
    case Value::u64:
      return update<Operation, std::uint64_t>;
    case Value::s64:
      return update<Operation, std::int64_t>;
    default:
      return nullptr;
  }
}

simt::Handler for_add(Value value, bool is_shared) {
  switch (value) {
    case Value::f32:
      return is_shared ? update<AddFloat, float> : update<AddFlushedFloat, float>;
    case Value::f64:
      return update<AddDouble, double>;
    case Value::f16x2:
      return update<AddHalf<add_f16>, std::uint32_t>;
    case Value::bf16x2:
      return update<AddHalf<add_bf16>, std::uint32_t>;
    default:
      return for_integers<Add>(value);
  }
}

simt::Handler handler_for(std::string_view operation, Value value, bool is_shared) {
  const bool is_wide = value == Value::u64 || value == Value::s64;
  if (operation == "ADD") return for_add(value, is_shared);
  if (operation == "MIN") return for_integers<Minimum>(value);
  if (operation == "MAX") return for_integers<Maximum>(value);
  if (operation == "INC" && value == Value::u32) return update<Increment, std::uint32_t>;
  if (operation == "DEC" && value == Value::u32) return update<Decrement, std::uint32_t>;
  if (operation == "AND") return for_integers<And>(value);
  if (operation == "OR") return for_integers<Or>(value);
  if (operation == "XOR") return for_integers<Xor>(value);
  if (operation == "EXCH") return for_integers<Exchange>(value);
  if (operation == "CAS") return for_integers<CompareAndSwap>(value);
  if (operation == "ARRIVE") return is_shared && is_wide ? update<Arrive, std::uint64_t> : nullptr;
  if (operation == "CAST")
    return is_wide ? compare_and_store<std::uint64_t> : compare_and_store<std::uint32_t>;
  return operation == "POPC" ? count_lanes : nullptr;
}

std::string_view take_operation(Decoder& decoder) {
  for (const std::string_view operation :
       {"POPC", "ARRIVE", "CAST", "CAS", "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH"}) {
    if (decoder.take(operation)) return operation;
  }
  decoder.unsupported("the operation is not known");
}

// An input of one or two registers.
simt::Slot value_operand(Decoder& decoder, std::size_t index, Value value) {
  const bool is_wide = value == Value::u64 || value == Value::s64 || value == Value::f64;
  return is_wide ? decoder.plain64(index) : decoder.plain(index);
}

void decode_atomic(Decoder& decoder, simt::Instruction& instruction, Space space, bool has_result) {
  const bool has_wide_address = decoder.take("E");
  take_cache_and_order(decoder);
  const std::string_view operation = take_operation(decoder);
  if (operation == "POPC" && !decoder.take("INC")) decoder.unsupported("a count that is not .INC");
  decoder.take("SPIN"), decoder.take("FTZ"), decoder.take("RN");
  const Value value = take_value(decoder);
  instruction.type = static_cast<std::uint8_t>(space);
  instruction.execute = handler_for(operation, value, space == Space::shared);
  if (instruction.execute == nullptr) decoder.unsupported("this operation on this type");
  const bool is_wide = value == Value::u64 || value == Value::s64 || value == Value::f64;
  std::size_t next = 0;
  simt::Slot is_done = simt::no_slot;
  if (has_result && decoder.is(0, Operand::Kind::predicate)) {
    const bool may_have_result = space == Space::generic && operation != "CAST" && operation != "POPC";
    if (decoder.is_true(next)) {
      decoder.take_operand(next);
    } else if (may_have_result) {
      is_done = decoder.write_predicate(next);
    } else {
      decoder.unsupported("a predicate as its result");
    }
    ++next;
  }
  if (has_result) instruction.d = decoder.write(next++, is_wide && operation != "CAST" ? 2 : 1);
  std::vector<simt::Slot> address;
  instruction.immediate = decode_address(decoder, next++, address, instruction.width);
  if (has_wide_address) use_register_pair(decoder, next - 1, address);
  if (space == Space::shared) instruction.immediate -= decoder.reserved_shared_bytes();
  address.push_back(is_done);
  decoder.more_operands(instruction, address);
  instruction.b = instruction.c = decoder.zero();
  const bool has_value = operation != "POPC" && operation != "ARRIVE";
  if (has_value) instruction.b = value_operand(decoder, next++, value);
  if (operation == "ARRIVE") decoder.data().use = simt::DataUse::mbarrier;
  if (operation == "CAS" || operation == "CAST") instruction.c = value_operand(decoder, next, value);
  if (space != Space::shared) decoder.note_global_atomic();
  if (space != Space::global) decoder.note_shared_element(is_wide ? 8 : 4);
}

void decode_atom(Decoder& decoder, simt::Instruction& instruction) {
  decode_atomic(decoder, instruction, Space::generic, true);
}
void decode_atom_global(Decoder& decoder, simt::Instruction& instruction) {
  decode_atomic(decoder, instruction, Space::global, true);
}
void decode_atom_shared(Decoder& decoder, simt::Instruction& instruction) {
  decode_atomic(decoder, instruction, Space::shared, true);
}
void decode_reduction(Decoder& decoder, simt::Instruction& instruction) {
  decode_atomic(decoder, instruction, Space::global, false);
}

void read_atomic(const InstructionParts& parts, simt::MachineFacts& facts) {
  read_width(parts, facts);
  for (const std::string_view type : {"F32", "F64", "F16x2", "F16", "BF16", "BF16x2"})
    facts.adds_floats |= parts.has(type);
  facts.compares_and_swaps = parts.has("CAS") || parts.has("CAST");
}
void read_generic_atomic(const InstructionParts& parts, simt::MachineFacts& facts) {
  facts.is_generic = true;
  read_atomic(parts, facts);
}

constexpr Opcode opcodes[] = {
    Opcode{"ATOM", decode_atom, simt::Pipe::lsu, HardwarePipe::lsu, Effect::global_atomic,
           read_generic_atomic}
        .uses(simt::DataUse::atomic),
    Opcode{"ATOMG", decode_atom_global, simt::Pipe::lsu, HardwarePipe::lsu, Effect::global_atomic,
           read_atomic}
        .uses(simt::DataUse::atomic),
    Opcode{"ATOMS", decode_atom_shared, simt::Pipe::lsu, HardwarePipe::lsu, Effect::shared_access,
           read_atomic}
        .uses(simt::DataUse::atomic),
    Opcode{"RED", decode_reduction, simt::Pipe::lsu, HardwarePipe::lsu, Effect::global_reduction, read_atomic}
        .uses(simt::DataUse::reduction),
    Opcode{"REDG", decode_reduction, simt::Pipe::lsu, HardwarePipe::lsu, Effect::global_reduction,
           read_atomic}
        .uses(simt::DataUse::reduction),
};

}  // namespace

std::span<const Opcode> atomic_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
