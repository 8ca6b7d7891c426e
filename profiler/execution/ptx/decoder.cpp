#include "profiler/execution/ptx/decoder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "profiler/execution/ptx/register_file.hpp"

namespace tilescope::ptx {
namespace {

struct SpecialName {
  std::string_view name;
  Special special;
};
constexpr std::array special_names = {
    SpecialName{"%tid.x", Special::tid_x},
    SpecialName{"%tid.y", Special::tid_y},
    SpecialName{"%tid.z", Special::tid_z},
    SpecialName{"%ntid.x", Special::ntid_x},
    SpecialName{"%ntid.y", Special::ntid_y},
    SpecialName{"%ntid.z", Special::ntid_z},
    SpecialName{"%ctaid.x", Special::ctaid_x},
    SpecialName{"%ctaid.y", Special::ctaid_y},
    SpecialName{"%ctaid.z", Special::ctaid_z},
    SpecialName{"%nctaid.x", Special::nctaid_x},
    SpecialName{"%nctaid.y", Special::nctaid_y},
    SpecialName{"%nctaid.z", Special::nctaid_z},
    SpecialName{"%laneid", Special::laneid},
    SpecialName{"%warpid", Special::warpid},
    SpecialName{"%nwarpid", Special::nwarpid},
    SpecialName{"%smid", Special::smid},
    SpecialName{"%nsmid", Special::nsmid},
    SpecialName{"%gridid", Special::gridid},
    SpecialName{"%lanemask_eq", Special::lanemask_eq},
    SpecialName{"%lanemask_le", Special::lanemask_le},
    SpecialName{"%lanemask_lt", Special::lanemask_lt},
    SpecialName{"%lanemask_ge", Special::lanemask_ge},
    SpecialName{"%lanemask_gt", Special::lanemask_gt},
    SpecialName{"%total_smem_size", Special::total_smem_size},
    SpecialName{"%dynamic_smem_size", Special::dynamic_smem_size},
};

// The bits of an immediate as a value of a type.
std::uint64_t immediate_bits(const OperandSyntax& operand, Type type) {
  if (operand.kind == OperandSyntax::Kind::integer) return operand.bits;
  if (operand.is_single && size_of(type) == 4) return operand.bits;
  const double value = operand.is_single
                           ? double{std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))}
                           : std::bit_cast<double>(operand.bits);
  if (size_of(type) == 4) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return std::bit_cast<std::uint64_t>(value);
}

}  // namespace

Decoder::Decoder(const Module& module, const Function& function, const InstructionSyntax& syntax,
                 Registers& registers)
    : module_(module), function_(function), syntax_(syntax), registers_(registers) {}

bool Decoder::take(std::string_view word) {
  for (std::size_t i = 1; i < syntax_.words.size(); ++i) {
    if (syntax_.words[i] == word && (words_taken_ >> i & 1u) == 0) {
      words_taken_ |= std::uint64_t{1} << i;
      return true;
    }
  }
  return false;
}

std::string_view Decoder::take_next() {
  for (std::size_t i = 1; i < syntax_.words.size(); ++i) {
    if ((words_taken_ >> i & 1u) == 0) {
      words_taken_ |= std::uint64_t{1} << i;
      return syntax_.words[i];
    }
  }
  return {};
}

Type Decoder::take_type_if_any() {
  for (std::size_t i = 1; i < syntax_.words.size(); ++i) {
    if ((words_taken_ >> i & 1u) != 0) continue;
    const Type type = type_named(syntax_.words[i]);
    if (type != Type::none) words_taken_ |= std::uint64_t{1} << i;
    return type;
  }
  return Type::none;
}

Type Decoder::take_type() {
  const Type type = take_type_if_any();
  if (type == Type::none) unsupported("a type is missing, or not in its place");
  return type;
}

const OperandSyntax& Decoder::operand(std::size_t index) const {
  if (index >= syntax_.operands.size()) {
    unsupported("operand " + std::to_string(index + 1) + " is missing");
  }
  return syntax_.operands[index];
}

