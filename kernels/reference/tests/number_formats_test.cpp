#include "kernels/reference/number_formats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilescope::reference {
namespace {

// The value of an fp16 or bf16 number by its definition: sign, exponent, mantissa.
double by_definition(std::uint16_t bits, int exponent_bits) {
  const int mantissa_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits & 0x7fff) >> mantissa_bits;
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  const double fraction = std::ldexp(mantissa, -mantissa_bits);
  return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias));
}

class BothFormats : public testing::TestWithParam<Format> {
 protected:
  int exponent_bits() const { return GetParam() == Format::fp16 ? 5 : 8; }
};

TEST_P(BothFormats, EveryNumberIsReadAndWrittenBack) {
  for (unsigned bits = 0; bits <= 0xffff; ++bits) {
    const auto number = static_cast<std::uint16_t>(bits);
    const float value = to_float(number, GetParam());
    const double expected = by_definition(number, exponent_bits());
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(std::isnan(to_float(from_float(value, GetParam()), GetParam()))) << bits;
    } else {
      ASSERT_EQ(value, expected) << bits;
      ASSERT_EQ(from_float(value, GetParam()), number) << bits;
    }
  }
}

TEST_P(BothFormats, RoundsToTheNearestAndTiesToEven) {
  const unsigned largest = GetParam() == Format::fp16 ? 0x7bff : 0x7f7f;
  for (unsigned bits = 0; bits < largest; ++bits) {
    const auto below = static_cast<std::uint16_t>(bits), above = static_cast<std::uint16_t>(bits + 1);
    const float low = to_float(below, GetParam()), high = to_float(above, GetParam());
    const float middle = low + (high - low) / 2;
    ASSERT_EQ(from_float(middle, GetParam()), (bits & 1) != 0 ? above : below) << bits;
    ASSERT_EQ(from_float(std::nextafter(middle, low), GetParam()), below) << bits;
    ASSERT_EQ(from_float(std::nextafter(middle, high), GetParam()), above) << bits;
    ASSERT_EQ(from_float(-middle, GetParam()), from_float(middle, GetParam()) | 0x8000) << bits;
  }
}

TEST_P(BothFormats, OverflowIsInfinity) {
  const auto infinity = static_cast<std::uint16_t>(GetParam() == Format::fp16 ? 0x7c00 : 0x7f80);
  EXPECT_EQ(from_float(std::numeric_limits<float>::max(), GetParam()), infinity);
  EXPECT_EQ(from_float(-std::numeric_limits<float>::infinity(), GetParam()), infinity | 0x8000);
}

INSTANTIATE_TEST_SUITE_P(Formats, BothFormats, testing::Values(Format::fp16, Format::bf16));

}  // namespace
}  // namespace tilescope::reference
