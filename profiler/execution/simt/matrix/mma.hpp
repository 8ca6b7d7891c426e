#pragma once

#include "profiler/execution/simt/program.hpp"

/// D = A * B + C for the tiles of mma.sync, HMMA and IMMA: A is 16 x depth, B is depth x 8, D and C are 16 x 8. The
/// operands of the instruction are the registers of D, A, B and C, in this order; tiles-inl.hpp describes them.
namespace tilescope::simt {

/// The elements of A and B.
enum class MmaFactor { f16, bf16, tf32 };

/// Depths: 8 and 16, for tf32 4 and 8. C and D are of f32, or with f16 factors of either type.
Handler mma_handler(MmaFactor factor, int depth, bool is_f32);

/// Bytes, whose sums of 32 bits wrap or saturate. Depths: 16 and 32.
Handler integer_mma_handler(bool a_signed, bool b_signed, int depth, bool saturates);

}  // namespace tilescope::simt
