// f16, bf16 and their pairs: the test decodes their bits itself, computes in float64 or wider, and rounds by a search
// among all halves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "profiler/execution/ptx/tests/ptx_snippet.hpp"

namespace tilescope::ptx {
namespace {

using Half = std::uint16_t;
using Pair = std::uint32_t;

struct Format {
  std::string name;
  int mantissa, bias;
  Half infinity() const { return static_cast<Half>(((1 << (15 - mantissa)) - 1) << mantissa); }
  Half smallest_normal() const { return static_cast<Half>(1 << mantissa); }
  Half one() const { return static_cast<Half>(bias << mantissa); }
};
const Format f16{"f16", 10, 15};
const Format bf16{"bf16", 7, 127};
constexpr Half nan_half = 0x7fff;

double value_of(const Format& format, Half half) {
  const int exponent = (half & 0x7fff) >> format.mantissa, digits = half & ((1 << format.mantissa) - 1);
  const double sign = (half & 0x8000) != 0 ? -1.0 : 1.0;
  if ((half & 0x7fff) > format.infinity()) return std::numeric_limits<double>::quiet_NaN();
  if ((half & 0x7fff) == format.infinity()) return sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(digits, 1 - format.bias - format.mantissa);
  return sign * std::ldexp(digits + (1 << format.mantissa), exponent - format.bias - format.mantissa);
}

// The nearest half of an exact value by bisection; a tie goes to the even one. A value half a step above the largest
// number is infinite. __float128 holds every product and sum of two and three halves that the tests use.
Half nearest(const Format& format, __float128 exact, bool negative_zero = false) {
  if (!(exact == exact)) return nan_half;
  const bool negative = exact < 0 || (exact == 0 && negative_zero);
  const __float128 size = exact < 0 ? -exact : exact;
  Half below = 0, above = format.infinity();
  if (size == static_cast<__float128>(value_of(format, above))) below = above;
  while (above - below > 1) {
    const Half middle = static_cast<Half>((above + below) / 2);
    (static_cast<__float128>(value_of(format, middle)) <= size ? below : above) = middle;
  }
  const __float128 low = value_of(format, below);
  // Above the largest number the next would be one step further.
  const __float128 step = above == format.infinity() && below != above
                              ? low - static_cast<__float128>(value_of(format, static_cast<Half>(below - 1)))
                              : static_cast<__float128>(value_of(format, above)) - low;
  const bool up = below != above && below != format.infinity() &&
                  (2 * (size - low) > step || (2 * (size - low) == step && (below & 1) != 0));
  return static_cast<Half>((up ? above : below) | (negative ? 0x8000 : 0));
}

std::vector<Half> halves(const Format& format) {
  const Half one = format.one(), infinity = format.infinity(), normal = format.smallest_normal();
  std::vector<Half> values = {0,
                              one,
                              static_cast<Half>(one + 1),
                              static_cast<Half>(one - 1),
                              normal,
                              static_cast<Half>(normal - 1),
                              1,
                              3,
                              static_cast<Half>(infinity - 1),
                              infinity,
                              0x7e01,
                              static_cast<Half>(one + 0x155),
                              static_cast<Half>(normal + 5),
                              static_cast<Half>(one - (format.mantissa << format.mantissa)),
                              0x3555};
  const std::size_t count = values.size();
  for (std::size_t k = 0; k < count; ++k) values.push_back(static_cast<Half>(values[k] | 0x8000));
  return values;
}
std::vector<Half> few_halves(const Format& format) {
  const Half one = format.one();
  return {0x8000,
          one,
          static_cast<Half>(one + 1),
          static_cast<Half>(0x8000 | (one + 3)),
          1,
          0x8001,
          static_cast<Half>(format.smallest_normal() + 3),
          static_cast<Half>(format.infinity() - 1),
          format.infinity(),
          nan_half,
          static_cast<Half>(one - (format.mantissa << format.mantissa)),
          static_cast<Half>(one + 0x2aa)};
}

bool is_nan(const Format& format, Half half) {
  return (half & 0x7fff) > format.infinity();
}
Half flushed(const Format& format, Half half) {
  return (half & 0x7fff) < format.smallest_normal() ? static_cast<Half>(half & 0x8000) : half;
}

using Operation = std::function<Half(const Format&, Half, Half, Half)>;

// Sums with the sign that IEEE gives an exact zero.
Half sum(const Format& format, __float128 a, bool a_negative, __float128 b, bool b_negative) {
  return nearest(format, a + b, a_negative && b_negative);
}
Half fused(const Format& format, Half a, Half b, Half c) {
  const bool sign = ((a ^ b) & 0x8000) != 0;
  return sum(format, static_cast<__float128>(value_of(format, a)) * value_of(format, b), sign,
             value_of(format, c), (c & 0x8000) != 0);
}
Half added(const Format& format, Half a, Half b, Half) {
  return sum(format, value_of(format, a), (a & 0x8000) != 0, value_of(format, b), (b & 0x8000) != 0);
}
Half multiplied(const Format& format, Half a, Half b, Half) {
  return nearest(format, static_cast<__float128>(value_of(format, a)) * value_of(format, b),
                 ((a ^ b) & 0x8000) != 0);
}
Half subtracted(const Format& format, Half a, Half b, Half c) {
  return added(format, a, static_cast<Half>(b ^ 0x8000), c);
}
Half lesser(const Format& format, Half a, Half b, Half) {
  if (is_nan(format, a)) return is_nan(format, b) ? nan_half : b;
  if (is_nan(format, b)) return a;
  if (value_of(format, a) == value_of(format, b)) return static_cast<Half>(a | b);
  return value_of(format, a) < value_of(format, b) ? a : b;
}
Half greater(const Format& format, Half a, Half b, Half c) {
  const Half negated = lesser(format, static_cast<Half>(is_nan(format, a) ? a : a ^ 0x8000),
                              static_cast<Half>(is_nan(format, b) ? b : b ^ 0x8000), c);
  return is_nan(format, negated) ? nan_half : static_cast<Half>(negated ^ 0x8000);
}

Half saturated(const Format& format, Half half) {
  if (is_nan(format, half) || (half & 0x8000) != 0) return 0;
  return std::min(half, format.one());
}

// The single form, and the packed one with other values in its upper halves.
void expect_halves(const Format& format, const std::string& opcode, int sources, const Operation& operation) {
  const bool three = sources == 3;
  const std::vector<Half> v = three ? few_halves(format) : halves(format);
  const auto expected = [&](Half a, Half b, Half c) { return operation(format, a, b, c); };
  const std::string operands = sources == 1 ? " %d, %a;" : sources == 2 ? " %d, %a, %b;" : " %d, %a, %b, %c;";
  expect_form<Half>(opcode + "." + format.name + operands, expected, v,
                    sources > 1 ? v : std::vector<Half>{0}, three ? v : std::vector<Half>{0});
  std::vector<Pair> pairs;
  pairs.reserve(v.size());
  for (std::size_t k = 0; k < v.size(); ++k)
    pairs.push_back(static_cast<Pair>(v[v.size() - 1 - k]) << 16 | v[k]);
  const auto of_pair = [&](Pair a, Pair b, Pair c) {
    const auto low = [](Pair pair) { return static_cast<Half>(pair); };
    const auto high = [](Pair pair) { return static_cast<Half>(pair >> 16); };
    return static_cast<Pair>(expected(high(a), high(b), high(c))) << 16 | expected(low(a), low(b), low(c));
  };
  expect_form<Pair>(opcode + "." + format.name + "x2" + operands, of_pair, pairs,
                    sources > 1 ? pairs : std::vector<Pair>{0}, three ? pairs : std::vector<Pair>{0});
}

class HalfForms : public testing::TestWithParam<const Format*> {};
INSTANTIATE_TEST_SUITE_P(Formats, HalfForms, testing::Values(&f16, &bf16),
                         [](const auto& format) { return format.param->name; });

TEST_P(HalfForms, SumsAndProductsAreTheNearest) {
  expect_halves(*GetParam(), "add", 2, added);
  expect_halves(*GetParam(), "sub.rn", 2, subtracted);
  expect_halves(*GetParam(), "mul.rn", 2, multiplied);
  expect_halves(*GetParam(), "fma.rn", 3, fused);
}

TEST_P(HalfForms, FusedReluKeepsNanAndDropsNegatives) {
  expect_halves(*GetParam(), "fma.rn.relu", 3, [](const Format& format, Half a, Half b, Half c) {
    const Half value = fused(format, a, b, c);
    return is_nan(format, value) || (value & 0x8000) == 0 ? value : Half{0};
  });
}

TEST_P(HalfForms, ExtremaAndSigns) {
  const Format& format = *GetParam();
  expect_halves(format, "min", 2, lesser);
  expect_halves(format, "max", 2, greater);
  const auto any_nan = [](const Format& f, Half a, Half b) { return is_nan(f, a) || is_nan(f, b); };
  expect_halves(format, "min.NaN", 2, [=](const Format& f, Half a, Half b, Half c) {
    return any_nan(f, a, b) ? nan_half : lesser(f, a, b, c);
  });
  expect_halves(format, "max.NaN.xorsign.abs", 2, [=](const Format& f, Half a, Half b, Half c) {
    if (any_nan(f, a, b)) return nan_half;
    return static_cast<Half>(greater(f, a & 0x7fff, b & 0x7fff, c) | ((a ^ b) & 0x8000));
  });
  expect_halves(format, "neg", 1,
                [](const Format&, Half a, Half, Half) { return static_cast<Half>(a ^ 0x8000); });
  expect_halves(format, "abs", 1,
                [](const Format&, Half a, Half, Half) { return static_cast<Half>(a & 0x7fff); });
}

TEST(HalfInstruction, FlushesAndSaturates) {
  const auto with = [](const Operation& operation) {
    return [=](const Format& f, Half a, Half b, Half c) {
      return flushed(f, operation(f, flushed(f, a), flushed(f, b), flushed(f, c)));
    };
  };
  expect_halves(f16, "add.ftz", 2, with(added));
  expect_halves(f16, "mul.ftz", 2, with(multiplied));
  expect_halves(f16, "fma.rn.ftz", 3, with(fused));
  expect_halves(f16, "add.sat", 2,
                [](const Format& f, Half a, Half b, Half c) { return saturated(f, added(f, a, b, c)); });
  expect_halves(f16, "fma.rn.ftz.sat", 3, [](const Format& f, Half a, Half b, Half c) {
    return flushed(f, saturated(f, fused(f, flushed(f, a), flushed(f, b), flushed(f, c))));
  });
}

// Within 2^-9.9 of the value (ISA: ex2.approx.f16) and 2^-10.987 (tanh.approx.f16); here to the nearest but for
// rounding twice, from 24 bits.
TEST_P(HalfForms, ExponentialAndTangent) {
  const Format& format = *GetParam();
  const auto near = [](const std::string& form, double (*function)(double)) {
    const Format& f = form.find("bf16") == std::string::npos ? f16 : bf16;
    for_each_result(form, 2, {column_of(halves(f))},
                    [&](std::uint64_t got, const std::vector<std::uint64_t>& bits) {
                      const double source = value_of(f, static_cast<Half>(bits[0]));
                      const double exact = function(source);
                      const bool flush = form.find("ftz") != std::string::npos;
                      Half wanted = nearest(f, static_cast<__float128>(exact), std::signbit(exact));
                      if (flush) wanted = flushed(f, wanted);
                      ASSERT_EQ(got, wanted) << "for " << source;
                    });
  };
  near("ex2.approx" + std::string(&format == &bf16 ? ".ftz" : "") + "." + format.name + " %d, %a;",
       [](double a) { return std::exp2(a); });
  near("tanh.approx." + format.name + " %d, %a;", [](double a) { return std::tanh(a); });
}

TEST(HalfInstruction, ComparesAndSets) {
  const std::vector<Half> v = halves(f16);
  const auto number = [](Half half) { return value_of(f16, half); };
  expect_form<bool>(
      "setp.lt.f16 %d, %a, %b;", [=](Half a, Half b) { return number(a) < number(b); }, v, v);
  expect_form<bool>(
      "setp.geu.f16 %d, %a, %b;", [=](Half a, Half b) { return !(number(a) < number(b)); }, v, v);
  expect_form<bool>(
      "setp.ne.ftz.f16 %d, %a, %b;",
      [=](Half a, Half b) {
        const double x = number(flushed(f16, a)), y = number(flushed(f16, b));
        return x < y || x > y;
      },
      v, v);
  expect_form<bool>(
      "setp.nan.bf16 %d, %a, %b;", [](Half a, Half b) { return is_nan(bf16, a) || is_nan(bf16, b); }, v, v);
  std::vector<Pair> pairs;
  pairs.reserve(v.size());
  for (std::size_t k = 0; k < v.size(); ++k)
    pairs.push_back(static_cast<Pair>(v[(k * 7 + 3) % v.size()]) << 16 | v[k]);
  const auto lower = [=](Pair a) { return number(static_cast<Half>(a)); };
  const auto upper = [=](Pair a) { return number(static_cast<Half>(a >> 16)); };
  expect_form<Pair>(
      "setp.le.f16x2 %p|%q, %a, %b; selp.b32 %x, 1, 0, %p; selp.b32 %y, 2, 0, %q; or.b32 %d, %x, %y;",
      [=](Pair a, Pair b) { return (lower(a) <= lower(b) ? 1u : 0u) | (upper(a) <= upper(b) ? 2u : 0u); },
      pairs, pairs);
  expect_form<Pair>(
      "set.gt.f16x2.f16x2 %d, %a, %b;",
      [=](Pair a, Pair b) {
        return (lower(a) > lower(b) ? 0x3c00u : 0u) | (upper(a) > upper(b) ? 0x3c000000u : 0u);
      },
      pairs, pairs);
  expect_form<Pair>(
      "set.eq.u32.f16x2 %d, %a, %b;",
      [=](Pair a, Pair b) {
        return (lower(a) == lower(b) ? 0xffffu : 0u) | (upper(a) == upper(b) ? 0xffff0000u : 0u);
      },
      pairs, pairs);
  expect_form<Half>(
      "set.neu.f16.f16 %d, %a, %b;",
      [=](Half a, Half b) { return number(a) == number(b) ? Half{0} : Half{0x3c00}; }, v, v);
}

}  // namespace
}  // namespace tilescope::ptx
