// cvt from every type to every other: integers through 128 bits, floating point through 113 bits and a search among all
// numbers of the result's type.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "profiler/execution/ptx/tests/ptx_snippet.hpp"

namespace tilescope::ptx {
namespace {

using Quad = __float128;
using Half = std::uint16_t;

template <class T>
std::string name_of() {
  if constexpr (std::is_floating_point_v<T>) return ".f" + std::to_string(8 * sizeof(T));
  return (std::is_signed_v<T> ? ".s" : ".u") + std::to_string(8 * sizeof(T));
}
// 8-bit integers are in 16-bit registers, whose upper bits may hold anything.
template <class T>
using Register = std::conditional_t<sizeof(T) == 1, std::uint16_t, T>;
template <class T>
Register<T> in_register(T value) {
  return static_cast<Register<T>>(value);
}

template <class T>
std::vector<T> integers() {
  using L = std::numeric_limits<T>;
  return {T(0),        T(1),    T(-1),   L::min(), L::max(),      T(L::max() - 1),       T(L::max() / 2 + 1),
          T(100),      T(-100), T(0x80), T(0xff),  T(0x7fff8001), T(0x0123456789abcdef), T(0x1000001),
          T(0x1000003)};
}

template <class D, class A>
D saturated(A value) {
  using L = std::numeric_limits<D>;
  const auto wide =
      static_cast<__int128>(value);  // NOLINT(bugprone-signed-char-misuse): sign extension is intended
  return static_cast<D>(wide < L::min() ? __int128{L::min()} : wide > L::max() ? __int128{L::max()} : wide);
}
template <class D, class A>
void expect_integers() {
  std::vector<Register<A>> sources;
  for (const A value : integers<A>())
    sources.push_back(static_cast<Register<A>>(sizeof(A) == 1 ? (0x5a00 | (value & 0xff)) : value));
  const std::string types = name_of<D>() + name_of<A>() + " %d, %a;";
  expect_form<Register<D>>(
      "cvt" + types, [](Register<A> a) { return in_register(static_cast<D>(static_cast<A>(a))); }, sources);
  expect_form<Register<D>>(
      "cvt.sat" + types, [](Register<A> a) { return in_register(saturated<D>(static_cast<A>(a))); }, sources);
}
template <class D>
void expect_all_integers() {
  expect_integers<D, std::int8_t>();
  expect_integers<D, std::uint8_t>();
  expect_integers<D, std::int16_t>();
  expect_integers<D, std::uint16_t>();
  expect_integers<D, std::int32_t>();
  expect_integers<D, std::uint32_t>();
  expect_integers<D, std::int64_t>();
  expect_integers<D, std::uint64_t>();
}
TEST(ConvertInstruction, IntegersToIntegers) {
  expect_all_integers<std::int8_t>();
  expect_all_integers<std::uint8_t>();
  expect_all_integers<std::int16_t>();
  expect_all_integers<std::uint16_t>();
  expect_all_integers<std::int32_t>();
  expect_all_integers<std::uint32_t>();
  expect_all_integers<std::int64_t>();
  expect_all_integers<std::uint64_t>();
}

TEST(ConvertInstruction, WideRegistersOfNarrowTypes) {
  const std::vector<std::uint32_t> v = {0, 0x80, 0xff, 0x12345680, 0xffff8000, 0x7fff};
  expect_form<std::uint32_t>(
      "cvt.s32.s8 %d, %a;",
      [](std::uint32_t a) { return static_cast<std::uint32_t>(static_cast<std::int8_t>(a)); }, v);
  expect_form<std::uint32_t>(
      "cvt.u32.u16 %d, %a;", [](std::uint32_t a) { return a & 0xffff; }, v);
  expect_form<std::uint32_t>(
      "cvt.s16.s32 %d, %a;",
      [](std::uint32_t a) { return static_cast<std::uint32_t>(static_cast<std::int16_t>(a)); }, v);
  expect_form<std::uint32_t>(
      "cvt.u8.u32 %d, %a;", [](std::uint32_t a) { return a & 0xff; }, v);
  expect_form<std::uint32_t>(
      "cvt.s32.s8 %x, %a; cvt.rn.f32.s32 %d, %x;",
      [](std::uint32_t a) {
        return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int8_t>(a)));
      },
      v);
}

struct Mode {
  const char* name;
  int mode;
};
constexpr Mode modes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

template <class T, class Operation>
T under(int mode, Operation operation) {
  const int before = std::fegetround();
  std::fesetround(mode);
  volatile T result = operation();
  std::fesetround(before);
  return result;
}

