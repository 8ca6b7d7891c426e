#pragma once

#include "profiler/execution/sass/instructions/integer_family.hpp"

/// The decoders of instructions on bits; logic.cpp lists their opcodes.
namespace tilescope::sass {

/// The handlers of instructions on the bits of one number.
enum class BitForm : std::uint8_t { count, reverse, top, top_shift, signed_top, signed_top_shift };

/// PRMT d, a, selector, c
void decode_permute(Decoder& decoder, simt::Instruction& instruction);
/// SGXT d, a, length
void decode_sign_extend(Decoder& decoder, simt::Instruction& instruction);
/// BMSK d, position, length
void decode_bit_mask(Decoder& decoder, simt::Instruction& instruction);
/// POPC, BREV, FLO d, a
void decode_bits(Decoder& decoder, simt::Instruction& instruction);

}  // namespace tilescope::sass
