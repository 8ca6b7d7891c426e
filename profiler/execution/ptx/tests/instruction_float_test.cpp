// Single and double precision: every rounding against arithmetic with more bits, or the neighbours of the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "profiler/execution/ptx/tests/ptx_snippet.hpp"

namespace tilescope::ptx {
namespace {

const float canonical = std::bit_cast<float>(0x7fffffffu);
const double canonical_64 = std::bit_cast<double>(0x7ff8000000000000u);

template <class T>
std::vector<T> numbers() {
  using L = std::numeric_limits<T>;
  return {T(0),
          T(-0.0),
          T(1),
          T(-1),
          T(1.5),
          T(-3.25),
          T(1) / 3,
          L::epsilon(),
          L::min(),
          -L::min(),
          L::denorm_min(),
          -L::denorm_min(),
          L::min() / 3,
          L::max(),
          -L::max(),
          L::infinity(),
          -L::infinity(),
          L::quiet_NaN(),
          T(1e-7),
          T(1) + L::epsilon(),
          T(-123456.789),
          T(2.5)};
}
std::vector<float> few() {
  using L = std::numeric_limits<float>;
  return {0.0f,          -0.0f,           1.0f,          -1.0f,
          1.0f / 3,      0x1.fffffep-13f, L::min(),      -L::denorm_min(),
          L::max(),      -L::max(),       L::infinity(), L::quiet_NaN(),
          0x1.000002p0f, 0x1p-100f,       -0x1.8p60f};
}

float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
float tidy(float value) {
  return std::isnan(value) ? canonical : value;
}
double tidy(double value) {
  return std::isnan(value) ? canonical_64 : value;
}
float saturated(float value) {
  return std::isnan(value) || value <= 0.0f ? 0.0f : std::min(value, 1.0f);
}

// Arithmetic with a rounding mode of the processor. The operands are volatile, so that nothing is computed earlier.
template <class T, class Operation>
T under(int mode, Operation operation) {
  const int before = std::fegetround();
  std::fesetround(mode);
  volatile T result = operation();
  std::fesetround(before);
  return result;
}
struct Mode {
  const char* name;
  int mode;
};
constexpr Mode modes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

template <class T>
class FloatForms : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatForms, FloatTypes);

TYPED_TEST(FloatForms, RoundInEveryDirection) {
  using T = TypeParam;
  const std::string type = sizeof(T) == 4 ? ".f32" : ".f64";
  const std::vector<T> v = numbers<T>();
  for (const auto& [name, mode] : modes) {
    const std::string rounding = std::string(".") + name + type;
    const auto binary = [&, mode = mode](const std::string& opcode, auto operation) {
      expect_form<T>(
          opcode + rounding + " %d, %a, %b;",
          [=](T a, T b) {
            volatile T x = a, y = b;
            return tidy(under<T>(mode, [&] { return operation(x, y); }));
          },
          v, v);
    };
    binary("add", [](T a, T b) { return a + b; });
    binary("sub", [](T a, T b) { return a - b; });
    binary("mul", [](T a, T b) { return a * b; });
    binary("div", [](T a, T b) { return a / b; });
    expect_form<T>(
        "rcp" + rounding + " %d, %a;",
        [mode = mode](T a) {
          volatile T x = a;
          return tidy(under<T>(mode, [&] { return T{1} / x; }));
        },
        v);
    expect_form<T>(
        "sqrt" + rounding + " %d, %a;",
        [mode = mode](T a) {
          volatile T x = a;
          return tidy(under<T>(mode, [&] { return std::sqrt(x); }));
        },
        v);
    expect_form<T>(
        "fma" + rounding + " %d, %a, %b, %c;",
        [mode = mode](T a, T b, T c) {
          volatile T x = a, y = b, z = c;
          return tidy(under<T>(mode, [&] { return std::fma(x, y, z); }));
        },
        v, v, v);
  }
}

TEST(FloatInstruction, FlushesAndSaturates) {
  const std::vector<float> v = few();
  const auto both = [](auto operation) {
    return [=](float a, float b) { return flushed(tidy(operation(flushed(a), flushed(b)))); };
  };
  expect_form<float>("add.ftz.f32 %d, %a, %b;", both([](float a, float b) { return a + b; }), v, v);
  expect_form<float>("sub.rn.ftz.f32 %d, %a, %b;", both([](float a, float b) { return a - b; }), v, v);
  expect_form<float>("mul.ftz.f32 %d, %a, %b;", both([](float a, float b) { return a * b; }), v, v);
  expect_form<float>("div.rn.ftz.f32 %d, %a, %b;", both([](float a, float b) { return a / b; }), v, v);
  expect_form<float>("div.full.ftz.f32 %d, %a, %b;", both([](float a, float b) { return a / b; }), v, v);
  expect_form<float>(
      "add.sat.f32 %d, %a, %b;", [](float a, float b) { return saturated(a + b); }, v, v);
  expect_form<float>(
      "mul.ftz.sat.f32 %d, %a, %b;",
      [](float a, float b) { return flushed(saturated(flushed(a) * flushed(b))); }, v, v);
  expect_form<float>(
      "fma.rn.ftz.f32 %d, %a, %b, %c;",
      [](float a, float b, float c) { return flushed(tidy(std::fma(flushed(a), flushed(b), flushed(c)))); },
      v, v, v);
  expect_form<float>(
      "fma.rn.sat.f32 %d, %a, %b, %c;",
      [](float a, float b, float c) { return saturated(std::fma(a, b, c)); }, v, v, v);
  expect_form<float>(
      "fma.rn.ftz.sat.f32 %d, %a, %b, %c;",
      [](float a, float b, float c) {
        return flushed(saturated(std::fma(flushed(a), flushed(b), flushed(c))));
      },
      v, v, v);
  expect_form<float>(
      "add.rz.ftz.f32 %d, %a, %b;",
      [](float a, float b) {
        volatile float x = flushed(a), y = flushed(b);
        return flushed(tidy(under<float>(FE_TOWARDZERO, [&] { return x + y; })));
      },
      v, v);
  expect_form<float>(
      "mad.rn.f32 %d, %a, %b, %c;", [](float a, float b, float c) { return tidy(std::fma(a, b, c)); }, v, v,
      v);
}

TEST(FloatInstruction, DivAndRcpApproximate) {
  const std::vector<float> v = {
      1.0f, -3.0f, 0.0f, 0x1p126f, 0x1.8p126f, -0x1p127f, std::numeric_limits<float>::infinity()};
  expect_form<float>(
      "div.approx.f32 %d, %a, %b;",
      [](float a, float b) {
        if (std::isfinite(b) && std::fabs(b) > 0x1p126f) return tidy(a * std::copysign(0.0f, b));
        return tidy(a / b);
      },
      v, v);
  expect_form<float>(
      "rcp.approx.ftz.f32 %d, %a;", [](float a) { return flushed(tidy(1.0f / flushed(a))); },
      numbers<float>());
  expect_form<float>(
      "sqrt.approx.f32 %d, %a;", [](float a) { return tidy(std::sqrt(a)); }, numbers<float>());
}

// The ISA's recipe for the start of a division: only the high words of the source and of the result, nothing subnormal.
TEST(FloatInstruction, GrossReciprocalKeepsHighWords) {
  const auto high_word = [](double a) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(a);
    return std::bit_cast<double>(std::fpclassify(a) == FP_SUBNORMAL ? bits >> 63 << 63 : bits >> 32 << 32);
  };
  std::vector<double> v = numbers<double>();
  v.insert(v.end(), {0x1.fffffffffffffp0, -0x1.23456789abcdep-500, 0x1p1023, 0x1.8p1023, 3.0, 0x1p-1022});
  expect_form<double>(
      "rcp.approx.ftz.f64 %d, %a;", [&](double a) { return high_word(tidy(1.0 / high_word(a))); }, v);
}