template <class D, class A>
void expect_from_integers() {
  for (const Mode& mode : modes) {
    expect_form<D>(
        std::string("cvt.") + mode.name + name_of<D>() + name_of<A>() + " %d, %a;",
        [&](A a) {
          volatile A source = a;
          return under<D>(mode.mode, [&] { return static_cast<D>(source); });
        },
        integers<A>());
  }
}
TEST(ConvertInstruction, IntegersToFloats) {
  expect_from_integers<float, std::int32_t>();
  expect_from_integers<float, std::uint32_t>();
  expect_from_integers<float, std::int64_t>();
  expect_from_integers<float, std::uint64_t>();
  expect_from_integers<float, std::int16_t>();
  expect_from_integers<double, std::int32_t>();
  expect_from_integers<double, std::uint32_t>();
  expect_from_integers<double, std::int64_t>();
  expect_from_integers<double, std::uint64_t>();
}

template <class T>
std::vector<T> reals() {
  using L = std::numeric_limits<T>;
  std::vector<T> values = {T(0),
                           T(0.25),
                           T(0.5),
                           T(0.75),
                           T(1),
                           T(1.5),
                           T(2.5),
                           T(3.5),
                           T(127.5),
                           T(255.5),
                           T(32767.5),
                           T(65535.5),
                           T(8388607.5),
                           T(2147483520),
                           T(2147483647.5),
                           T(2147483648),
                           T(4294967040),
                           T(4294967296),
                           T(9223371487098961920.0),
                           T(9223372036854775808.0),
                           T(18446744073709551616.0),
                           L::max(),
                           L::infinity(),
                           L::denorm_min(),
                           L::min(),
                           L::quiet_NaN(),
                           T(1e-8)};
  const std::size_t count = values.size();
  for (std::size_t k = 0; k < count; ++k) values.push_back(-values[k]);
  return values;
}

// NaN gives 0, but the top bit alone from f64 or to 64 bits (PTX ISA, "cvt").
template <class D, class A>
D integer_from(A value, int mode) {
  using L = std::numeric_limits<D>;
  if (std::isnan(value)) {
    if (sizeof(A) == 4 && sizeof(D) < 8) return 0;
    return static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1));
  }
  volatile A source = value;
  const A rounded = under<A>(mode, [&] { return std::nearbyint(source); });
  if (static_cast<Quad>(rounded) >= static_cast<Quad>(L::max())) return L::max();
  if (static_cast<Quad>(rounded) <= static_cast<Quad>(L::min())) return L::min();
  return static_cast<D>(rounded);
}
template <class D, class A>
void expect_to_integers() {
  for (const Mode& mode : modes) {
    expect_form<Register<D>>(
        std::string("cvt.") + mode.name + "i" + name_of<D>() + name_of<A>() + " %d, %a;",
        [&](A a) { return in_register(integer_from<D>(a, mode.mode)); }, reals<A>());
  }
}
TEST(ConvertInstruction, FloatsToIntegers) {
  expect_to_integers<std::int8_t, float>();
  expect_to_integers<std::uint8_t, float>();
  expect_to_integers<std::int16_t, float>();
  expect_to_integers<std::uint16_t, double>();
  expect_to_integers<std::int32_t, float>();
  expect_to_integers<std::uint32_t, float>();
  expect_to_integers<std::int64_t, float>();
  expect_to_integers<std::uint64_t, float>();
  expect_to_integers<std::int32_t, double>();
  expect_to_integers<std::uint32_t, double>();
  expect_to_integers<std::int64_t, double>();
  expect_to_integers<std::uint64_t, double>();
}

float tidy(float value) {
  return std::isnan(value) ? std::bit_cast<float>(0x7fffffffu) : value;
}
float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

