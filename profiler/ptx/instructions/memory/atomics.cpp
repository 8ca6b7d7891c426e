#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "profiler/ptx/block.hpp"
#include "profiler/ptx/instructions/families.hpp"
#include "profiler/ptx/instructions/half_lanes-inl.hpp"
#include "profiler/ptx/instructions/memory/lane_access.hpp"
#include "profiler/ptx/instructions/memory/modifiers.hpp"

// atom and red: a is the address, b and c the operands, d the old value (no_slot for red), `width` the size of the
// address register, `flags` the state space. Lanes take effect in ascending order, so that results are reproducible; on
// a GPU the order is undefined.
namespace tilescope::ptx {
namespace {

namespace halves = HWY_NAMESPACE;

// Two's complement: the same for both signs.
struct Add {
  template <class T>
  T operator()(T old, T b, T) const {
    return static_cast<T>(old + b);
  }
};
struct Minimum {
  template <class T>
  T operator()(T old, T b, T) const {
    return std::min(old, b);
  }
};
struct Maximum {
  template <class T>
  T operator()(T old, T b, T) const {
    return std::max(old, b);
  }
};
struct Increment {
  std::uint32_t operator()(std::uint32_t old, std::uint32_t b, std::uint32_t) const {
    return old >= b ? 0 : old + 1;
  }
};
struct Decrement {
  std::uint32_t operator()(std::uint32_t old, std::uint32_t b, std::uint32_t) const {
    return old == 0 || old > b ? b : old - 1;
  }
};
struct And {
  template <class T>
  T operator()(T old, T b, T) const {
    return old & b;
  }
};
struct Or {
  template <class T>
  T operator()(T old, T b, T) const {
    return old | b;
  }
};
struct Xor {
  template <class T>
  T operator()(T old, T b, T) const {
    return old ^ b;
  }
};
struct Exchange {
  template <class T>
  T operator()(T, T b, T) const {
    return b;
  }
};
struct CompareAndSwap {
  template <class T>
  T operator()(T old, T b, T c) const {
    return old == b ? c : old;
  }
};

float sum_or_nan(float a, float b) {
  const float sum = a + b;
  return std::isnan(sum) ? std::bit_cast<float>(0x7fffffffu) : sum;
}
float without_denormals(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
// Denormals are kept in shared memory and flushed in global memory (PTX ISA, "atom").
struct AddFloat {
  float operator()(float old, float b, float) const { return sum_or_nan(old, b); }
};
struct AddFlushedFloat {
  float operator()(float old, float b, float) const {
    return without_denormals(sum_or_nan(without_denormals(old), without_denormals(b)));
  }
};
struct AddDouble {
  double operator()(double old, double b, double) const {
    const double sum = old + b;
    return std::isnan(sum) ? std::bit_cast<double>(0x7fff'ffff'ffff'ffffu) : sum;
  }
};

// Halves are added as floats: the sum, rounded twice, is that rounded once, a float having over twice the bits.
std::uint16_t add_f16(std::uint16_t a, std::uint16_t b) {
  return halves::f16_of_single(halves::single_of_f16(a) + halves::single_of_f16(b));
}
std::uint16_t add_bf16(std::uint16_t a, std::uint16_t b) {
  return halves::bf16_of_single(halves::single_of_bf16(a) + halves::single_of_bf16(b));
}
template <std::uint16_t (*add)(std::uint16_t, std::uint16_t)>
struct AddHalf {
  std::uint16_t operator()(std::uint16_t old, std::uint16_t b, std::uint16_t) const { return add(old, b); }
  std::uint32_t operator()(std::uint32_t old, std::uint32_t b, std::uint32_t) const {
    const auto part = [](std::uint32_t pair, int shift) { return static_cast<std::uint16_t>(pair >> shift); };
    return add(part(old, 0), part(b, 0)) | static_cast<std::uint32_t>(add(part(old, 16), part(b, 16))) << 16;
  }
};

template <class Operation, class T>
void update(Warp& warp, const Instruction& i) {
  const LaneRequest request{.space = static_cast<Space>(i.flags),
                            .access = Access::atomic,
                            .bytes = sizeof(T),
                            .element_bytes = sizeof(T),
                            .alignment = sizeof(T)};
  const auto addresses = addresses_of(warp, i.a, i.width, i.immediate);
  const LanePointers memory = resolve(warp, i, request, warp.exec, addresses.data());
  const T* b = warp.read<T>(i.b);
  const T* c = warp.read<T>(i.c);
  T* result = i.d == no_slot ? nullptr : warp.write<T>(i.d);
  for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    T old{};
    if ((memory.lanes >> lane & 1u) != 0) {
      std::memcpy(&old, memory.at[lane], sizeof old);
      const T updated = Operation{}(old, b[lane], c[lane]);
      std::memcpy(memory.at[lane], &updated, sizeof updated);
    }
    if (result != nullptr) result[lane] = old;
  }
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

constexpr Opcode opcodes[] = {{"atom", decode_atom, Pipe::lsu}, {"red", decode_red, Pipe::lsu}};

}  // namespace

std::span<const Opcode> atomic_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
