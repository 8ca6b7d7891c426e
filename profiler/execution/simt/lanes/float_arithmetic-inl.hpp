// Floating-point sums, products, minima and maxima as function objects. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_FLOAT_ARITHMETIC_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_FLOAT_ARITHMETIC_INL
#undef TILESCOPE_PROFILER_SIMT_FLOAT_ARITHMETIC_INL
#else
#define TILESCOPE_PROFILER_SIMT_FLOAT_ARITHMETIC_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "profiler/execution/simt/lanes/float_operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

struct FloatSum {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct FloatDifference {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct FloatProduct {
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct FusedMultiplyAdd {
  float operator()(float a, float b, float c) const { return __builtin_fmaf(a, b, c); }
  double operator()(double a, double b, double c) const { return __builtin_fma(a, b, c); }
};

template <class Operation, bool flush, bool saturate>
struct Single {
  template <class... T>
  float operator()(T... source) const {
    return output<flush, saturate>(Operation{}(input<flush>(source)...));
  }
};
template <class Operation>
struct Double {
  template <class... T>
  double operator()(T... source) const {
    return canonical(Operation{}(source...));
  }
};

template <class T>
struct BitsOf;
template <>
struct BitsOf<float> {
  using Type = std::uint32_t;
};
template <>
struct BitsOf<double> {
  using Type = std::uint64_t;
};

// -0 is less than +0. A NaN loses against a number unless .NaN is given.
template <bool maximum, bool keep_nan, class T>
HWY_INLINE T minmax(T a, T b) {
  using Bits = typename BitsOf<T>::Type;
  const Bits x = std::bit_cast<Bits>(a), y = std::bit_cast<Bits>(b);
  const T of_equal = std::bit_cast<T>(maximum ? x & y : x | y);  // they differ in the sign of zero alone
  const T lesser = (maximum ? a > b : a < b) ? a : b;
  const T ordered = a == b ? of_equal : lesser;
  const T with_a = b == b ? ordered : (keep_nan ? b : a);  // b is NaN
  return canonical(a == a ? with_a : (keep_nan ? a : b));  // a is NaN
}

template <bool maximum, bool keep_nan, bool flush, bool xor_sign>
struct MinMax {
  float operator()(float a, float b) const {
    a = input<flush>(a);
    b = input<flush>(b);
    if (!xor_sign) return minmax<maximum, keep_nan>(a, b);
    const std::uint32_t sign = (bits_of(a) ^ bits_of(b)) & 0x80000000u;
    const float size = minmax<maximum, keep_nan>(__builtin_fabsf(a), __builtin_fabsf(b));
    return size == size ? single(bits_of(size) | sign) : size;
  }
};
template <bool maximum>
struct MinMaxDouble {
  double operator()(double a, double b) const { return minmax<maximum, false>(a, b); }
};

// Sums, products and fused products rounded toward zero, down or up, without touching the processor's rounding mode:
// the exact value first, then its nearest number, moved by one where that lies on the wrong side.
// A sum that is exactly zero is -0 when rounded down unless both terms are +0.
HWY_INLINE float with_zero_sign(float sum, double a, double b, Rounding rounding) {
  const bool negative = ((bits_of(a) | bits_of(b)) >> 63) != 0;
  return sum == 0.0f && rounding == Rounding::down && a + b == 0.0 && negative ? -0.0f : sum;
}

HWY_INLINE float rounded_sum(double a, double b, Rounding rounding) {
  return with_zero_sign(round_single(exact_sum(a, b), rounding), a, b, rounding);
}

struct RoundedSum {
  float operator()(float a, float b, Rounding rounding) const { return rounded_sum(a, b, rounding); }
};
struct RoundedDifference {
  float operator()(float a, float b, Rounding rounding) const { return rounded_sum(a, -b, rounding); }
};
struct RoundedProduct {
  float operator()(float a, float b, Rounding rounding) const {
    return round_single({double{a} * double{b}, 0.0}, rounding);
  }
};

// The product of two floats is an exact double.
struct RoundedFused {
  float operator()(float a, float b, float c, Rounding rounding) const {
    return rounded_sum(double{a} * double{b}, double{c}, rounding);
  }
};

struct FloatReciprocal {
  template <class T>
  T operator()(T a) const {
    return T{1} / a;
  }
};
struct FloatRoot {
  float operator()(float a) const { return __builtin_sqrtf(a); }
  double operator()(double a) const { return __builtin_sqrt(a); }
};
struct ReciprocalRoot {
  float operator()(float a) const { return static_cast<float>(1.0 / __builtin_sqrt(double{a})); }
  double operator()(double a) const { return 1.0 / __builtin_sqrt(a); }
};
// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 by the ISA's recipe: of its source and of its result only the high 32 bits, without subnormal
// numbers. Compilers refine it to a division by Newton's steps.
template <class Operation>
struct Gross {
  static constexpr std::uint64_t high = 0xffffffff00000000u, sign = 0x8000000000000000u;
  static std::uint64_t flushed(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return __builtin_fabs(value) < 0x1p-1022 ? bits & sign : bits & high;
  }
  double operator()(double source) const {
    const double result = Operation{}(std::bit_cast<double>(flushed(source)));
    return canonical(std::bit_cast<double>(flushed(result)));
  }
};

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