TEST(ConvertInstruction, FloatsToFloats) {
  std::vector<double> d = reals<double>();
  for (const double value : {1.0 + 0x1p-24, 1.0 + 0x1.000001p-24, 1.0 + 0x1.8p-23, 0x1.fffffffp127, 0x1p-150,
                             0x1.8p-149, -0x1.000001p-150, 0x1p-1000}) {
    d.push_back(value);
    d.push_back(-value);
  }
  for (const Mode& mode : modes) {
    expect_form<float>(
        std::string("cvt.") + mode.name + ".f32.f64 %d, %a;",
        [&](double a) {
          volatile double source = a;
          return under<float>(mode.mode, [&] { return static_cast<float>(source); });
        },
        d);
    expect_form<float>(
        std::string("cvt.") + mode.name + "i.f32.f32 %d, %a;",
        [&](float a) {
          volatile float source = a;
          return tidy(under<float>(mode.mode, [&] { return std::nearbyint(source); }));
        },
        reals<float>());
    expect_form<float>(
        std::string("cvt.") + mode.name + "i.ftz.f32.f32 %d, %a;",
        [&](float a) {
          volatile float source = flushed(a);
          return tidy(under<float>(mode.mode, [&] { return std::nearbyint(source); }));
        },
        reals<float>());
    expect_form<std::int32_t>(
        std::string("cvt.") + mode.name + "i.ftz.s32.f32 %d, %a;",
        [&](float a) { return integer_from<std::int32_t>(flushed(a), mode.mode); }, reals<float>());
  }
  expect_form<double>(
      "cvt.f64.f32 %d, %a;",
      [](float a) {  // NaN becomes quiet and keeps its payload
        const std::uint64_t bits = std::bit_cast<std::uint32_t>(a);
        const std::uint64_t payload = (bits & 0x7fffffu) << 29, sign = bits >> 31 << 63;
        return std::isnan(a) ? std::bit_cast<double>(sign | 0x7ff8000000000000u | payload) : double{a};
      },
      reals<float>());
  expect_form<float>(
      "cvt.rn.ftz.f32.f64 %d, %a;", [](double a) { return flushed(static_cast<float>(a)); }, d);
  expect_form<float>(
      "cvt.sat.f32.f32 %d, %a;",
      [](float a) { return std::isnan(a) || a <= 0.0f ? 0.0f : std::min(a, 1.0f); }, reals<float>());
}

// The halves of a format by their bits, ascending: value of the lowest `mantissa` bits and the exponent above.
struct Format {
  std::string name;
  int mantissa, bias;
  Half infinity() const { return static_cast<Half>(((1 << (15 - mantissa)) - 1) << mantissa); }
};
const Format formats[] = {{"f16", 10, 15}, {"bf16", 7, 127}};

double size_of_half(const Format& format, Half half) {
  const int exponent = half >> format.mantissa, digits = half & ((1 << format.mantissa) - 1);
  if (half == format.infinity()) return std::ldexp(1.0, format.bias + 1);  // where the next number would be
  if (exponent == 0) return std::ldexp(digits, 1 - format.bias - format.mantissa);
  return std::ldexp(digits + (1 << format.mantissa), exponent - format.bias - format.mantissa);
}
Half half_from(const Format& format, double exact, int mode) {
  if (std::isnan(exact)) return 0x7fff;
  const bool negative = std::signbit(exact);
  const Half sign = negative ? 0x8000 : 0;
  const double size = std::fabs(exact);
  if (std::isinf(size)) return static_cast<Half>(sign | format.infinity());
  Half below = 0, above = format.infinity();
  while (above - below > 1) {
    const Half middle = static_cast<Half>((above + below) / 2);
    (size_of_half(format, middle) <= size ? below : above) = middle;
  }
  const double low = size_of_half(format, below), high = size_of_half(format, above);
  bool up = size - low > high - size || (size - low == high - size && (below & 1) != 0);
  if (mode == FE_TOWARDZERO) up = false;
  if (mode == FE_DOWNWARD) up = negative && size > low;
  if (mode == FE_UPWARD) up = !negative && size > low;
  return static_cast<Half>(sign | (up ? above : below));
}

std::vector<float> around_halves() {
  std::vector<float> values = reals<float>();
  for (const Format& format : formats) {
    for (const Half half : std::initializer_list<Half>{0, 1, 2, 5, 0x3ff, 0x400, 0x401, 0x3c00, 0x3c01,
                                                       0x3bff, 0x7bff, 0x7f7f, 0x80, 0x7f, 0x3f80}) {
      if (half >= format.infinity()) continue;
      const double low = size_of_half(format, half), high = size_of_half(format, static_cast<Half>(half + 1));
      for (const double value : {low, (low + high) / 2, (3 * low + high) / 4, (low + 3 * high) / 4}) {
        const float single = static_cast<float>(value);
        for (const float near : {single, std::nextafter(single, 0.0f), std::nextafter(single, HUGE_VALF)}) {
          values.push_back(near);
          values.push_back(-near);
        }
      }
    }
  }
  return values;
}