const OperandSyntax& Decoder::take_operand(std::size_t index) {
  const OperandSyntax& taken = operand(index);
  operands_taken_ |= std::uint64_t{1} << index;
  return taken;
}

Slot Decoder::read(std::size_t index, Type type) {
  return read(take_operand(index), type);
}

// Handlers are chosen by the type: one that is wider than its register would access the next register.
Slot Decoder::register_of(const OperandSyntax& operand, Type type) {
  if (operand.negated) unsupported("a negated operand here");
  if (registers_.bytes_of(operand.index) != size_of(type)) {
    unsupported("register " + std::string(operand.name) + " is declared as ." +
                std::string(name_of(function_.registers[operand.index].type)) +
                ", which does not have the size of a ." + std::string(name_of(type)));
  }
  return registers_.of(operand.index);
}

void Decoder::check_lane_type(Type type) const {
  const int bytes = size_of(type);
  if (bytes == 2 || bytes == 4 || bytes == 8) return;
  unsupported(type == Type::none ? "a type is missing"
                                 : "a ." + std::string(name_of(type)) +
                                       " here; the instruction takes values of 16, 32 and 64 bits");
}

Slot Decoder::read(const OperandSyntax& operand, Type type) {
  using Kind = OperandSyntax::Kind;
  check_lane_type(type);
  switch (operand.kind) {
    case Kind::reg: {
      const Slot slot = register_of(operand, type);
      registers_.read(slot);
      return slot;
    }
    case Kind::integer:
      if (is_floating(type) && size_of(type) != 2 && type != Type::f16x2 && type != Type::bf16x2) {
        unsupported("an integer where a floating-point number belongs");
      }
      return constant(operand.bits, size_of(type));
    case Kind::real:
      if (size_of(type) < 4) unsupported("a floating-point literal in a 16-bit operand");
      return constant(immediate_bits(operand, type), size_of(type));
    case Kind::variable:
      return address_slot(operand, size_of(type));
    case Kind::function:
      unsupported("the address of a function: a function is only called by its name here");
    case Kind::special:
      break;
    default:
      unsupported("operand '" + std::string(operand.name) + "' is of a kind that has no value");
  }
  if (operand.name == "WARP_SZ") return constant(lane_count, size_of(type));
  for (const SpecialName& known : special_names) {
    if (known.name != operand.name) continue;
    if (size_of(type) != (known.special == Special::gridid ? 8 : 4)) break;
    const Slot slot = registers_.preset(known.special);
    registers_.read(slot);
    return slot;
  }
  unsupported("special register " + std::string(operand.name) + " as a " + std::string(name_of(type)));
}

Slot Decoder::write(std::size_t index, Type type) {
  return write(take_operand(index), type);
}

Slot Decoder::write(const OperandSyntax& operand, Type type) {
  check_lane_type(type);
  if (operand.kind == OperandSyntax::Kind::sink) return scratch(size_of(type));
  if (operand.kind != OperandSyntax::Kind::reg) unsupported("a result that is not a register");
  const Slot slot = register_of(operand, type);
  registers_.written(slot);
  return slot;
}

Decoder::Sized Decoder::any_register(const OperandSyntax& operand, std::string_view role) {
  const std::string name = std::string(role) + " '" + std::string(operand.name) + "'";
  if (operand.kind != OperandSyntax::Kind::reg || operand.negated) unsupported(name + " is not a register");
  const int bytes = registers_.bytes_of(operand.index);
  if (bytes == 0) unsupported(name + " is a predicate, not a value; selp converts it");
  return {registers_.of(operand.index), bytes, lane_bytes_of(bytes)};
}

Decoder::Sized Decoder::read_any(const OperandSyntax& operand) {
  const Sized source = any_register(operand, "operand");
  registers_.read(source.slot);
  return source;
}

Decoder::Sized Decoder::write_any(const OperandSyntax& operand) {
  const Sized result = any_register(operand, "result");
  registers_.written(result.slot);
  return result;
}

Decoder::Predicate Decoder::read_predicate(std::size_t index) {
  return read_predicate(take_operand(index));
}

