#pragma once

#include <cstdint>

#include "profiler/execution/simt/address_space.hpp"

/// Facts of an instruction that checkers and panels ask for. The row of its opcode and its decoder say them, so that
/// its text is only shown.
namespace tilescope::simt {

enum class DataUse : std::uint8_t {
  /// Computes or moves numbers in registers.
  registers,
  /// Writes no number: a predicate, or nothing.
  no_number,
  load,
  store,
  constant_load,
  atomic,
  /// An atomic without a result.
  reduction,
  /// A copy past the registers, and waiting for it.
  async_copy,
  matrix_load,
  matrix_store,
  matrix_product,
  mbarrier,
  mbarrier_init,
  fence,
  cache_hint,
  shuffle,
};

enum class FenceScope : std::uint8_t { none, block, grid };

enum class FloatKind : std::uint8_t { none, f16, f16x2, bf16, bf16x2, f32, f64, f64_pair };

/// The floating-point numbers that an instruction computes.
struct FloatFacts {
  /// Both are none where it only moves numbers.
  FloatKind result = FloatKind::none, factor = FloatKind::none;
  /// Registers of a matrix product's result; 0 for other instructions.
  std::uint8_t matrix_registers = 0;
  /// [B] of a lane of a result that is moved.
  std::uint8_t result_bytes = 4;
  /// Sources behind these are predicates.
  std::uint8_t numbers = UINT8_MAX;
};

struct DataFacts {
  DataUse use = DataUse::registers;
  /// The state space that a load or store names.
  Space space = Space::generic;
  /// Volatile, relaxed, acquire or release: two such accesses never race.
  bool is_strong = false;
  /// Orders what its thread did before: st.release, atom.acq_rel.
  bool releases = false;
  /// Reads a clock, so that two runs of it differ.
  bool reads_clock = false;
  /// None for what orders no accesses between threads, such as fence.proxy.
  FenceScope fence = FenceScope::none;
  FloatFacts floats = {};
};

}  // namespace tilescope::simt
