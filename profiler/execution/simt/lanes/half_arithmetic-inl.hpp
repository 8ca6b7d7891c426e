// Arithmetic on halves that are promoted to floats, computed there and rounded once. A sum or product of two halves may
// be rounded to a float first: 24 bits are at least two more than twice their 11 or 8, so that rounding twice gives the
// same as rounding once. A fused multiply-add is rounded to odd in between. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_HALF_ARITHMETIC_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_HALF_ARITHMETIC_INL
#undef TILESCOPE_PROFILER_SIMT_HALF_ARITHMETIC_INL
#else
#define TILESCOPE_PROFILER_SIMT_HALF_ARITHMETIC_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "profiler/execution/simt/lanes/float_operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

template <class Format>
HWY_INLINE std::uint16_t flushed_half(std::uint16_t half) {
  return static_cast<std::uint16_t>((half & Format::exponent_mask) == 0 ? half & 0x8000u : half);
}

struct HalfSum {
  float operator()(float a, float b) const { return a + b; }
};
struct HalfProduct {
  float operator()(float a, float b) const { return a * b; }
};
// min.NaN and .xorsign.abs share this code: the modifiers do not change within the loop.
template <bool maximum>
struct HalfMinMax {
  bool keep_nan, xor_sign;

  float operator()(float a, float b) const {
    const std::uint32_t sign = (bits_of(a) ^ bits_of(b)) & 0x80000000u;
    const float x = xor_sign ? __builtin_fabsf(a) : a, y = xor_sign ? __builtin_fabsf(b) : b;
    const std::uint32_t of_zeros = maximum ? bits_of(x) & bits_of(y) : bits_of(x) | bits_of(y);
    const float unequal = (maximum ? x > y : x < y) ? x : y;
    const float ordered = x == y ? single(of_zeros) : unequal;
    const float with_x = y == y ? ordered : (keep_nan ? y : x);
    const float result = x == x ? with_x : (keep_nan ? x : y);
    return xor_sign && result == result ? single(bits_of(result) | sign) : result;
  }
};

// The product of two f16 is an exact float; of two bf16 an exact double, and only a double has its exponents.
struct FusedF16 {
  float operator()(float a, float b, float c) const {
    const float product = a * b;
    const float sum = product + c;
    const float from_c = sum - product;
    const float tail = (product - (sum - from_c)) + (c - from_c);
    const bool inexact = tail > 0.0f || tail < 0.0f;
    return inexact && (bits_of(sum) & 1u) == 0 ? next(sum, tail > 0.0f) : sum;
  }
};
struct FusedBF16 {
  float operator()(float a, float b, float c) const {
    return odd_single(exact_sum(double{a} * double{b}, double{c}));
  }
};

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