Decoder::Predicate Decoder::read_predicate(const OperandSyntax& source) {
  if (source.kind == OperandSyntax::Kind::integer) return {constant_predicate(source.bits != 0), false};
  if (source.kind != OperandSyntax::Kind::reg || function_.registers[source.index].type != Type::pred) {
    unsupported("operand '" + std::string(source.name) + "' is not a predicate");
  }
  const Slot slot = registers_.of(source.index);
  registers_.read(slot);
  return {slot, source.negated};
}

Slot Decoder::write_predicate(std::size_t index) {
  return write_predicate(take_operand(index));
}

Slot Decoder::write_predicate(const OperandSyntax& operand) {
  if (operand.kind == OperandSyntax::Kind::sink) return scratch(0);
  if (operand.kind != OperandSyntax::Kind::reg || function_.registers[operand.index].type != Type::pred) {
    unsupported("result '" + std::string(operand.name) + "' is not a predicate");
  }
  const Slot slot = registers_.of(operand.index);
  registers_.written(slot);
  return slot;
}

Slot Decoder::constant(std::uint64_t bits, int bytes) {
  return registers_.constant(bits, bytes);
}

Slot Decoder::constant_predicate(bool value) {
  return constant(value ? all_lanes : 0, 4);
}

std::int64_t Decoder::immediate(std::size_t index) {
  const OperandSyntax& source = take_operand(index);
  if (source.kind != OperandSyntax::Kind::integer) {
    unsupported("operand " + std::to_string(index + 1) + " must be a number");
  }
  return static_cast<std::int64_t>(source.bits);
}

std::uint64_t Decoder::address_of(const OperandSyntax& operand) {
  std::uint64_t base = 0;
  if (operand.is_parameter) {
    base = function_.is_entry ? function_.parameters[operand.index].offset
                              : registers_.function_layout().parameters[operand.index];
  } else {
    base = operand.is_local ? registers_.function_layout().variables[operand.index]
                            : registers_.layout.module_addresses[operand.index];
  }
  return base + static_cast<std::uint64_t>(operand.offset);
}

// The kernel's frame is always at 0, so that addresses in it are constants. The frame of another function depends on
// its caller.
bool Decoder::is_in_frame(const OperandSyntax& variable) const {
  if (function_.is_entry) return false;
  if (variable.is_parameter) return true;
  if (!variable.is_local) return false;
  const Space space = function_.variables[variable.index].space;
  return space == Space::local || space == Space::param;
}

Slot Decoder::address_slot(const OperandSyntax& variable, int bytes) {
  const std::uint64_t address = address_of(variable);
  if (!is_in_frame(variable)) return constant(address, bytes);
  if (bytes != 4 && bytes != 8) unsupported("an address in a register of 16 bits");
  const Slot slot = registers_.frame_address(address, bytes);
  registers_.read(slot);
  return slot;
}

Space Decoder::address_space(Space named, const OperandSyntax& address) const {
  const bool has_variable =
      !address.elements.empty() && address.elements[0].kind == OperandSyntax::Kind::variable;
  const bool is_call_variable = has_variable && address.elements[0].is_local;
  if (named == Space::generic && has_variable) {
    const OperandSyntax& variable = address.elements[0];
    named = variable.is_parameter ? Space::param
            : variable.is_local   ? function_.variables[variable.index].space
                                  : module_.variables[variable.index].space;
  }
  if (named != Space::param) return named;
  return function_.is_entry && !is_call_variable ? Space::param : Space::local;
}

std::uint32_t Decoder::called_function(std::uint32_t module_function) const {
  return registers_.graph().position_of(module_function);
}
Slot Decoder::parameter_register(std::uint32_t called, std::uint32_t declared) {
  return registers_.of(called, declared);
}
std::uint32_t Decoder::parameter_offset(std::uint32_t called, std::size_t parameter) const {
  return static_cast<std::uint32_t>(registers_.layout.functions[called].parameters[parameter]);
}

