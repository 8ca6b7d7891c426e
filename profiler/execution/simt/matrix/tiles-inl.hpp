// Fragments of matrices in registers, and their product.
//
// The figures of the PTX ISA ("Matrix fragments for mma"), with a register's 32 lanes seen as memory, lane after lane:
// with g = lane / 4 and t = lane % 4, a register of 16-bit pairs is an 8 x 8 matrix by rows, row g, columns 2t and 2t +
// 1; a register of tf32 is 8 x 4; one of 8-bit quadruples 8 x 16. A consists of such tiles, rows 0-7 and 8-15 first,
// then the next columns; B of tiles of its transpose, so that g counts its columns. Two registers of 32-bit
// accumulators interleave to an 8 x 8 matrix by rows.
//
// Compiled once for each vector target: see ../lane_loops-inl.hpp.
#if defined(TILESCOPE_PROFILER_SIMT_TILES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_TILES_INL
#undef TILESCOPE_PROFILER_SIMT_TILES_INL
#else
#define TILESCOPE_PROFILER_SIMT_TILES_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "profiler/execution/simt/lanes/half_lanes-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// 8 x 8 of 16 bits, by rows. `to` may be `from`.
HWY_INLINE void transpose_tile(const std::uint16_t* from, std::uint16_t* to) {
  using Row = std::uint16_t __attribute__((vector_size(16)));
  Row r[8], s[8];
  std::memcpy(r, from, sizeof r);
  for (int i = 0; i < 4; ++i) {
    s[2 * i] = __builtin_shufflevector(r[i], r[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (int i = 0; i < 4; ++i) {
    r[2 * i] = __builtin_shufflevector(s[i], s[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    r[2 * i + 1] = __builtin_shufflevector(s[i], s[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (int i = 0; i < 4; ++i) {
    s[2 * i] = __builtin_shufflevector(r[i], r[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  std::memcpy(to, s, sizeof s);
}

// Formats of the factors. `columns` of one register's tile; `tile` reads it to floats, `transposed` by columns.
template <class Half>
struct HalfFactor {
  static constexpr int columns = 8;
  static HWY_INLINE void tile(const std::uint32_t* registers, float* values) {
    Half::template promote<64>(reinterpret_cast<const std::uint16_t*>(registers), values);
  }
  static HWY_INLINE void transposed(const std::uint32_t* registers, float* values) {
    alignas(64) std::uint16_t turned[64];
    transpose_tile(reinterpret_cast<const std::uint16_t*>(registers), turned);
    Half::template promote<64>(turned, values);
  }
};

// The tensor cores read the upper 19 bits of a tf32.
struct Tf32Factor {
  static constexpr int columns = 4;
  static HWY_INLINE void tile(const std::uint32_t* registers, float* values) {
    for (int lane = 0; lane < lane_count; ++lane) values[lane] = single(registers[lane] & 0xffffe000u);
  }
  static HWY_INLINE void transposed(const std::uint32_t* registers, float* values) {
    for (int k = 0; k < 4; ++k) {
      for (int n = 0; n < 8; ++n) values[8 * k + n] = single(registers[4 * n + k] & 0xffffe000u);
    }
  }
};

// `sum` (16 x 8 by rows) += A * B. `a` holds tiles of 8 x `columns`: (rows 0-7, first columns), (rows 8-15, first
// columns), (rows 0-7, next columns) ...; `b` is k x 8 by rows.
//
// A tensor core multiplies exactly and adds the products of a step of k to the accumulator in one sum of about 24 bits,
// which it truncates (Fasi et al., "Numerical behavior of NVIDIA tensor cores", 2021). Here the products, exact too,
// are added one after the other, each sum rounded to the nearest float. The errors have the same size, a few units in
// the last place of the largest partial sum. Sums in double would be closer to the exact result than to the hardware.
template <int columns, int depth>
HWY_INLINE void multiply(const float* a, const float* b, float* sum) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<float, 8> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int half = 0; half < 2; ++half) {
    for (int n = 0; n < 8; n += lanes) {
      float* to = sum + half * 64 + n;
      auto s0 = hn::Load(d, to), s1 = hn::Load(d, to + 8), s2 = hn::Load(d, to + 16),
           s3 = hn::Load(d, to + 24);
      auto s4 = hn::Load(d, to + 32), s5 = hn::Load(d, to + 40), s6 = hn::Load(d, to + 48),
           s7 = hn::Load(d, to + 56);
      for (int tile = 0; tile < depth / columns; ++tile) {
        const float* rows = a + (2 * tile + half) * 8 * columns;
        for (int k = 0; k < columns; ++k) {
          const auto factor = hn::Load(d, b + (tile * columns + k) * 8 + n);
          s0 = hn::MulAdd(hn::Set(d, rows[k]), factor, s0);
          s1 = hn::MulAdd(hn::Set(d, rows[columns + k]), factor, s1);
          s2 = hn::MulAdd(hn::Set(d, rows[2 * columns + k]), factor, s2);
          s3 = hn::MulAdd(hn::Set(d, rows[3 * columns + k]), factor, s3);
          s4 = hn::MulAdd(hn::Set(d, rows[4 * columns + k]), factor, s4);
          s5 = hn::MulAdd(hn::Set(d, rows[5 * columns + k]), factor, s5);
          s6 = hn::MulAdd(hn::Set(d, rows[6 * columns + k]), factor, s6);
          s7 = hn::MulAdd(hn::Set(d, rows[7 * columns + k]), factor, s7);
        }
      }
      hn::Store(s0, d, to), hn::Store(s1, d, to + 8), hn::Store(s2, d, to + 16), hn::Store(s3, d, to + 24);
      hn::Store(s4, d, to + 32), hn::Store(s5, d, to + 40), hn::Store(s6, d, to + 48),
          hn::Store(s7, d, to + 56);
    }
  }
}

// Accumulators: an 8 x 8 matrix by rows, in two registers of floats or one of f16 pairs.
struct F32Accumulator {
  static constexpr int registers = 2;
  static HWY_INLINE void read(const Warp& warp, const Slot* slots, float* values) {
    const float* even = warp.read<float>(slots[0]);
    const float* odd = warp.read<float>(slots[1]);
    for (int lane = 0; lane < lane_count; ++lane) {
      values[2 * lane] = even[lane];
      values[2 * lane + 1] = odd[lane];
    }
  }
  // NaN is 0x7fffffff, as the hardware gives it.
  static HWY_INLINE void write(Warp& warp, const Slot* slots, const float* values) {
    for (int r = 0; r < 2; ++r) {
      alignas(64) float result[lane_count];
      for (int lane = 0; lane < lane_count; ++lane) {
        const float value = values[2 * lane + r];
        result[lane] = value == value ? value : single(0x7fffffffu);
      }
      for_lanes(
          warp.exec, warp.write<float>(slots[r]), [](float value) { return value; }, result);
    }
  }
};

struct F16Accumulator {
  static constexpr int registers = 1;
  static HWY_INLINE void read(const Warp& warp, const Slot* slots, float* values) {
    F16::promote<64>(warp.read<std::uint16_t>(slots[0]), values);
  }
  static HWY_INLINE void write(Warp& warp, const Slot* slots, const float* values) {
    alignas(64) std::uint16_t halves[64];
    F16::demote<64>(values, halves);
    alignas(64) std::uint32_t pairs[lane_count];
    std::memcpy(pairs, halves, sizeof pairs);
    for_lanes(
        warp.exec, warp.write<std::uint32_t>(slots[0]), [](std::uint32_t pair) { return pair; }, pairs);
  }
};

// D (16 x 8) = A (16 x depth) * B (depth x 8) + C, given by their slots.
template <class Factor, int depth, class Result, class Addend>
HWY_INLINE void multiply_fragments(Warp& warp, const Slot* d, const Slot* a, const Slot* b, const Slot* c) {
  constexpr int tiles = depth / Factor::columns;
  constexpr int tile_size = 8 * Factor::columns;
  alignas(64) float a_values[2 * tiles * tile_size];
  alignas(64) float b_values[tiles * tile_size];
  alignas(64) float sum[128];
  for (int tile = 0; tile < 2 * tiles; ++tile) {
    Factor::tile(warp.read<std::uint32_t>(a[tile]), a_values + tile * tile_size);
  }
  for (int tile = 0; tile < tiles; ++tile) {
    Factor::transposed(warp.read<std::uint32_t>(b[tile]), b_values + tile * tile_size);
  }
  Addend::read(warp, c, sum);
  Addend::read(warp, c + Addend::registers, sum + 64);
  multiply<Factor::columns, depth>(a_values, b_values, sum);
  Result::write(warp, d, sum);
  Result::write(warp, d + Result::registers, sum + 64);
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
