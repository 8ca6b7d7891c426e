#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profiler/execution/sass/hardware_pipe.hpp"
#include "profiler/execution/sass/operand.hpp"
#include "profiler/execution/simt/machine_facts.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::sass {

class Decoder;

/// Fills an instruction from the decoder's text.
using DecodeInstruction = void (*)(Decoder&, simt::Instruction&);

/// The words and operands of an instruction, taken apart once.
struct InstructionParts {
  /// The opcode and its modifiers: "HMMA", "16816", "F32"
  std::vector<std::string_view> words;
  std::vector<Operand> operands;

  bool has(std::string_view modifier) const;
};

/// Fills the facts that an opcode's pipes, cycles and effect depend on.
using ReadFacts = void (*)(const InstructionParts&, simt::MachineFacts&);

/// Reads the floating-point numbers that an instruction computes.
using ReadFloats = simt::FloatFacts (*)(const InstructionParts&);

/// The pipes of an opcode; or how they follow from the instruction and the architecture.
class PipeRule {
 public:
  using Function = HardwarePipes (*)(const simt::MachineFacts&, int architecture);

  /// An issue slot alone.
  constexpr PipeRule() = default;
  constexpr PipeRule(HardwarePipe pipe) : pipes_(bit(pipe)) {}
  constexpr PipeRule(HardwarePipe a, HardwarePipe b) : pipes_(bit(a) | bit(b)) {}
  constexpr PipeRule(Function function) : function_(function) {}

  HardwarePipes pipes(const simt::MachineFacts& facts, int architecture) const {
    return function_ == nullptr ? HardwarePipes(pipes_) : function_(facts, architecture);
  }

 private:
  static constexpr unsigned bit(HardwarePipe pipe) { return 1u << static_cast<unsigned>(pipe); }

  unsigned pipes_ = 0;
  Function function_ = nullptr;
};

/// The effect of an instruction beyond keeping a pipe busy.
enum class Effect : std::uint8_t {
  none,
  /// A shuffle, a load from constant memory: a result after some time, no memory behind it.
  delayed_result,
  shared_access,
  global_load,
  global_store,
  /// Stores that stay in L1 until their line is replaced, and loads of them.
  local_load,
  local_store,
  /// Executed in L2, with a result and without one.
  global_atomic,
  global_reduction,
  /// MEMBAR: waits until other SMs see what the warp stored.
  memory_fence,
  async_copy,
  /// LDGDEPBAR: the asynchronous copies so far are a group, counted by a scoreboard.
  commit_copies,
  /// DEPBAR.LE: waits until at most this many groups are in flight.
  wait_copies,
  block_barrier,
  jump,
};

/// All facts of an opcode.
struct Opcode {
  /// "IMAD": the mnemonic up to its first dot
  std::string_view name;
  DecodeInstruction decode = nullptr;
  /// For the instruction mix.
  simt::Pipe pipe = simt::Pipe::alu;
  PipeRule hardware = {};
  Effect effect = Effect::delayed_result;
  /// nullptr where nothing depends on the instruction's modifiers and operands.
  ReadFacts read_facts = nullptr;
  /// [cycles] of a link in a chain of them, measured on 9.0; 0 where it was not.
  double chain_cycles = 0;
  simt::DataUse use = simt::DataUse::registers;
  /// nullptr where it computes no floating-point number.
  ReadFloats floats = nullptr;

  constexpr Opcode uses(simt::DataUse other) const {
    Opcode row = *this;
    row.use = other;
    return row;
  }
  constexpr Opcode computes(ReadFloats other) const {
    Opcode row = *this;
    row.floats = other;
    return row;
  }
};

/// Finds an opcode of any family; nullptr for an unknown one. Throws std::logic_error where two rows have one name.
const Opcode* find_opcode(std::string_view name);

simt::MachineFacts facts_of(const Opcode& opcode, const InstructionParts& parts);
simt::DataFacts data_facts_of(const Opcode& opcode, const InstructionParts& parts);

}  // namespace tilescope::sass
