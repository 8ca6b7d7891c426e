// Integer arithmetic as function objects, two's complement and total. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_INTEGER_OPERATIONS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_INTEGER_OPERATIONS_INL
#undef TILESCOPE_PROFILER_SIMT_INTEGER_OPERATIONS_INL
#else
#define TILESCOPE_PROFILER_SIMT_INTEGER_OPERATIONS_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// An unsigned type in which the arithmetic of T wraps: at least `unsigned`, so that 16-bit products do not become
// signed ones.
template <class T>
using Unsigned = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

// The type that holds every product of two T.
template <class T>
struct Wide;
template <>
struct Wide<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct Wide<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct Wide<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct Wide<std::int32_t> {
  using Type = std::int64_t;
};
template <>
struct Wide<std::uint64_t> {
  using Type = unsigned __int128;
};
template <>
struct Wide<std::int64_t> {
  using Type = __int128;
};

template <class T>
HWY_INLINE typename Wide<T>::Type product(T a, T b) {
  using W = typename Wide<T>::Type;
  return static_cast<W>(static_cast<W>(a) * static_cast<W>(b));
}

HWY_INLINE std::int32_t saturated(std::int64_t value) {
  constexpr std::int64_t lowest = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t highest = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(value < lowest ? lowest : value > highest ? highest : value);
}

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a - b);
  }
};
struct AddSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const { return saturated(std::int64_t{a} + b); }
};
struct SubtractSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const { return saturated(std::int64_t{a} - b); }
};
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};
struct MinimumRelu {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    const std::int32_t less = a < b ? a : b;
    return less > 0 ? less : 0;
  }
};
struct MaximumRelu {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    const std::int32_t more = a > b ? a : b;
    return more > 0 ? more : 0;
  }
};
// The lowest number stays itself.
struct Negate {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a));
  }
};
struct Absolute {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? Negate{}(a) : a;
  }
};
struct MultiplyLow {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Unsigned<T>{a} * Unsigned<T>{b});
  }
};
struct MultiplyHigh {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(product(a, b) >> (8 * sizeof(T)));
  }
};
struct MultiplyWide {
  template <class T>
  auto operator()(T a, T b) const {
    return product(a, b);
  }
};
struct MultiplyAddLow {
  template <class T>
  T operator()(T a, T b, T c) const {
    return static_cast<T>(Unsigned<T>{a} * Unsigned<T>{b} + Unsigned<T>{c});
  }
};
struct MultiplyAddHigh {
  template <class T>
  T operator()(T a, T b, T c) const {
    return static_cast<T>(static_cast<Unsigned<T>>(MultiplyHigh{}(a, b)) + static_cast<Unsigned<T>>(c));
  }
};
struct MultiplyAddHighSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return saturated(std::int64_t{MultiplyHigh{}(a, b)} + c);
  }
};
struct MultiplyAddWide {
  template <class T, class W>
  W operator()(T a, T b, W c) const {
    return static_cast<W>(static_cast<Unsigned<W>>(product(a, b)) + static_cast<Unsigned<W>>(c));
  }
};

// The low 24 bits of each factor, with its sign: 48 bits, of which .lo takes the low 32 and .hi the high 32.
template <class T>
HWY_INLINE typename Wide<T>::Type product_24(T a, T b) {
  const auto low_24 = [](T x) {
    return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(x) << 8) >> 8);
  };
  return product<T>(low_24(a), low_24(b));
}
template <bool high>
struct Multiply24 {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(product_24(a, b) >> (high ? 16 : 0));
  }
};
template <bool high>
struct MultiplyAdd24 {
  template <class T>
  T operator()(T a, T b, T c) const {
    return static_cast<T>(static_cast<std::uint32_t>(Multiply24<high>{}(a, b)) +
                          static_cast<std::uint32_t>(c));
  }
};
struct MultiplyAdd24HighSaturated {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return saturated(std::int64_t{Multiply24<true>{}(a, b)} + c);
  }
};

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
