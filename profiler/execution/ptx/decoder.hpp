#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "profiler/execution/ptx/syntax.hpp"
#include "profiler/execution/simt/program.hpp"

/// How an instruction family reads its syntax. A family is a file in profiler/execution/ptx/instructions with a table of opcodes;
/// instruction_set.cpp lists the tables. A word or an operand that a family does not consume makes the instruction
/// unsupported, so that nothing is ignored.
namespace tilescope::ptx {

class Decoder;

/// Fills an instruction from the decoder's syntax.
using DecodeInstruction = void (*)(Decoder&, Instruction&);

/// Reads the numbers that an instruction computes from its words.
using ReadFloats = simt::FloatFacts (*)(std::span<const std::string_view> words);

/// All facts of an opcode.
struct Opcode {
  /// "add"; the first of InstructionSyntax::words
  std::string_view name;
  DecodeInstruction decode = nullptr;
  Pipe pipe = Pipe::alu;
  simt::DataUse use = simt::DataUse::registers;
  /// nullptr where it computes no floating-point number.
  ReadFloats floats = nullptr;
};

/// Decodes one instruction. Registers are recorded as read or written in the order of the calls. The slots that the
/// calls return must be stored in the instruction or passed to more_operands.
class Decoder {
 public:
  class Registers;  // the recording and numbering behind it: build_program.cpp
  Decoder(const Module& module, const Function& function, const InstructionSyntax& syntax,
          Registers& registers);

  const InstructionSyntax& syntax() const { return syntax_; }
  const Module& module() const { return module_; }
  const Function& function() const { return function_; }
  std::string_view opcode() const { return syntax_.words[0]; }

  /// Consumes this word ("ftz", "shared"); false when the instruction does not have it.
  bool take(std::string_view word);
  /// Consumes the next word that is not consumed yet; "" when there is none.
  std::string_view take_next();
  /// Consumes the next word, which must be a type; else the instruction is unsupported.
  Type take_type();
  /// The next word when it is a type, without consuming it; else Type::none.
  Type take_type_if_any();

  std::size_t operand_count() const { return syntax_.operands.size(); }
  const OperandSyntax& operand(std::size_t index) const;
  /// Marks an operand as consumed, for operands that are read without the calls below.
  const OperandSyntax& take_operand(std::size_t index);

  /// Input `index`: a register of the type's size, an immediate of that type, a variable's address (a constant) or a
  /// special register (a preset one; only mov reads those that change, such as %clock64). The type must have 16, 32 or
  /// 64 bits, as a lane in the register file has; other sizes are unsupported, whatever the register.
  Slot read(std::size_t index, Type type);
  Slot read(const OperandSyntax& operand, Type type);
  /// Output `index`: a register of the type's size. A sink becomes a register that nothing reads.
  Slot write(std::size_t index, Type type);
  Slot write(const OperandSyntax& operand, Type type);
  /// A register of any size except a predicate (cvt, ld, st, mov): the caller must have a handler for its `lane_bytes`.
  struct Sized {
    Slot slot = no_slot;
    /// [B] of the register's type: 1, 2, 4, 8 or 16
    int bytes = 0;
    /// [B] of its lanes in the register file: see lane_bytes_of.
    int lane_bytes = 0;
  };
  Sized read_any(const OperandSyntax& operand);
  Sized write_any(const OperandSyntax& operand);

  /// A predicate input, or an immediate 0 or 1. `negated` is set for a negated one.
  struct Predicate {
    Slot slot = no_slot;
    bool negated = false;
  };
  Predicate read_predicate(std::size_t index);
  Predicate read_predicate(const OperandSyntax& operand);
  Slot write_predicate(std::size_t index);
  Slot write_predicate(const OperandSyntax& operand);

  /// A constant in all lanes, of 2, 4 or 8 bytes. [B]
  Slot constant(std::uint64_t bits, int bytes);
  /// A constant predicate: all lanes or none.
  Slot constant_predicate(bool value);
  /// Consumes an immediate integer operand and returns its value; unsupported for any other operand.
  std::int64_t immediate(std::size_t index);
  /// An address operand: the base register (a 64-bit one; a 32-bit one in the shared, local and param spaces) and the
  /// offset. A variable as the base gives a constant base; `bytes` is the base register's size.
  struct Address {
    Slot base = no_slot;
    std::int64_t offset = 0;
    int bytes = 8;
  };
  Address read_address(std::size_t index);
  /// The address of a variable or parameter as `mov` returns it: an offset in the shared, local and param spaces,
  /// absolute in global and constant memory.
  std::uint64_t address_of(const OperandSyntax& operand);
  /// The state space of a load or store that names `named` (generic: none) at this address. A variable as the address
  /// gives its state space; the parameters of a kernel are in .param, all others in a frame, in local memory.
  Space address_space(Space named, const OperandSyntax& address) const;

  /// Adds slots to the instruction's own four: Warp::operands(instruction)[i].
  void more_operands(Instruction& instruction, std::span<const Slot> slots);

  /// A new register, for a form that needs more than its operands.
  Slot scratch(int bytes);

  /// The index into Program::code of a label operand; and the first place of a table in Program::branch_targets.
  void take_label(std::size_t index, Instruction& instruction);
  void take_table(std::size_t index, Instruction& instruction);

  /// A function that a call names, as CallSite::callee; and the register or the place in the frame of one of its
  /// parameters (results come after the parameters).
  std::uint32_t called_function(std::uint32_t module_function) const;
  Slot parameter_register(std::uint32_t called, std::uint32_t declared);
  std::uint32_t parameter_offset(std::uint32_t called, std::size_t parameter) const;
  void add_call(Instruction& instruction, CallSite site);

  /// Makes the instruction a probe.
  void add_probe(Instruction& instruction, Probe probe);

  /// Records a call of printf, for Program::prints.
  void note_printf();

  /// Sets the pipe when it is not the one of the opcode's table.
  void set_pipe(Pipe pipe);
  /// The opcode's use of data, with what the modifiers say.
  simt::DataFacts& data();
  /// Records a shared access, for Program::shared_grain; and an atomic on global memory.
  void note_shared_element(int bytes);
  void note_global_atomic();

  /// Throws Unsupported with the instruction, its PTX line and its source line.
  [[noreturn]] void unsupported(const std::string& why) const;

  /// Called after the family's decoder: everything must have been consumed.
  void check_all_taken() const;

 private:
  void check_lane_type(Type type) const;
  Slot register_of(const OperandSyntax& operand, Type type);
  Sized any_register(const OperandSyntax& operand, std::string_view role);
  bool is_in_frame(const OperandSyntax& variable) const;
  Slot address_slot(const OperandSyntax& variable, int bytes);

  const Module& module_;
  const Function& function_;
  const InstructionSyntax& syntax_;
  Registers& registers_;
  std::uint64_t words_taken_ = 1;     // a bit a word; the opcode is taken
  std::uint64_t operands_taken_ = 0;  // a bit an operand
};

/// Finds an opcode of any family; nullptr for an unknown one.
const Opcode* find_opcode(std::string_view name);

}  // namespace tilescope::ptx
