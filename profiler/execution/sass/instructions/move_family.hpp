#pragma once

#include "profiler/execution/sass/instructions/integer_family.hpp"

/// The decoders of moves between kinds of registers and of constants; move.cpp lists their opcodes.
namespace tilescope::sass {

/// S2R, S2UR, CS2R d, SR_...
void decode_special_register(Decoder& decoder, simt::Instruction& instruction);
/// LDC, ULDC d, c[bank][...]
void decode_constant_load(Decoder& decoder, simt::Instruction& instruction);

/// P2R d, PR, a, mask
void decode_predicates_to_register(Decoder& decoder, simt::Instruction& instruction);
/// R2P PR, a, mask
void decode_register_to_predicates(Decoder& decoder, simt::Instruction& instruction);
/// R2UR d, a
void decode_register_to_uniform(Decoder& decoder, simt::Instruction& instruction);
/// B2R.RESULT d [, p]: what the last BAR.RED of the warp gave
void decode_barrier_result(Decoder& decoder, simt::Instruction& instruction);
void decode_space_query(Decoder& decoder, simt::Instruction& instruction);
/// BMOV.32 d, a, of which one is a convergence barrier
void decode_barrier_move(Decoder& decoder, simt::Instruction& instruction);

}  // namespace tilescope::sass
