#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/execution/sass/disassembly.hpp"
#include "profiler/execution/sass/instruction_word.hpp"
#include "profiler/execution/sass/opcode.hpp"
#include "profiler/execution/sass/operand.hpp"
#include "profiler/execution/sass/register_slots.hpp"
#include "profiler/execution/simt/program.hpp"

/// How an instruction family reads an instruction. A family is a file in profiler/execution/sass/instructions with a table of
/// opcodes; instruction_set.cpp lists the tables. A modifier or an operand that a family does not consume makes the
/// instruction unsupported, so that nothing is ignored.
namespace tilescope::sass {

/// State shared by all instructions of a kernel while they are decoded.
struct DecodeState {
  /// `register_count` of a thread.
  explicit DecodeState(int register_count) : registers(register_count) {}

  RegisterSlots registers;
  ConstantSlots constants;
  std::vector<simt::Slot> operands;
  std::uint32_t shared_grain = 4;
  bool has_global_atomics = false;
  /// "sm_89": 89
  int architecture = 0;
  /// [B] See CubinKernel.
  std::uint32_t reserved_shared_bytes = 0;
};

class Decoder {
 public:
  /// Throws Unsupported for an operand that is not understood.
  Decoder(const Instruction& text, const InstructionWord& word, DecodeState& state);

  /// "IMAD"
  std::string_view opcode() const { return parts_.words[0]; }
  /// Its row; Unsupported when there is none.
  const Opcode& known_opcode() const;
  const InstructionParts& parts() const { return parts_; }
  const Instruction& text() const { return text_; }
  int architecture() const { return state_.architecture; }
  std::uint32_t reserved_shared_bytes() const { return state_.reserved_shared_bytes; }

  /// Consumes this modifier, a word behind a dot: "WIDE", "U32"; false when the instruction does not have it.
  bool take(std::string_view modifier);
  /// Consumes the next modifier that is not consumed yet; "" when there is none.
  std::string_view take_next();

  std::size_t operand_count() const { return parts_.operands.size(); }
  /// Unsupported when there is none.
  const Operand& operand(std::size_t index) const;
  bool is(std::size_t index, Operand::Kind kind) const {
    return index < parts_.operands.size() && parts_.operands[index].kind == kind;
  }
  /// Marks an operand as consumed, for operands that are read without the calls below.
  const Operand& take_operand(std::size_t index);

  /// A 32-bit input: a register, a uniform one, an immediate (`real` ones by their bits) or a word of a constant bank.
  /// Its signs and its selector are returned; a caller that cannot do them must use plain().
  struct Source {
    simt::Slot slot = simt::no_slot;
    bool is_negated = false, is_absolute = false, is_inverted = false;
    /// "H0_H0", "B1" ...; "" for none
    std::string_view selector;
  };
  Source source(std::size_t index);
  /// A floating-point input: the same, but the bits of every immediate are in the word, for nvdisasm writes the number
  /// one as "1".
  Source real(std::size_t index);
  Source real64(std::size_t index);
  /// An input without signs and selector.
  simt::Slot plain(std::size_t index);
  /// A 64-bit input: its low word, the high word is RegisterSlots::step behind it. A real immediate gives the upper 32
  /// bits of a double, an integer is sign-extended.
  Source source64(std::size_t index);
  simt::Slot plain64(std::size_t index);
  /// `count` registers R, R+1 ... of an input: the first. It must have this selector.
  simt::Slot registers(std::size_t index, int count, std::string_view selector = "");
  /// Two 16-bit immediates, which nvdisasm writes as two operands and the word has as one number.
  simt::Slot packed_halves(std::size_t index);

  /// A 32-bit output: a register or a uniform one; of a vector the first of `count`.
  simt::Slot write(std::size_t index, int count = 1);
  /// Whether output 0 is a uniform register or predicate: the instruction then acts once for the warp.
  bool is_uniform() const;

  struct Predicate {
    simt::Slot slot = simt::no_slot;
    bool is_negated = false;
  };
  /// A predicate input: P3, !P3, PT, UP0.
  Predicate predicate(std::size_t index);
  /// A predicate output.
  simt::Slot write_predicate(std::size_t index);
  /// Whether the operand is PT or UPT without a sign: an output that is dropped, an input that is true.
  bool is_true(std::size_t index) const;

  /// Consumes an integer operand.
  std::int64_t integer(std::size_t index);
  const InstructionWord& word() const { return word_; }
  /// Bits 32 to 63 of the word.
  std::uint32_t immediate_bits() const { return immediate(word_); }

  simt::Slot constant(std::uint32_t bits) { return state_.constants.value(bits); }
  simt::Slot zero() const { return state_.constants.zero(); }
  /// A predicate that is true in all lanes.
  simt::Slot true_mask() { return state_.constants.predicate(true); }
  const RegisterSlots& slots() const { return state_.registers; }
  /// Adds slots to the instruction's own four: Warp::operands(instruction)[i].
  void more_operands(simt::Instruction& instruction, std::span<const simt::Slot> slots);

  void set_pipe(simt::Pipe pipe) { pipe_ = pipe; }
  simt::Pipe pipe() const { return pipe_; }
  /// The opcode's use of data, with what the modifiers say.
  simt::DataFacts& data() { return data_; }
  /// [B] Element of an access to shared memory: see Program::shared_grain.
  void note_shared_element(int bytes);
  void note_global_atomic() { state_.has_global_atomics = true; }

  /// Throws Unsupported with the instruction and its address.
  [[noreturn]] void unsupported(const std::string& why) const;
  /// Called after the family's decoder: everything must have been consumed.
  void check_all_taken() const;

 private:
  Source value(std::size_t index, int words);
  simt::Slot without_sign(const Source& read, std::size_t index) const;
  simt::Slot register_slot(const Operand& operand, int count) const;
  simt::Slot constant_slot(const Operand& operand, int words);

  const Instruction& text_;
  const InstructionWord& word_;
  DecodeState& state_;
  InstructionParts parts_;
  std::uint64_t words_taken_ = 1;
  std::uint64_t operands_taken_ = 0;
  simt::Pipe pipe_ = simt::Pipe::alu;
  simt::DataFacts data_;
};

}  // namespace tilescope::sass
