#include "profiler/execution/sass/issue_intervals.hpp"

#include <algorithm>
#include <array>

#include "profiler/execution/sass/opcode.hpp"

namespace tilescope::sass {
namespace {

using Pipe = HardwarePipe;

// [1/clk/SM] Throughput of an SM for each kind of instruction: in lanes, but for the tensor pipe.
//
// fma to xu: CUDA C++ Programming Guide 13.0, arithmetic instructions, results per clock and SM of FP32 add,
// 32-bit integer multiply-add (half of the lanes of `fma` from 8.6 on), 32-bit integer add, FP64 add, and
// exp2; conversions to and from 64 bits are the last. An H200 gives 126.3 of FFMA and 16.0 of MUFU.EX2
// (assets/devices/h200.json).
// tensor: FLOP of FP16 products with FP32 sums. 8.0: 312 TFLOP/s on 108 SMs at 1410 MHz (A100 datasheet).
// 8.6, 8.9: 121 TFLOP/s on 58 SMs at 2040 MHz (L4 datasheet); GeForce has half of it. 9.0: mma.sync m16n8k16
// as measured on an H200, 2,731 of the 4,096 that wgmma reaches, which is one in 6 cycles.
struct Rates {
  int architecture;
  double fma, fma_heavy, alu, fp64, xu, convert64, tensor;
};
constexpr double products_9_0 = 4 * 4096.0 / 6;
constexpr std::array<Rates, 4> all_rates = {{{80, 64, 64, 64, 32, 16, 16, 2048},
                                             {86, 128, 64, 64, 2, 16, 2, 1024},
                                             {89, 128, 64, 64, 2, 16, 2, 1024},
                                             {90, 128, 64, 64, 64, 16, 16, products_9_0}}};

const Rates& rates_of(int architecture) {
  const auto next = std::ranges::upper_bound(all_rates, architecture, {}, &Rates::architecture);
  return next == all_rates.begin() ? *next : *(next - 1);
}

// [cycles] of one instruction of a warp in its quarter, for lanes of the whole SM
double quarter_cycles(double lanes) {
  return 32 * quarters_per_sm / lanes;
}

// TF32 products take twice as long as products of halves, byte products half as long, four-bit products a
// quarter (NVIDIA's datasheets of A100, L4 and H100). Packed halves, which 9.0 has in this pipe (HFMA2.MMA),
// take no less than the issue slot: assumed.
double tensor_cycles(const simt::MachineFacts& instruction, const Rates& rates) {
  if (instruction.products == 0) return 1;
  const double products = instruction.products, speed = 16.0 / instruction.product_bits;
  return std::max(1.0, 2 * products * quarters_per_sm / (rates.tensor * speed));
}

// POPC, FLO and BREV have the rate of MUFU in the guide, and conversions of 32 bits on 8.x. FCHK, and on 9.0
// conversions other than those that pack in the ALU, are assumed to have it too.
double xu_cycles(const simt::MachineFacts& instruction, const Rates& rates) {
  return quarter_cycles(instruction.has_64_bits ? rates.convert64 : rates.xu);
}

}  // namespace

bool is_shared_by_quarters(HardwarePipe pipe, int architecture) {
  return pipe == Pipe::lsu || (pipe == Pipe::fp64 && rates_of(architecture).fp64 < 32);
}

double pipe_cycles(HardwarePipe pipe, const simt::MachineFacts& instruction, int architecture) {
  const Rates& rates = rates_of(architecture);
  switch (pipe) {
    case Pipe::fma:
      return quarter_cycles(rates.fma);
    // IMAD.HI takes 4 cycles on an H200, IMAD and IMAD.WIDE 2; assumed of the others.
    case Pipe::fma_heavy:
      return quarter_cycles(rates.fma_heavy) * (instruction.takes_upper_half ? 2 : 1);
    case Pipe::alu:
      return quarter_cycles(rates.alu);
    case Pipe::fp64:
      return quarter_cycles(rates.fp64) / (is_shared_by_quarters(pipe, architecture) ? quarters_per_sm : 1);
    case Pipe::xu:
      return xu_cycles(instruction, rates);
    case Pipe::tensor:
      return tensor_cycles(instruction, rates);
    // FP16 of 8.0: 256 results per clock and SM in the guide, two from each lane. An LSU takes a wavefront of 128 B per
    // clock (measured on an H200; an 8.x one 64 B of 32-bit loads, 128 B of wider ones and of ldmatrix). Nothing
    // is published of the others: assumed to take the issue slot alone.
    default:
      return 1;
  }
}

// Measured on an H200: a chain of MUFU.EX2 takes 17 cycles a link. Elsewhere no result can come before the last lanes
// went into the pipe.
double scoreboard_cycles(const simt::MachineFacts& instruction, int architecture) {
  const HardwarePipes pipes = pipes_of(instruction, architecture);
  if (pipes.none()) return 0;
  if (architecture >= 90 && instruction.opcode->chain_cycles > 0) return instruction.opcode->chain_cycles;
  double cycles = 0;
  for (const Pipe pipe : {Pipe::xu, Pipe::fp64, Pipe::tensor, Pipe::alu, Pipe::fma}) {
    if (has(pipes, pipe)) cycles = std::max(cycles, pipe_cycles(pipe, instruction, architecture));
  }
  return cycles;
}

}  // namespace tilescope::sass
