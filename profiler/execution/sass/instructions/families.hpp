#pragma once

#include <span>
#include <string_view>
#include <unordered_map>

#include "profiler/execution/sass/decoder.hpp"

/// The instruction families, one file each, and the opcodes that they decode.
namespace tilescope::sass {

std::span<const Opcode>
integer_opcodes();  // IADD3 IMAD IABS IMNMX LEA ISETP SHF VIADD ..., and their uniform forms
std::span<const Opcode> logic_opcodes();       // LOP3 PLOP3 PRMT SGXT POPC FLO BREV BMSK ...
std::span<const Opcode> move_opcodes();        // MOV SEL CS2R S2R R2UR P2R R2P LDC ULDC B2R NOP ...
std::span<const Opcode> float_opcodes();       // FADD FMUL FFMA FMNMX FSEL FSETP FSET FCHK MUFU
std::span<const Opcode> double_opcodes();      // DADD DMUL DFMA DSETP
std::span<const Opcode> half_opcodes();        // HADD2 HMUL2 HFMA2 HMNMX2 HSETP2 HSET2
std::span<const Opcode> convert_opcodes();     // F2F F2FP F2I I2F I2FP I2I I2IP FRND
std::span<const Opcode> matrix_opcodes();      // HMMA IMMA
std::span<const Opcode> warp_opcodes();        // SHFL VOTE VOTEU MATCH REDUX
std::span<const Opcode> load_store_opcodes();  // LDG STG LDS STS LDL STL LD ST LDSM STSM MOVM
std::span<const Opcode> async_copy_opcodes();  // LDGSTS LDGDEPBAR DEPBAR
std::span<const Opcode> atomic_opcodes();      // ATOM ATOMG ATOMS RED
std::span<const Opcode>
control_opcodes();  // BRA BRX CALL RET EXIT BSSY BSYNC BREAK WARPSYNC BAR MEMBAR YIELD ...

using OpcodesByName = std::unordered_map<std::string_view, const Opcode*>;
/// Throws std::logic_error, with both families, where two rows have one name.
OpcodesByName opcodes_by_name(std::span<const std::span<const Opcode>> families);

}  // namespace tilescope::sass
