#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Kernels unlike hand-written ones, on which two interpreters must agree.
namespace tilescope::random_programs {

/// CUDA source with several kernels `void kernel_N(const unsigned* in, unsigned* out)`.
///
/// They use integers, floats and doubles, packed halves, divergent branches and loops whose trip counts are data, early
/// returns, functions that are not inlined, local arrays, shared memory, shuffles and votes, and atomics whose order does
/// not matter. Nothing that they store depends on what PTX leaves open: no approximate function, no quotient by zero, no
/// bits of a NaN, no race.
struct RandomProgram {
  std::string source;
  std::vector<std::string> entries;
};

/// [threads] of a block: the last warp is not full.
inline constexpr std::uint32_t block_threads = 80;
inline constexpr std::uint32_t grid_blocks = 2;
/// Words of `in`, and of `out`: `words_of_thread` for each thread, then counters for atomics.
inline constexpr std::uint32_t input_words = 1024;
inline constexpr std::uint32_t words_of_thread = 12;
inline constexpr std::uint32_t counter_words = 64;
inline constexpr std::uint32_t output_words = grid_blocks * block_threads * words_of_thread + counter_words;

/// Deterministic: a seed always gives the same program.
RandomProgram random_program(std::uint64_t seed, int kernels);

/// The contents of `in`: small numbers, large ones, floats of all kinds.
std::vector<std::uint32_t> random_input(std::uint64_t seed);

}  // namespace tilescope::random_programs