// -0 is below +0; a NaN loses against a number unless .NaN is given.
float lesser(float a, float b) {
  if (std::isnan(a)) return tidy(b);
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return std::min(a, b);
}
TEST(FloatInstruction, MinimumAndMaximum) {
  const std::vector<float> v = numbers<float>();
  const auto greater = [](float a, float b) {
    const float negated = lesser(-a, -b);
    return std::isnan(negated) ? canonical : -negated;
  };
  expect_form<float>("min.f32 %d, %a, %b;", lesser, v, v);
  expect_form<float>("max.f32 %d, %a, %b;", greater, v, v);
  expect_form<float>(
      "max.ftz.f32 %d, %a, %b;", [=](float a, float b) { return greater(flushed(a), flushed(b)); }, v, v);
  expect_form<float>(
      "min.NaN.f32 %d, %a, %b;",
      [](float a, float b) { return std::isnan(a) || std::isnan(b) ? canonical : lesser(a, b); }, v, v);
  expect_form<float>(
      "max.NaN.f32 %d, %a, %b;",
      [=](float a, float b) { return std::isnan(a) || std::isnan(b) ? canonical : greater(a, b); }, v, v);
  expect_form<float>(
      "min.xorsign.abs.f32 %d, %a, %b;",
      [](float a, float b) {
        const float size = lesser(std::fabs(a), std::fabs(b));
        if (std::isnan(size)) return canonical;
        return std::signbit(a) != std::signbit(b) ? -size : size;
      },
      v, v);
  expect_form<double>(
      "max.f64 %d, %a, %b;",
      [](double a, double b) {
        if (std::isnan(a)) return tidy(b);
        if (std::isnan(b)) return a;
        if (a == b) return std::signbit(a) ? b : a;
        return std::max(a, b);
      },
      numbers<double>(), numbers<double>());
}

