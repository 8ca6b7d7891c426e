#pragma once

#include <cstdint>

namespace tilescope::sass {
struct Opcode;
}

namespace tilescope::simt {

/// An instruction of machine code as far as its pipes, its cycles and its effect depend on it. The row of its opcode
/// says which of the fields it has.
struct MachineFacts {
  /// Its row of the instruction set; nullptr where there is no instruction of machine code.
  const sass::Opcode* opcode = nullptr;
  /// Rows x columns x depth of a matrix product; 0 for no shape.
  std::uint32_t products = 0;
  /// [bit] The width of its factors.
  std::uint8_t product_bits = 16;
  /// Matrices that LDSM loads: 1, 2, 4; 0 for other instructions.
  std::uint8_t matrices = 0;
  /// [B] The width of an access: 4, 8, 16
  std::uint8_t lane_bytes = 4;
  /// Number of a block barrier; for DEPBAR the groups that may be on their way.
  std::uint8_t number = 0;
  /// Warps that a block barrier waits for: 0 for all.
  std::uint8_t warps = 0;
  /// BAR.ARV: the warp goes on at once.
  bool only_arrives = false;
  /// BAR.SYNC.DEFER_BLOCKING: arithmetic behind it may go ahead.
  bool defers_blocking = false;
  /// The address decides which memory is accessed.
  bool is_generic = false;
  /// MEMBAR.CTA: no other SM has to see anything.
  bool is_within_block = false;
  /// A conversion from or to 64 bits.
  bool has_64_bits = false;
  /// IMAD.HI: the upper half of a product.
  bool takes_upper_half = false;
  /// HFMA2.MMA
  bool is_mma = false;
  /// HADD2.F32: packed halves with a result of 32 bits.
  bool widens = false;
  /// S2R of a thread's index or lane.
  bool reads_thread_index = false;
  /// An atomic operation on floating-point values, and a compare-and-swap, for loops that repeat it until it succeeds.
  bool adds_floats = false, compares_and_swaps = false;
  /// WARPSYNC of a mask in a register.
  bool reads_mask = false;
};

}  // namespace tilescope::simt
