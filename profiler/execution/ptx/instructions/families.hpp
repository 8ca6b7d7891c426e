#pragma once

#include <span>

#include "profiler/execution/ptx/decoder.hpp"

/// The instruction families, one file each, and the opcodes that they decode.
namespace tilescope::ptx {

std::span<const Opcode>
integer_opcodes();  // add sub mul mad mul24 div rem abs neg min max sad dp4a (dispatching floating ones)
std::span<const Opcode> floating_opcodes();  // fma rcp sqrt rsqrt sin cos lg2 ex2 tanh copysign testp
std::span<const Opcode>
bit_opcodes();  // and or xor not shl shr shf lop3 bfe bfi prmt popc clz bfind brev fns bmsk szext
std::span<const Opcode> convert_opcodes();      // cvt
std::span<const Opcode> compare_opcodes();      // setp set selp slct
std::span<const Opcode> move_opcodes();         // mov cvta isspacep
std::span<const Opcode> warp_wide_opcodes();    // shfl vote match redux activemask elect
std::span<const Opcode> control_opcodes();      // bra brx exit ret trap bar barrier membar fence nanosleep
std::span<const Opcode> call_opcodes();         // call
std::span<const Opcode> load_store_opcodes();   // ld ldu st prefetch
std::span<const Opcode> atomic_opcodes();       // atom red
std::span<const Opcode> async_copy_opcodes();   // cp.async
std::span<const Opcode> mbarrier_opcodes();     // mbarrier
std::span<const Opcode> matrix_load_opcodes();  // ldmatrix stmatrix
std::span<const Opcode> mma_opcodes();          // mma
std::span<const Opcode> wmma_opcodes();         // wmma
std::span<const Opcode> video_opcodes();        // vadd2 vadd4 vsub vavrg vabsdiff vmin vmax
std::span<const Opcode> probe_opcodes();        // tilescope.probe

}  // namespace tilescope::ptx
