#include <algorithm>
#include <string>
#include <vector>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/memory/load_store_handlers.hpp"
#include "profiler/execution/ptx/instructions/memory/modifiers.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope::ptx {
namespace {

// The state space, the modifiers, the vector and the type, common to ld and st.
struct Form {
  LoadStoreForm packed;
  Type type = Type::none;
  int count = 1;
  /// [B] of the registers' type: 1 for an 8-bit register, whose lanes are wider.
  int declared_bytes = 0;
};

// The 256-bit vector of .target sm_100, on global memory only.
bool is_wide(const Form& form) {
  return size_of(form.type) * form.count == 32 && size_of(form.type) >= 4 && size_of(form.type) <= 8;
}

Form take_form(Decoder& decoder, Instruction& instruction, std::size_t address) {
  Form form;
  const Space named = take_space(decoder);
  form.packed.space = decoder.address_space(named, decoder.operand(address));
  // In machine code, call parameters are registers, except for the largest ones.
  if (named == Space::param && form.packed.space == Space::local) decoder.set_pipe(Pipe::alu);
  take_cache_and_order(decoder);
  if (decoder.take("v2")) form.count = 2;
  if (decoder.take("v4")) form.count = 4;
  if (decoder.take("v8")) form.count = 8;
  form.type = decoder.take_type();
  const int bytes = size_of(form.type);
  if (bytes == 0) decoder.unsupported("values of this type are not loaded or stored");
  if (is_wide(form)) {
    if (form.packed.space != Space::global && form.packed.space != Space::generic) {
      decoder.unsupported("32 bytes a thread of another state space than .global");
    }
    form.packed.space = Space::global;
  } else if (bytes * form.count > 16 || (form.count == 8 && bytes != 1)) {
    decoder.unsupported(
        "a vector of this width: 1, 2 or 4 values of at most 16 bytes together, or .v8 of 8-bit and 32-bit "
        "and .v4 of "
        "64-bit values");
  }
  instruction.type = static_cast<std::uint8_t>(form.type);
  instruction.width = static_cast<std::uint8_t>(bytes);
  instruction.count = static_cast<std::uint8_t>(form.count);
  if (form.packed.space == Space::shared || form.packed.space == Space::generic) {
    decoder.note_shared_element(bytes);
  }
  return form;
}

void take_address(Decoder& decoder, std::size_t index, Form& form, Instruction& instruction) {
  const Decoder::Address address = decoder.read_address(index);
  instruction.a = address.base;
  instruction.immediate = address.offset;
  form.packed.base_bytes = address.bytes;
}

// The type of a register with this many bytes, for literals and sinks.
Type register_type(Type type) {
  if (size_of(type) > 1) return type;
  return is_signed(type) ? Type::s16 : Type::u16;
}

// [B] Size of the type of an operand's registers, some of which may be sinks or literals.
int register_bytes_of(const Decoder& decoder, const OperandSyntax& operand, Type type) {
  const auto bytes_of = [&](const OperandSyntax& one) {
    if (one.kind != OperandSyntax::Kind::reg) return 0;
    return size_of(decoder.function().registers[one.index].type);
  };
  int bytes = bytes_of(operand);
  for (const OperandSyntax& element : operand.elements) bytes = std::max(bytes, bytes_of(element));
  return bytes != 0 ? bytes : size_of(register_type(type));
}

// A floating-point type needs a register of its size; .f32 also accepts an untyped 64-bit one, as ptxas does.
bool fits_float(const Decoder& decoder, const OperandSyntax& element, int bytes, Type type) {
  if (bytes == size_of(type)) return true;
  if (element.kind != OperandSyntax::Kind::reg || type != Type::f32) return false;
  return decoder.function().registers[element.index].type == Type::b64;
}

// The registers of the operand, in memory order; all have one size, which is stored in the form.
template <class TakeRegister>
void take_values(Decoder& decoder, std::size_t index, Form& form, std::vector<Slot>& slots,
                 TakeRegister take) {
  const OperandSyntax& operand = decoder.take_operand(index);
  const bool is_vector = operand.kind == OperandSyntax::Kind::vector;
  if ((is_vector ? operand.elements.size() : 1) != static_cast<std::size_t>(form.count)) {
    decoder.unsupported("the number of registers does not match the vector");
  }
  for (int e = 0; e < form.count; ++e) {
    const OperandSyntax& element = is_vector ? operand.elements[static_cast<std::size_t>(e)] : operand;
    const Decoder::Sized value = take(element);
    if (value.bytes < size_of(form.type)) decoder.unsupported("a register is smaller than the type");
    if (is_floating(form.type) && !fits_float(decoder, element, value.bytes, form.type)) {
      decoder.unsupported("a register is not of the size of its floating-point type");
    }
    if (value.bytes == 16 && size_of(form.type) != 16) {
      decoder.unsupported("a register of 128 bits for a ." + std::string(name_of(form.type)));
    }
    if (e > 0 && form.declared_bytes != value.bytes) {
      decoder.unsupported("registers of different sizes in a vector");
    }
    form.declared_bytes = value.bytes;
    form.packed.register_bytes = value.lane_bytes;
    slots.push_back(value.slot);
  }
}

void keep_values(Decoder& decoder, Instruction& instruction, const std::vector<Slot>& slots, Slot& only) {
  if (slots.size() == 1) {
    only = slots[0];
  } else {
    decoder.more_operands(instruction, slots);
  }
}

void decode_load(Decoder& decoder, Instruction& instruction) {
  Form form = take_form(decoder, instruction, 1);
  take_address(decoder, 1, form, instruction);
  const int sink_bytes = register_bytes_of(decoder, decoder.operand(0), form.type);
  std::vector<Slot> slots;
  take_values(decoder, 0, form, slots, [&](const OperandSyntax& element) -> Decoder::Sized {
    if (element.kind == OperandSyntax::Kind::sink)
      return {decoder.scratch(sink_bytes), sink_bytes, lane_bytes_of(sink_bytes)};
    return decoder.write_any(element);
  });
  keep_values(decoder, instruction, slots, instruction.d);
  instruction.flags = form.packed.pack();
  const bool sign_extends = is_signed(form.type) && form.declared_bytes > instruction.width;
  instruction.execute = load_handler(form.packed, instruction.width, form.count, sign_extends);
}

void decode_store(Decoder& decoder, Instruction& instruction) {
  Form form = take_form(decoder, instruction, 0);
  if (form.packed.space == Space::param) decoder.unsupported("the parameters of a kernel cannot be written");
  if (form.packed.space == Space::constant) decoder.unsupported("constant memory cannot be written");
  take_address(decoder, 0, form, instruction);
  const Type literal_type = register_type(form.type);
  const int literal_bytes = register_bytes_of(decoder, decoder.operand(1), form.type);
  std::vector<Slot> slots;
  take_values(decoder, 1, form, slots, [&](const OperandSyntax& element) -> Decoder::Sized {
    if (element.kind == OperandSyntax::Kind::reg) return decoder.read_any(element);
    if (element.kind == OperandSyntax::Kind::integer && !is_floating(form.type) && literal_bytes <= 8) {
      const int bytes = lane_bytes_of(literal_bytes);
      return {decoder.constant(element.bits, bytes), literal_bytes, bytes};
    }
    return {decoder.read(element, literal_type), size_of(literal_type), size_of(literal_type)};
  });
  keep_values(decoder, instruction, slots, instruction.b);
  instruction.flags = form.packed.pack();
  instruction.execute = store_handler(form.packed, instruction.width, form.count);
}

void do_nothing(Warp&, const Instruction&) {}

// Hints to caches, which do not exist here. Their addresses are not checked: a GPU does not fault on them either.
void decode_hint(Decoder& decoder, Instruction& instruction) {
  take_space(decoder);
  take_cache_and_order(decoder);
  decoder.take("L1");
  decoder.take("L2");
  for (std::size_t i = 0; i < decoder.operand_count(); ++i) decoder.take_operand(i);
  instruction.execute = do_nothing;
}

// A cache policy is a number that only `.L2::cache_hint` reads: here it is 0.
void set_no_policy(Warp& warp, const Instruction& i) {
  std::uint64_t* policy = warp.write<std::uint64_t>(i.d);
  for (int lane = 0; lane < lane_count; ++lane) {
    if ((warp.exec >> lane & 1u) != 0) policy[lane] = 0;
  }
}

void decode_policy(Decoder& decoder, Instruction& instruction) {
  while (!decoder.take_next().empty()) {
  }
  instruction.d = decoder.write(0, Type::b64);
  for (std::size_t i = 1; i < decoder.operand_count(); ++i) decoder.take_operand(i);
  instruction.execute = set_no_policy;
}

constexpr Opcode opcodes[] = {
    {"ld", decode_load, Pipe::lsu, DataUse::load},
    {"ldu", decode_load, Pipe::lsu, DataUse::load},
    {"st", decode_store, Pipe::lsu, DataUse::store},
    {"prefetch", decode_hint, Pipe::lsu, DataUse::cache_hint},
    {"prefetchu", decode_hint, Pipe::lsu, DataUse::cache_hint},
    {"applypriority", decode_hint, Pipe::lsu, DataUse::cache_hint},
    {"discard", decode_hint, Pipe::lsu, DataUse::cache_hint},
    {"createpolicy", decode_policy, Pipe::alu},
};

}  // namespace

std::span<const Opcode> load_store_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
