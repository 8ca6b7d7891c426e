// Converts half-precision numbers to floats and back, many at once. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_HALF_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_HALF_LANES_INL
#undef TILESCOPE_PROFILER_SIMT_HALF_LANES_INL
#else
#define TILESCOPE_PROFILER_SIMT_HALF_LANES_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "profiler/execution/simt/lanes/float_operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// f16: 1 sign, 5 exponent and 10 mantissa bits.
HWY_INLINE float single_of_f16(std::uint16_t half) {
  const std::uint32_t size = half & 0x7fffu;
  // Moved to a float's place the exponent is short of 112, for denormals too.
  const std::uint32_t scaled = bits_of(single(size << 13) * 0x1p112f);
  const std::uint32_t value = size >= 0x7c00u ? scaled | 0x7f800000u : scaled;
  return single(value | (half & 0x8000u) << 16);
}

// To the nearest, ties to even; NaN becomes 0x7fff.
HWY_INLINE std::uint16_t f16_of_single(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t size = bits & 0x7fffffffu;
  // Normal: the exponent's bias changes by 112, and the 13 bits that go are rounded by what carries out of them.
  const std::uint32_t normal = (size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
  // Denormal: the last bit of a float of 0.5's size has the value of an f16 denormal's last bit.
  const std::uint32_t denormal = bits_of(single(size) + 0.5f) - bits_of(0.5f);
  const std::uint32_t finite = size < 0x38800000u ? denormal : normal;
  const std::uint32_t number = size >= 0x47800000u ? 0x7c00u : finite;
  const std::uint32_t signed_number = number | (bits >> 16 & 0x8000u);
  return static_cast<std::uint16_t>(size > 0x7f800000u ? 0x7fffu : signed_number);
}

// bf16: the upper half of a float.
HWY_INLINE float single_of_bf16(std::uint16_t half) {
  return single(static_cast<std::uint32_t>(half) << 16);
}
HWY_INLINE std::uint16_t bf16_of_single(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded);
}

struct F16 {
  static constexpr std::uint16_t exponent_mask = 0x7c00;
  static constexpr std::uint32_t smallest_normal = 0x38800000;  // as a float

  template <int count>
  static HWY_INLINE void promote(const std::uint16_t* half, float* value) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    for (int k = 0; k < count; k += 8) {
      _mm256_storeu_ps(value + k,
                       _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(half + k))));
    }
#else
    for (int k = 0; k < count; ++k) value[k] = single_of_f16(half[k]);
#endif
  }
  template <int count>
  static HWY_INLINE void demote(const float* value, std::uint16_t* half) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    for (int k = 0; k < count; k += 8) {
      const __m256 wide = _mm256_loadu_ps(value + k);
      const __m256 all_ones = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
      const __m256 fixed = _mm256_blendv_ps(wide, all_ones, _mm256_cmp_ps(wide, wide, _CMP_UNORD_Q));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(half + k),
                       _mm256_cvtps_ph(fixed, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    }
#else
    for (int k = 0; k < count; ++k) half[k] = f16_of_single(value[k]);
#endif
  }
};

struct BF16 {
  static constexpr std::uint16_t exponent_mask = 0x7f80;
  static constexpr std::uint32_t smallest_normal = 0x00800000;  // as a float

  template <int count>
  static HWY_INLINE void promote(const std::uint16_t* half, float* value) {
    for (int k = 0; k < count; ++k) value[k] = single_of_bf16(half[k]);
  }
  template <int count>
  static HWY_INLINE void demote(const float* value, std::uint16_t* half) {
    for (int k = 0; k < count; ++k) half[k] = bf16_of_single(value[k]);
  }
};

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
