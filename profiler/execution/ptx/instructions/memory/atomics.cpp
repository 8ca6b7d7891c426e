#include <string_view>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/memory/modifiers.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/memory/atomic_operations.hpp"

// atom and red: a is the address, b and c the operands, d the old value (no_slot for red), `width` the size of the
// address register, `flags` the state space.
namespace tilescope::ptx {
namespace {

using namespace simt::atomics;

template <class Operation, class T>
void update(Warp& warp, const Instruction& i) {
  const LaneRequest request{.space = static_cast<Space>(i.flags),
                            .access = Access::atomic,
                            .bytes = sizeof(T),
                            .element_bytes = sizeof(T),
                            .alignment = sizeof(T)};
  const auto addresses = addresses_of(warp, i.a, i.width, i.immediate);
  const LanePointers memory = resolve(warp, i, request, warp.exec, addresses.data());
  update_lanes<Operation, T>(warp.exec, memory, warp.read<T>(i.b), warp.read<T>(i.c),
                             i.d == no_slot ? nullptr : warp.write<T>(i.d));
}

Handler for_add(Type type, bool is_shared) {
  switch (type) {
    case Type::u32:
    case Type::s32:
      return update<Add, std::uint32_t>;
    case Type::u64:
    case Type::s64:
      return update<Add, std::uint64_t>;
    case Type::f32:
      return is_shared ? update<AddFloat, float> : update<AddFlushedFloat, float>;
    case Type::f64:
      return update<AddDouble, double>;
    case Type::f16:
      return update<AddHalf<add_f16>, std::uint16_t>;
    case Type::bf16:
      return update<AddHalf<add_bf16>, std::uint16_t>;
    case Type::f16x2:
      return update<AddHalf<add_f16>, std::uint32_t>;
    case Type::bf16x2:
      return update<AddHalf<add_bf16>, std::uint32_t>;
    default:
      return nullptr;
  }
}

template <class Operation>
Handler for_integers(Type type) {
  switch (type) {
    case Type::u32:
      return update<Operation, std::uint32_t>;
    case Type::s32:
      return update<Operation, std::int32_t>;
    case Type::u64:
      return update<Operation, std::uint64_t>;
    case Type::s64:
      return update<Operation, std::int64_t>;
    default:
      return nullptr;
  }
}

template <class Operation>
Handler for_bits(Type type) {
  if (type == Type::b32) return update<Operation, std::uint32_t>;
  return type == Type::b64 ? update<Operation, std::uint64_t> : nullptr;
}

// nullptr when the ISA does not have the operation for the type.
Handler handler_for(std::string_view operation, Type type, bool is_shared) {
  if (operation == "add") return for_add(type, is_shared);
  if (operation == "min") return for_integers<Minimum>(type);
  if (operation == "max") return for_integers<Maximum>(type);
  if (operation == "inc") return type == Type::u32 ? update<Increment, std::uint32_t> : nullptr;
  if (operation == "dec") return type == Type::u32 ? update<Decrement, std::uint32_t> : nullptr;
  if (operation == "and") return for_bits<And>(type);
  if (operation == "or") return for_bits<Or>(type);
  if (operation == "xor") return for_bits<Xor>(type);
  if (operation == "exch") return for_bits<Exchange>(type);
  if (operation == "cas") {
    return type == Type::b16 ? update<CompareAndSwap, std::uint16_t> : for_bits<CompareAndSwap>(type);
  }
  return nullptr;
}

std::string_view take_operation(Decoder& decoder) {
  constexpr std::string_view operations[] = {"add", "min", "max", "inc",  "dec",
                                             "and", "or",  "xor", "exch", "cas"};
  for (const std::string_view operation : operations) {
    if (decoder.take(operation)) return operation;
  }
  decoder.unsupported("the operation is not known");
}

void decode_atomic(Decoder& decoder, Instruction& instruction, bool has_result) {
  const Space space = take_space(decoder);
  if (space != Space::generic && space != Space::global && space != Space::shared) {
    decoder.unsupported("atomics are on global or shared memory");
  }
  take_cache_and_order(decoder);
  const std::string_view operation = take_operation(decoder);
  decoder.take("noftz");
  const Type type = decoder.take_type();
  const std::size_t first = has_result ? 1 : 0;
  const Decoder::Address address = decoder.read_address(first);
  instruction.a = address.base;
  instruction.immediate = address.offset;
  instruction.width = static_cast<std::uint8_t>(address.bytes);
  instruction.flags = static_cast<std::uint8_t>(space);
  instruction.type = static_cast<std::uint8_t>(type);
  instruction.execute = handler_for(operation, type, space == Space::shared);
  if (instruction.execute == nullptr) decoder.unsupported("the ISA has no such operation on this type");
  instruction.b = decoder.read(first + 1, type);
  instruction.c = operation == "cas" ? decoder.read(first + 2, type) : instruction.b;
  if (has_result) instruction.d = decoder.write(0, type);
  if (space != Space::shared) decoder.note_global_atomic();
  if (space != Space::global) decoder.note_shared_element(size_of(type));
}

void decode_atom(Decoder& decoder, Instruction& instruction) {
  decode_atomic(decoder, instruction, true);
}
void decode_red(Decoder& decoder, Instruction& instruction) {
  decode_atomic(decoder, instruction, false);
}

constexpr Opcode opcodes[] = {{"atom", decode_atom, Pipe::lsu, DataUse::atomic},
                              {"red", decode_red, Pipe::lsu, DataUse::reduction}};

}  // namespace

std::span<const Opcode> atomic_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
