// Dot products of the bytes and halves of registers. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_DOT_PRODUCTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_DOT_PRODUCTS_INL
#undef TILESCOPE_PROFILER_SIMT_DOT_PRODUCTS_INL
#else
#define TILESCOPE_PROFILER_SIMT_DOT_PRODUCTS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// Part `index` of a register, extended by its sign or by zeros.
template <class Part>
HWY_INLINE std::int32_t part(std::uint32_t value, int index) {
  return static_cast<Part>(value >> (8 * static_cast<int>(sizeof(Part)) * index));
}

// d = c + the products of four bytes; of two halves with two bytes, the lower or the upper ones.
template <class A, class B>
struct Dot4 {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    std::uint32_t sum = c;
    for (int k = 0; k < 4; ++k) sum += static_cast<std::uint32_t>(part<A>(a, k) * part<B>(b, k));
    return sum;
  }
};
template <class A, class B, bool upper>
struct Dot2 {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    std::uint32_t sum = c;
    for (int k = 0; k < 2; ++k) {
      sum += static_cast<std::uint32_t>(part<A>(a, k)) *
             static_cast<std::uint32_t>(part<B>(b, k + (upper ? 2 : 0)));
    }
    return sum;
  }
};

template <class A8, class A16, class B>
HWY_INLINE Handler dot(bool is_dot2, bool upper) {
  if (!is_dot2) return ternary<Dot4<A8, B>, std::uint32_t>;
  return upper ? ternary<Dot2<A16, B, true>, std::uint32_t> : ternary<Dot2<A16, B, false>, std::uint32_t>;
}

HWY_INLINE Handler dot_product_handler(bool a_signed, bool b_signed, bool is_dot2, bool upper) {
  using S8 = std::int8_t;
  using U8 = std::uint8_t;
  using S16 = std::int16_t;
  using U16 = std::uint16_t;
  if (a_signed) return b_signed ? dot<S8, S16, S8>(is_dot2, upper) : dot<S8, S16, U8>(is_dot2, upper);
  return b_signed ? dot<U8, U16, S8>(is_dot2, upper) : dot<U8, U16, U8>(is_dot2, upper);
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
