#pragma once

#include <cstdint>

/// Fields of an instruction's bits that its text lacks: nvdisasm does not print the scheduling fields.
namespace tilescope::sass {

/// The 128 bits of an instruction, Volta to Hopper.
struct InstructionWord {
  /// Bits 0 to 63
  std::uint64_t low = 0;
  /// Bits 64 to 127
  std::uint64_t high = 0;

  bool operator==(const InstructionWord&) const = default;
};

inline constexpr std::uint8_t no_scoreboard = 7;

/// Bits 105 to 125: how the compiler schedules an instruction. NVIDIA does not document them. The positions are
/// community knowledge since Volta (Jia et al., arXiv 1804.06826). In 256,000 instructions of 234 cubins the reuse bits
/// are always as many as the ".reuse" in nvdisasm's text, scoreboards 6 are never used, and only instructions of
/// variable latency set one.
struct Scheduling {
  /// Bits 105 to 108 [cycles]: the warp issues its next instruction no earlier.
  std::uint8_t stall_cycles = 0;
  /// Bit 109 is clear: the scheduler prefers another warp for the next cycle. Community knowledge, not measured here;
  /// it fits that the bit is clear wherever the stall is 0 or 12 to 15 cycles, and set in all but one instruction of
  /// 83,716 with a stall of 1.
  bool yields = false;
  /// Bits 110 to 112: 0 to 5, decremented when the result is written; no_scoreboard for none.
  std::uint8_t write_scoreboard = no_scoreboard;
  /// Bits 113 to 115: 0 to 5, decremented when the operands are read; no_scoreboard for none.
  std::uint8_t read_scoreboard = no_scoreboard;
  /// Bits 116 to 121: bit i is set to wait until scoreboard i is 0.
  std::uint8_t wait_mask = 0;
  /// Bits 122 to 125: bit i is set where the register of source operand i stays in the operand cache (".reuse").
  std::uint8_t reuse_mask = 0;

  bool operator==(const Scheduling&) const = default;
};

Scheduling scheduling(const InstructionWord& word);
/// Scheduling bits, from bit 0 on, as simt::Origin::scheduling keeps them.
std::uint32_t scheduling_bits(const InstructionWord& word);
Scheduling scheduling_of_bits(std::uint32_t bits);

/// Bits 32 to 63, where most instructions have their immediate operand.
inline std::uint32_t immediate(const InstructionWord& word) {
  return static_cast<std::uint32_t>(word.low >> 32);
}

}  // namespace tilescope::sass
