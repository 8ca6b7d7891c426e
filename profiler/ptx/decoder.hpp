#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "profiler/ptx/program.hpp"
#include "profiler/ptx/syntax.hpp"

/// How an instruction family reads its syntax. A family is a file in profiler/ptx/instructions with a table of
/// opcodes; instruction_set.cpp lists the tables. A word or an operand that a family does not ask for makes the
/// instruction unsupported: nothing is ever overlooked.
namespace tilescope::ptx {

class Decoder;

/// Fills an instruction from the decoder's syntax.
using DecodeInstruction = void (*)(Decoder&, Instruction&);

struct Opcode {
  std::string_view name;  ///< "add"; the first of InstructionSyntax::words
  DecodeInstruction decode = nullptr;
  Pipe pipe = Pipe::alu;
};

/// The decoder of one instruction. Registers are recorded as read or written in the order of the calls; the fields that
/// the calls return must be stored in the instruction's slots or given to more_operands.
class Decoder {
 public:
  class Registers;  // the recording and numbering behind it: decode.cpp
  Decoder(const Module& module, const Function& function, const InstructionSyntax& syntax,
          Registers& registers);

  const InstructionSyntax& syntax() const { return syntax_; }
  const Module& module() const { return module_; }
  const Function& function() const { return function_; }
  std::string_view opcode() const { return syntax_.words[0]; }

  /// True, and consumed, when the instruction has this word ("ftz", "shared").
  bool take(std::string_view word);
  /// Consumes the next word that is not consumed yet; "" when there is none.
  std::string_view take_next();
  /// The next not consumed word when it is a type, consumed; else unsupported.
  Type take_type();
  /// The next not consumed word when it is a type, else Type::none.
  Type take_type_if_any();

  std::size_t operand_count() const { return syntax_.operands.size(); }
  const OperandSyntax& operand(std::size_t index) const;
  /// Marks an operand as dealt with, for those that are read without the calls below.
  const OperandSyntax& take_operand(std::size_t index);

  /// Input `index`: a register of the type's size, an immediate of that type, a variable's address (a constant) or a
  /// special register (a preset one; those that change, such as %clock64, are mov's alone). The type has 16, 32 or 64
  /// bits, and a lane in the register file as many: a type of another size is unsupported, whatever the register.
  Slot read(std::size_t index, Type type);
  Slot read(const OperandSyntax& operand, Type type);
  /// Output `index`: a register of the type's size; a sink is a register that nobody reads.
  Slot write(std::size_t index, Type type);
  Slot write(const OperandSyntax& operand, Type type);
  /// A register of any size but a predicate (cvt, ld, st, mov): the caller's handler must have one for `lane_bytes`.
  struct Sized {
    Slot slot = no_slot;
    int bytes = 0;       ///< [B] of the register's type: 1, 2, 4, 8 or 16
    int lane_bytes = 0;  ///< [B] of its lanes in the register file: see lane_bytes_of.
  };
  Sized read_any(const OperandSyntax& operand);
  Sized write_any(const OperandSyntax& operand);

  /// A predicate input; a negated one gives `negated`. An immediate 0 or 1 is one too.
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
  /// The value of an immediate integer operand, consumed; unsupported when it is none.
  std::int64_t immediate(std::size_t index);
  /// An address operand: the base register (a 64-bit one; a 32-bit one in the shared, local and param spaces) and the
  /// offset. A variable as the base gives a constant base; `bytes` is the base register's size.
  struct Address {
    Slot base = no_slot;
    std::int64_t offset = 0;
    int bytes = 8;
  };
  Address read_address(std::size_t index);
  /// The address of a variable or parameter as `mov` gives it: in its own state space (offsets for shared, local and
  /// param), absolute for global and constant.
  std::uint64_t address_of(const OperandSyntax& operand);
  /// The state space of a load or store that names `named` (generic: none) at this address. The name of a variable as the
  /// address says where it lies; the parameters of a kernel lie in .param, all others in a frame, in local memory.
  Space address_space(Space named, const OperandSyntax& address) const;

  /// Adds slots behind the instruction's own four: Warp::operands(instruction)[i].
  void more_operands(Instruction& instruction, std::span<const Slot> slots);

  /// A register of the decoder's own, for what a form needs beside its operands.
  Slot scratch(int bytes);

  /// The index into Program::code of a label operand; and the first place of a table in Program::branch_targets.
  void take_label(std::size_t index, Instruction& instruction);
  void take_table(std::size_t index, Instruction& instruction);

  /// A function that a call names, as CallSite::callee; a register or the place in the frame of one of its parameters
  /// (results behind them).
  std::uint32_t called_function(std::uint32_t module_function) const;
  Slot parameter_register(std::uint32_t called, std::uint32_t declared);
  std::uint32_t parameter_offset(std::uint32_t called, std::size_t parameter) const;
  void add_call(Instruction& instruction, CallSite site);

  /// A sentence for Program::notes; the place of the instruction is put before it.
  void note(std::string sentence);

  /// Sets the pipe when it is not the one of the opcode's table.
  void set_pipe(Pipe pipe);
  /// Told of shared accesses, for Program::shared_grain; and of atomics on global memory.
  void note_shared_element(int bytes);
  void note_global_atomic();

  /// Throws Unsupported with the instruction, its PTX line and its source line.
  [[noreturn]] void unsupported(const std::string& why) const;

  /// After the family: everything must have been taken.
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

/// All opcodes of all families. nullptr for a word that none has.
const Opcode* find_opcode(std::string_view name);

}  // namespace tilescope::ptx
