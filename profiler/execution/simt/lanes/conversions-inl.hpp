// Conversions of floats to integers, integral floats and tf32 as function objects. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_CONVERSIONS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_CONVERSIONS_INL
#undef TILESCOPE_PROFILER_SIMT_CONVERSIONS_INL
#else
#define TILESCOPE_PROFILER_SIMT_CONVERSIONS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "profiler/execution/simt/lanes/float_operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

template <class Result>
struct Cast {
  template <class T>
  Result operator()(T a) const {
    return static_cast<Result>(a);
  }
};
template <Rounding rounding>
HWY_INLINE float integral(float value) {
  switch (rounding) {
    case Rounding::nearest_even:
      return __builtin_rintf(value);
    case Rounding::toward_zero:
      return __builtin_truncf(value);
    case Rounding::down:
      return __builtin_floorf(value);
    default:
      return __builtin_ceilf(value);
  }
}

template <Rounding rounding, bool flush>
struct ToIntegral {
  float operator()(float a) const { return canonical(integral<rounding>(input<flush>(a))); }
};
// Out of range is clamped, NaN gives 0. The largest float below 2^31 is 2^31 - 128.
template <Rounding rounding>
struct ToSigned {
  std::int32_t operator()(float a) const {
    const float value = integral<rounding>(a);
    const float low = value > -0x1p31f ? value : -0x1p31f;
    const float in_range = low < 2147483520.0f ? low : 2147483520.0f;
    const std::int32_t converted = static_cast<std::int32_t>(in_range);
    const std::int32_t clamped = value >= 0x1p31f ? 0x7fffffff : converted;
    return a == a ? clamped : 0;
  }
};
template <Rounding rounding>
struct ToUnsigned {
  std::uint32_t operator()(float a) const {
    const float value = integral<rounding>(a);
    const float positive = value > 0.0f ? value : 0.0f;
    // By way of a signed number, which vectors convert: the upper half of the range less 2^31.
    const bool upper = positive >= 0x1p31f;
    const float reduced = upper ? positive - 0x1p31f : positive;
    const float in_range = reduced < 2147483520.0f ? reduced : 2147483520.0f;
    const auto converted = static_cast<std::uint32_t>(static_cast<std::int32_t>(in_range));
    const std::uint32_t whole = upper ? converted + 0x80000000u : converted;
    return positive >= 0x1p32f ? 0xffffffffu : whole;
  }
};

// tf32 keeps 10 bits of a float's mantissa: .rna rounds halves away from zero, .rn to even.
template <bool ties_away, bool relu>
struct ToTf32 {
  float operator()(float a) const {
    const std::uint32_t bits = bits_of(relu ? relu_of(a) : a);
    const std::uint32_t rounded = bits + (ties_away ? 0x1000u : 0xfffu + (bits >> 13 & 1u));
    return single((a == a ? rounded : nan_bits) & 0xffffe000u);
  }
};

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
