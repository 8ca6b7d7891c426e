#pragma once

#include "profiler/execution/sass/opcode.hpp"

/// The floating-point numbers that an instruction computes, from its modifiers.
namespace tilescope::sass {

/// FADD, FMUL, FFMA
simt::FloatFacts single_floats(const InstructionParts& parts);
/// FMNMX, whose third operand is a predicate, which chooses.
simt::FloatFacts single_choice_floats(const InstructionParts& parts);
/// MUFU: none for the upper half of a double.
simt::FloatFacts transcendental_floats(const InstructionParts& parts);
/// HADD2, HMUL2, HFMA2, HMNMX2
simt::FloatFacts half_floats(const InstructionParts& parts);
/// DADD, DMUL, DFMA
simt::FloatFacts double_floats(const InstructionParts& parts);
/// F2FP
simt::FloatFacts packed_floats(const InstructionParts& parts);
/// HMMA
simt::FloatFacts matrix_floats(const InstructionParts& parts);

}  // namespace tilescope::sass
