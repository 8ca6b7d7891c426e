// cvt to and from numbers of fewer than 16 bits: pairs of 8-bit floats by a search among all 256 of them, cvt.pack by
// arithmetic in 64 bits; and the .satfinite and .rz forms of 16-bit ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ios>
#include <limits>

#include "profiler/execution/ptx/tests/ptx_snippet.hpp"

namespace tilescope::ptx {
namespace {

using Pair = std::uint16_t;  // of 8-bit floats

struct Format {
  const char* name;
  int mantissa, bias;
  /// The code of the greatest finite number.
  int greatest;
};
constexpr Format formats[] = {{"e4m3x2", 3, 7, 0x7e}, {"e5m2x2", 2, 15, 0x7b}};

// A number that is not NaN, by the definition of its fields.
double number_of(int code, const Format& format) {
  const int exponent = (code & 0x7f) >> format.mantissa, mantissa = code & ((1 << format.mantissa) - 1);
  const double digits = exponent == 0 ? mantissa : mantissa + (1 << format.mantissa);
  const double size = std::ldexp(digits, std::max(exponent, 1) - format.bias - format.mantissa);
  return (code & 0x80) != 0 ? -size : size;
}

// The nearest of all finite codes, the even one for a tie. Values are ordered like their codes.
int nearest_code(double value, const Format& format, bool relu) {
  if (std::isnan(value)) return 0x7f;
  if (relu && value <= 0) return 0;
  const double size = std::min(std::fabs(value), number_of(format.greatest, format));
  int best = 0;
  for (int code = 1; code <= format.greatest; ++code) {
    const double nearer = std::fabs(size - number_of(code, format)),
                 than = std::fabs(size - number_of(best, format));
    if (nearer < than || (nearer == than && code % 2 == 0)) best = code;
  }
  return best | (std::signbit(value) ? 0x80 : 0);
}

double value_of_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : (half & 0x8000) != 0 ? -HUGE_VAL : HUGE_VAL;
  const double size = std::ldexp(exponent == 0 ? mantissa : mantissa + 1024, std::max(exponent, 1) - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

// Every number of the format, the midpoints between two, and their neighbours.
std::vector<float> floats_around(const Format& format) {
  std::vector<float> values = {INFINITY, -INFINITY, NAN,    1e30f,  -1e30f, 1e-30f,
                               -1e-40f,  65504.0f,  480.0f, 464.0f, 465.0f};
  for (int code = 0; code <= format.greatest; ++code) {
    const auto number = static_cast<float>(number_of(code, format));
    const auto middle = static_cast<float>((number_of(code, format) + number_of(code + 1, format)) / 2);
    for (const float v : {number, middle, std::nextafterf(middle, 0.0f), std::nextafterf(middle, INFINITY)}) {
      values.push_back(v);
      values.push_back(-v);
    }
  }
  return values;
}

TEST(NarrowConversion, SinglesToPairsOf8BitFloats) {
  for (const Format& format : formats) {
    for (const bool relu : {false, true}) {
      const std::string type = std::string(relu ? "relu." : "") + format.name;
      const auto expected = [&](float a, float b) {
        return static_cast<Pair>(nearest_code(a, format, relu) << 8 | nearest_code(b, format, relu));
      };
      expect_form<Pair>("cvt.rn.satfinite." + type + ".f32 %d, %a, %b;", expected, floats_around(format),
                        std::vector<float>{-1.5f, NAN});
      expect_form<Pair>("cvt.rn.satfinite." + type + ".f32 %d, %a, %b;", expected,
                        std::vector<float>{448.0f, -0.0f}, floats_around(format));
    }
  }
}

TEST(NarrowConversion, PairsOfHalvesToPairsOf8BitFloats) {
  std::vector<std::uint32_t> pairs;
  for (std::uint32_t half = 0; half < 65536; half += 1)
    pairs.push_back(half << 16 | (half * 40503u & 0xffffu));
  for (const Format& format : formats) {
    for (const bool relu : {false, true}) {
      // Requested for all halves, so each result is computed once.
      std::vector<int> codes(65536);
      for (std::size_t half = 0; half < codes.size(); ++half)
        codes[half] = nearest_code(value_of_half(static_cast<std::uint16_t>(half)), format, relu);
      expect_form<Pair>(
          std::string("cvt.rn.satfinite.") + (relu ? "relu." : "") + format.name + ".f16x2 %d, %a;",
          [&](std::uint32_t pair) {
            return static_cast<Pair>(codes[pair >> 16] << 8 | codes[pair & 0xffff]);
          },
          pairs);
    }
  }
}

TEST(NarrowConversion, PairsOf8BitFloatsToPairsOfHalves) {
  std::vector<Pair> pairs(256);
  for (std::size_t code = 0; code < 256; ++code) {
    pairs[code] = static_cast<Pair>(code << 8 | (code * 151 & 0xff));
  }
  for (const Format& format : formats) {
    for (const bool relu : {false, true}) {
      const auto is_right = [&](int code, std::uint16_t half) {
        const int size = code & 0x7f;
        const bool is_infinity = format.mantissa == 2 && size == 0x7c;
        if (size > format.greatest && !is_infinity) return half == 0x7fff;
        if (relu && (code & 0x80) != 0) return half == 0;
        if (is_infinity) return half == (code > 0x80 ? 0xfc00 : 0x7c00);
        return value_of_half(half) == number_of(code, format) && (half >> 15) == (code >> 7);
      };
      for_each_result(
          std::string("cvt.rn.") + (relu ? "relu." : "") + "f16x2." + format.name + " %d, %a;", 4,
          {column_of(pairs)}, [&](std::uint64_t got, const std::vector<std::uint64_t>& bits) {
            EXPECT_TRUE(is_right(static_cast<int>(bits[0] >> 8), static_cast<std::uint16_t>(got >> 16)))
                << std::hex << got << " of " << bits[0];
            EXPECT_TRUE(is_right(static_cast<int>(bits[0] & 0xff), static_cast<std::uint16_t>(got)))
                << std::hex << got << " of " << bits[0];
          });
    }
  }
}

TEST(NarrowConversion, PacksSaturatedIntegers) {
  const std::vector<std::int32_t> v = {0,      1,      -1,    2,     3,      -2,         -3,
                                       7,      8,      -8,    -9,    15,     16,         127,
                                       128,    -128,   -129,  255,   256,    32767,      32768,
                                       -32768, -32769, 65535, 65536, 123456, 2147483647, -2147483647 - 1};
  const std::vector<std::uint32_t> third = {0, 0x12345678, 0xffffffff};
  for (const int bits : {2, 4, 8, 16}) {
    for (const bool with_sign : {false, true}) {
      const std::int64_t highest = (std::int64_t{1} << (with_sign ? bits - 1 : bits)) - 1;
      const std::int64_t lowest = with_sign ? -highest - 1 : 0;
      const auto part = [=](std::int32_t value) {
        const std::int64_t clamped = std::min(std::max(std::int64_t{value}, lowest), highest);
        return static_cast<std::uint64_t>(clamped) & ((std::uint64_t{1} << bits) - 1);
      };
      const std::string type = std::string(with_sign ? "s" : "u") + std::to_string(bits);
      if (bits == 16) {
        expect_form<std::uint32_t>(
            "cvt.pack.sat." + type + ".s32 %d, %a, %b;",
            [&](std::int32_t a, std::int32_t b) {
              return static_cast<std::uint32_t>(part(a) << 16 | part(b));
            },
            v, v);
        continue;
      }
      expect_form<std::uint32_t>(
          "cvt.pack.sat." + type + ".s32.b32 %d, %a, %b, %c;",
          [&](std::int32_t a, std::int32_t b, std::uint32_t c) {
            return static_cast<std::uint32_t>(std::uint64_t{c} << 2 * bits | part(a) << bits | part(b));
          },
          v, v, third);
    }
  }
}

// The greatest number instead of infinity, and rounding toward zero.
TEST(NarrowConversion, HalvesWithoutInfinities) {
  const std::vector<float> v = {0.0f,  1.0f,     -1.0f,    65504.0f,  65520.0f, 65519.9f,       -70000.0f,
                                1e38f, -3.4e38f, INFINITY, -INFINITY, NAN,      1.00048828125f, -1.0009765f};
  const auto half = [](float a) -> std::uint16_t {
    if (std::isnan(a)) return 0x7fff;
    const std::uint16_t sign = std::signbit(a) ? 0x8000 : 0;
    const double size = std::min(std::fabs(double{a}), 65504.0);
    std::uint16_t best = 0;
    double distance = HUGE_VAL;
    for (std::uint16_t code = 0; code <= 0x7bff; ++code) {
      const double now = std::fabs(size - value_of_half(code));
      if (now < distance || (now == distance && code % 2 == 0)) best = code, distance = now;
    }
    return static_cast<std::uint16_t>(sign | best);
  };
  const auto toward_zero = [](float a) -> std::uint16_t {
    if (std::isnan(a)) return 0x7fff;
    const std::uint16_t sign = std::signbit(a) ? 0x8000 : 0;
    if (std::isinf(a)) return static_cast<std::uint16_t>(sign | 0x7c00);
    std::uint16_t best = 0;
    for (std::uint16_t code = 0; code <= 0x7bff; ++code) {
      if (value_of_half(code) <= std::fabs(double{a})) best = code;
    }
    return static_cast<std::uint16_t>(sign | best);
  };
  expect_form<std::uint16_t>("cvt.rn.satfinite.f16.f32 %d, %a;", half, v);
  const auto joined = [](std::uint16_t high, std::uint16_t low) {
    return static_cast<std::uint32_t>(high) << 16 | low;
  };
  expect_form<std::uint32_t>(
      "cvt.rn.satfinite.f16x2.f32 %d, %a, %b;", [&](float a, float b) { return joined(half(a), half(b)); }, v,
      v);
  expect_form<std::uint32_t>(
      "cvt.rz.f16x2.f32 %d, %a, %b;",
      [&](float a, float b) { return joined(toward_zero(a), toward_zero(b)); }, v, v);
  expect_form<std::uint16_t>(
      "cvt.rn.satfinite.bf16.f32 %d, %a;",
      [](float a) -> std::uint16_t {
        if (std::isnan(a)) return 0x7fff;
        const std::uint32_t bits = std::bit_cast<std::uint32_t>(a);
        const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
        return static_cast<std::uint16_t>((rounded & 0x7fff) >= 0x7f80 ? (rounded & 0x8000) | 0x7f7f
                                                                       : rounded);
      },
      v);
  expect_form<std::uint32_t>(
      "cvt.rna.satfinite.tf32.f32 %d, %a;",
      [](float a) -> std::uint32_t {
        if (std::isnan(a)) return 0x7fffe000;
        const std::uint32_t bits = (std::bit_cast<std::uint32_t>(a) + 0x1000) & 0xffffe000;
        return (bits & 0x7fffffff) >= 0x7f800000 ? (bits & 0x80000000) | 0x7f7fe000 : bits;
      },
      v);
  expect_form<std::uint32_t>(
      "cvt.rz.tf32.f32 %d, %a;",
      [](float a) { return std::isnan(a) ? 0x7fffe000u : std::bit_cast<std::uint32_t>(a) & 0xffffe000u; }, v);
}

}  // namespace
}  // namespace tilescope::ptx