TEST(ConvertInstruction, FloatsToHalvesAreTheNearest) {
  const std::vector<float> v = around_halves();
  for (const Format& format : formats) {
    for (const Mode& mode : modes) {
      expect_form<Half>(
          std::string("cvt.") + mode.name + "." + format.name + ".f32 %d, %a;",
          [&](float a) { return half_from(format, a, mode.mode); }, v);
    }
    expect_form<Half>(
        "cvt.rn.relu." + format.name + ".f32 %d, %a;",
        [&](float a) { return half_from(format, a <= 0.0f ? 0.0 : double{a}, FE_TONEAREST); }, v);
    const std::string pair = "." + format.name + "x2.f32 %d, %a, %b;";
    std::vector<float> few(v.begin(), v.begin() + 54);
    expect_form<std::uint32_t>(
        "cvt.rn" + pair,
        [&](float a, float b) {
          return static_cast<std::uint32_t>(half_from(format, a, FE_TONEAREST)) << 16 |
                 half_from(format, b, FE_TONEAREST);
        },
        few, few);
    expect_form<std::uint32_t>(
        "cvt.rn.relu" + pair,
        [&](float a, float b) {
          return static_cast<std::uint32_t>(half_from(format, a <= 0 ? 0.0 : double{a}, FE_TONEAREST)) << 16 |
                 half_from(format, b <= 0 ? 0.0 : double{b}, FE_TONEAREST);
        },
        few, few);
  }
  expect_form<Half>(
      "cvt.rn.ftz.f16.f32 %d, %a;", [&](float a) { return half_from(formats[0], flushed(a), FE_TONEAREST); },
      v);
  expect_form<Half>(
      "cvt.rn.sat.f16.f32 %d, %a;",
      [&](float a) {
        return half_from(formats[0], std::isnan(a) || a <= 0 ? 0.0 : std::min(double{a}, 1.0), FE_TONEAREST);
      },
      v);
  expect_form<Half>(
      "cvt.rn.f16.f64 %d, %a;", [&](double a) { return half_from(formats[0], a, FE_TONEAREST); },
      std::vector<double>{1.0 + 0x1p-11, 1.0 + 0x1p-11 + 0x1p-50, 65519.999999, 65520.0, 0x1p-25,
                          0x1.0000000001p-25, -0x1.8p-24, 1e300, 5e-324, HUGE_VAL, -1.0 / 3});
  expect_form<Half>(
      "cvt.rn.f16.s32 %d, %a;", [&](std::int32_t a) { return half_from(formats[0], a, FE_TONEAREST); },
      std::vector<std::int32_t>{0, 1, -1, 2049, 2051, 65504, 65519, 65520, -70000, 0x7fffffff});
  expect_form<Half>(
      "cvt.rz.f16.u64 %d, %a;",
      [&](std::uint64_t a) { return half_from(formats[0], static_cast<double>(a), FE_TOWARDZERO); },
      std::vector<std::uint64_t>{0, 1, 2049, 2051, 4095, 65504, 65535, ~std::uint64_t{0}});
}

TEST(ConvertInstruction, EveryHalfToFloat) {
  for (const Format& format : formats) {
    std::vector<Half> all;
    all.reserve(0x10000);
    for (int bits = 0; bits < 0x10000; ++bits) all.push_back(static_cast<Half>(bits));
    const auto value = [&](Half half) {
      const Half size = half & 0x7fff;
      if (size > format.infinity()) return std::nan("");
      const double magnitude = size == format.infinity() ? HUGE_VAL : size_of_half(format, size);
      return (half & 0x8000) != 0 ? -magnitude : magnitude;
    };
    expect_form<float>(
        "cvt.f32." + format.name + " %d, %a;", [&](Half a) { return tidy(static_cast<float>(value(a))); },
        all);
    expect_form<std::int32_t>(
        "cvt.rni.s32." + format.name + " %d, %a;",
        [&](Half a) { return integer_from<std::int32_t>(static_cast<float>(value(a)), FE_TONEAREST); }, all);
    expect_form<Half>(
        "cvt.rmi." + format.name + "." + format.name + " %d, %a;",
        [&](Half a) { return half_from(format, std::floor(value(a)), FE_TONEAREST); }, all);
  }
}

TEST(ConvertInstruction, Tf32KeepsTenBits) {
  const auto rounded = [](float a, bool ties_away) {
    if (std::isnan(a)) return std::bit_cast<float>(0x7fffe000u);
    if (std::isinf(a) || a == 0.0f) return a;
    const int exponent = std::max(std::ilogb(a), -126);
    const double steps = std::ldexp(double{a}, 10 - exponent);
    const double whole = ties_away ? std::round(steps) : std::nearbyint(steps);
    return std::copysign(static_cast<float>(std::ldexp(whole, exponent - 10)), a);
  };
  const std::vector<float> v = around_halves();
  expect_form<float>(
      "cvt.rna.tf32.f32 %d, %a;", [=](float a) { return rounded(a, true); }, v);
  expect_form<float>(
      "cvt.rn.tf32.f32 %d, %a;", [=](float a) { return rounded(a, false); }, v);
}

}  // namespace
}  // namespace tilescope::ptx