void Decoder::add_call(Instruction& instruction, CallSite site) {
  site.caller = registers_.current();
  // The decoder of all functions turns the number of the function into its first instruction.
  instruction.target = site.callee;
  instruction.immediate = static_cast<std::int64_t>(registers_.calls.size());
  for (const CallCopy& argument : site.arguments) {
    if (argument.to.is_register()) registers_.written(argument.to.slot);
  }
  registers_.calls.push_back(std::move(site));
}

void Decoder::add_probe(Instruction& instruction, Probe probe) {
  instruction.flow = Flow::probe;
  instruction.immediate = static_cast<std::int64_t>(registers_.probes.size());
  registers_.probes.push_back(std::move(probe));
}

void Decoder::note_printf() {
  registers_.prints = true;
}

Decoder::Address Decoder::read_address(std::size_t index) {
  const OperandSyntax& source = take_operand(index);
  if (source.kind != OperandSyntax::Kind::address) unsupported("an operand in brackets is missing");
  if (source.elements.size() > 1) unsupported("an address of several parts");
  if (source.elements.empty()) return {constant(0, 8), source.offset, 8};
  const OperandSyntax& base = source.elements[0];
  if (base.kind == OperandSyntax::Kind::variable) {
    return {address_slot(base, 8), source.offset, 8};
  }
  const Sized slot = read_any(base);
  if (slot.bytes != 4 && slot.bytes != 8) {
    unsupported("an address in a register of " + std::to_string(8 * slot.bytes) + " bits");
  }
  return {slot.slot, source.offset, slot.bytes};
}

void Decoder::more_operands(Instruction& instruction, std::span<const Slot> slots) {
  registers_.add_operands(instruction, slots);
}

Slot Decoder::scratch(int bytes) {
  const Slot slot = registers_.fresh(bytes);
  registers_.written(slot);
  return slot;
}

void Decoder::take_label(std::size_t index, Instruction& instruction) {
  const OperandSyntax& label = take_operand(index);
  if (label.kind != OperandSyntax::Kind::label) unsupported("a branch to something that is not a label");
  instruction.target = label.index;
}

void Decoder::take_table(std::size_t index, Instruction& instruction) {
  const OperandSyntax& table = take_operand(index);
  if (table.kind != OperandSyntax::Kind::table) unsupported("a branch table is missing");
  // The decoder of the whole function turns the number of the table into its place.
  instruction.immediate = table.index;
  instruction.target = static_cast<std::uint32_t>(function_.branch_tables[table.index].size());
}

void Decoder::set_pipe(Pipe pipe) {
  registers_.pipe = pipe;
}
simt::DataFacts& Decoder::data() {
  return registers_.data;
}
void Decoder::note_shared_element(int bytes) {
  registers_.shared_grain = std::min(registers_.shared_grain, static_cast<std::uint32_t>(bytes));
}
void Decoder::note_global_atomic() {
  registers_.has_global_atomics = true;
}

void Decoder::unsupported(const std::string& why) const {
  std::string message = "PTX line " + std::to_string(syntax_.position.line) + ": '" +
                        std::string(syntax_.text.substr(0, 120)) + "' is not executed here: " + why;
  if (syntax_.location != no_index) {
    const Location& location = module_.locations[syntax_.location];
    if (const std::string* path = module_.file_path(location.file); path != nullptr && location.line != 0) {
      message +=
          " (from " + path->substr(path->find_last_of('/') + 1) + ":" + std::to_string(location.line) + ")";
    }
  }
  throw Unsupported(message, syntax_.position);
}

void Decoder::check_all_taken() const {
  for (std::size_t i = 1; i < syntax_.words.size(); ++i) {
    if ((words_taken_ >> i & 1u) == 0) unsupported("'." + std::string(syntax_.words[i]) + "' is not known");
  }
  for (std::size_t i = 0; i < syntax_.operands.size(); ++i) {
    if ((operands_taken_ >> i & 1u) == 0) {
      unsupported("operand " + std::to_string(i + 1) + " is one too many");
    }
  }
}

}  // namespace tilescope::ptx
