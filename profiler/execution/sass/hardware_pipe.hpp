#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "profiler/execution/simt/machine_facts.hpp"

/// Which parts of an SM execute an instruction of machine code.
namespace tilescope::sass {

/// The pipelines by the names of Nsight Compute (smsp__inst_executed_pipe_*).
enum class HardwarePipe : std::uint8_t {
  /// Address divergence: constant loads, special registers, block barriers, jumps to an address in a register.
  adu,
  /// Integer without multiplication, logic, comparisons, packing of floats.
  alu,
  /// Convergence barriers, and branches with an address.
  cbu,
  /// 32-bit and packed 16-bit multiply-add. Its light half executes FADD, FMUL and FFMA alone.
  fma,
  /// The heavy half of `fma`, for what its light half does not execute: IMAD, VIADD, IDP, HADD2.F32.
  fma_heavy,
  /// Packed 16-bit arithmetic where it has a pipe of its own (8.0).
  fp16,
  fp64,
  /// Loads and stores, shuffles, indices of threads.
  lsu,
  tensor,
  /// Once for a warp.
  uniform,
  /// Transcendental functions and conversions.
  xu,
};
inline constexpr std::size_t hardware_pipe_count = 11;
/// "alu", "fma heavy"
std::string_view name_of(HardwarePipe pipe);

using HardwarePipes = std::bitset<hardware_pipe_count>;
inline bool has(const HardwarePipes& pipes, HardwarePipe pipe) {
  return pipes.test(static_cast<std::size_t>(pipe));
}

HardwarePipes set_of(std::initializer_list<HardwarePipe> pipes);

/// The pipes that execute an instruction; none for one that takes an issue slot alone (NOP, BRA, ULDC, UMOV). Most have
/// one; `fma_heavy` goes with `fma`, and jumps to a register are of `adu` and `cbu`.
///
/// `architecture`: 80, 86, 89 or 90. For 9.0 the counters of an H200 confirm every pipe but fma_heavy and fp16
/// exactly: profiler/execution/sass/tests/hardware/issue_record_test.cpp. MEMBAR, ERRBAR, CGAERRBAR and CCTL only occur together
/// there: two of them are `lsu`, one is `adu` and one takes a slot alone, which ones is assumed. 8.x is assumed to be
/// alike, except that 8.0 has packed halves in a pipe of their own and one half of `fma` only (Nsight Compute's
/// documentation, "Pipelines"), and that HFMA2.MMA, which 9.0 counts as `tensor`, is of `fma` elsewhere.
HardwarePipes pipes_of(const simt::MachineFacts& instruction, int architecture);

}  // namespace tilescope::sass
