#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "profiler/execution/sass/decoder.hpp"
#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/warp.hpp"

/// How loads and stores are executed. Instruction::operands has the registers of the data, then the address (see
/// memory_address.hpp); `count` is the number of those registers, `type` the space, `flags` a LoadStoreType.
namespace tilescope::sass {

using simt::LaneMask;
using simt::Space;
using simt::Warp;

/// Type of a lane's transfer: `count` registers, of `bytes` each.
struct LoadStoreType {
  /// [B] 1, 2 or 4
  int bytes = 4;
  int count = 1;
  bool is_signed = false;

  std::uint8_t pack() const { return static_cast<std::uint8_t>(bytes | (is_signed ? 8 : 0)); }
  static LoadStoreType unpack(const simt::Instruction& i) {
    return {i.flags & 7, i.count, (i.flags & 8) != 0};
  }
};

/// Any form, lane after lane: for faults, and accesses of several pieces of memory.
void load_slowly(Warp& warp, const simt::Instruction& i);
void store_slowly(Warp& warp, const simt::Instruction& i);

/// See simt::StoredBytes.
std::array<std::byte, 16> stored_bytes(const Warp& warp, const simt::Instruction& store, unsigned lane);

void decode_load_matrix(Decoder& decoder, simt::Instruction& instruction);   // LDSM (matrix_moves.cpp)
void decode_store_matrix(Decoder& decoder, simt::Instruction& instruction);  // STSM
void decode_transpose(Decoder& decoder, simt::Instruction& instruction);     // MOVM

/// Reads the width of an access: "LDS.128", "LDS.U.64"; 4 B where none is named.
void read_width(const InstructionParts& parts, simt::MachineFacts& facts);

}  // namespace tilescope::sass