TEST(FloatInstruction, SignsAndProperties) {
  const std::vector<float> v = numbers<float>();
  expect_form<float>(
      "neg.f32 %d, %a;", [](float a) { return -a; }, v);
  expect_form<float>(
      "abs.f32 %d, %a;", [](float a) { return std::fabs(a); }, v);
  expect_form<float>(
      "abs.ftz.f32 %d, %a;", [](float a) { return flushed(std::fabs(a)); }, v);
  expect_form<double>(
      "neg.f64 %d, %a;", [](double a) { return -a; }, numbers<double>());
  expect_form<float>(
      "copysign.f32 %d, %a, %b;", [](float a, float b) { return std::copysign(b, a); }, v, v);
  expect_form<bool>(
      "testp.finite.f32 %d, %a;", [](float a) { return std::isfinite(a); }, v);
  expect_form<bool>(
      "testp.infinite.f32 %d, %a;", [](float a) { return std::isinf(a); }, v);
  expect_form<bool>(
      "testp.number.f32 %d, %a;", [](float a) { return !std::isnan(a); }, v);
  expect_form<bool>(
      "testp.notanumber.f64 %d, %a;", [](double a) { return std::isnan(a); }, numbers<double>());
  expect_form<bool>(
      "testp.normal.f64 %d, %a;", [](double a) { return std::isnormal(a); }, numbers<double>());
  expect_form<bool>(
      "testp.subnormal.f32 %d, %a;", [](float a) { return std::fpclassify(a) == FP_SUBNORMAL; }, v);
}

// The error in units of the last place of the exact value, denormals included.
double ulps_off(float got, double exact) {
  const float nearest = static_cast<float>(exact);
  if (got == nearest || (std::isnan(got) && std::isnan(exact))) return 0.0;
  if (!std::isfinite(got) || !std::isfinite(nearest)) return std::numeric_limits<double>::infinity();
  const double size = std::max(std::fabs(exact), double{std::numeric_limits<float>::min()});
  const double ulp = std::ldexp(1.0, std::max(std::ilogb(size) - 23, -149));
  return std::fabs(got - exact) / ulp;
}

std::vector<float> spread(double low, double high, int count) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k)
    values.push_back(static_cast<float>(low + (high - low) * k / (count - 1) * 0.9999871));
  return values;
}

void expect_near(const std::string& form, const std::function<double(double)>& exact,
                 const std::vector<float>& values, double most_ulps, double absolute = 0.0) {
  for_each_result(
      form, 4, {column_of(values)}, [&](std::uint64_t got, const std::vector<std::uint64_t>& bits) {
        const float value = snippet_value<float>(got);
        const double source = double{snippet_value<float>(bits[0])};
        const double wanted = exact(source);
        const bool near = ulps_off(value, wanted) <= most_ulps || std::fabs(value - wanted) <= absolute;
        ASSERT_TRUE(near) << value << " is not " << wanted << " for " << source;
        if (std::isnan(wanted)) {
          ASSERT_EQ(got, 0x7fffffffu);
        }
      });
}

TEST(FloatInstruction, TranscendentalFunctionsAreWithinAnUlp) {
  const std::vector<float> v = numbers<float>();
  expect_near(
      "ex2.approx.f32 %d, %a;", [](double a) { return std::exp2(a); }, v, 1.0);
  expect_near(
      "ex2.approx.f32 %d, %a;", [](double a) { return std::exp2(a); }, spread(-151.0, 129.0, 5000), 0.52);
  expect_near(
      "ex2.approx.f32 %d, %a;", [](double a) { return std::exp2(a); }, spread(-1e-3, 1e-3, 1000), 0.52);
  expect_near(
      "lg2.approx.f32 %d, %a;", [](double a) { return std::log2(a); }, v, 1.0);
  expect_near(
      "lg2.approx.f32 %d, %a;", [](double a) { return std::log2(a); }, spread(1e-3, 4.0, 5000), 0.52);
  expect_near(
      "lg2.approx.f32 %d, %a;", [](double a) { return std::log2(a); }, spread(0.9999, 1.0001, 2000), 0.52);
  expect_near(
      "lg2.approx.f32 %d, %a;", [](double a) { return std::log2(a); }, spread(1e-42, 1e-37, 500), 0.52);
  expect_near(
      "rsqrt.approx.f32 %d, %a;", [](double a) { return 1.0 / std::sqrt(a); }, v, 1.0);
  expect_near(
      "rsqrt.approx.f32 %d, %a;", [](double a) { return 1.0 / std::sqrt(a); }, spread(1e-3, 1e6, 2000), 0.52);
  expect_near(
      "tanh.approx.f32 %d, %a;", [](double a) { return std::tanh(a); }, v, 1.0);
  expect_near(
      "tanh.approx.f32 %d, %a;", [](double a) { return std::tanh(a); }, spread(-12.0, 12.0, 5000), 0.52);
  expect_near(
      "tanh.approx.f32 %d, %a;", [](double a) { return std::tanh(a); }, spread(-1e-3, 1e-3, 1000), 0.6);
  // The ISA's bounds up to 2 pi and 100 pi.
  for (const auto& [reach, error] : {std::pair{6.28, std::exp2(-20.5)}, std::pair{314.0, std::exp2(-14.7)}}) {
    expect_near(
        "sin.approx.f32 %d, %a;", [](double a) { return std::sin(a); }, spread(-reach, reach, 3000), 0.0,
        error);
    expect_near(
        "cos.approx.f32 %d, %a;", [](double a) { return std::cos(a); }, spread(-reach, reach, 3000), 0.0,
        error);
  }
  // For large angles the ISA has no bound, and a GPU returns the sine of the reduced angle, rounded toward zero in
  // turns.
  const auto reduced = [](double a) {
    const double product = a * double{0.15915494309189533577f};
    const auto nearest = static_cast<float>(product);
    const float turns =
        std::fabs(double{nearest}) > std::fabs(product) ? std::nextafter(nearest, 0.0f) : nearest;
    return std::remainder(double{turns}, 1.0) * 2 * std::numbers::pi;
  };
  for (const double reach : {100.0, 1e6, 1e9, 1e30}) {
    expect_near(
        "sin.approx.f32 %d, %a;", [&](double a) { return std::sin(reduced(a)); }, spread(-reach, reach, 3000),
        0.0, 0x1p-23);
    expect_near(
        "cos.approx.f32 %d, %a;", [&](double a) { return std::cos(reduced(a)); }, spread(-reach, reach, 3000),
        0.0, 0x1p-23);
  }
  expect_form<float>(
      "sin.approx.f32 %d, %a;", [](float a) { return std::isfinite(a) ? a : canonical; },
      std::vector<float>{0.0f, -0.0f, HUGE_VALF, -HUGE_VALF, std::nanf("")});
}

TEST(FloatInstruction, ApproximationsFlushWhenAsked) {
  const std::vector<float> v = {0x1p-127f, -0x1p-140f, 0.0f, -0.0f, 1.0f};
  expect_form<float>(
      "ex2.approx.ftz.f32 %d, %a;", [](float a) { return flushed(static_cast<float>(std::exp2(double{a}))); },
      std::vector<float>{-126.0f, -127.0f, -126.5f, -149.0f, 0x1p-140f, 10.0f});
  expect_form<float>(
      "lg2.approx.ftz.f32 %d, %a;", [](float a) { return tidy(std::log2(flushed(a))); }, v);
  expect_form<float>(
      "rsqrt.approx.ftz.f32 %d, %a;", [](float a) { return tidy(1.0f / std::sqrt(flushed(a))); }, v);
  expect_form<double>(
      "rsqrt.approx.f64 %d, %a;", [](double a) { return tidy(1.0 / std::sqrt(a)); }, numbers<double>());
}

}  // namespace
}  // namespace tilescope::ptx
