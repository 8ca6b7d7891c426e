// FCHK, which decides between two ways to divide, and MUFU.
#include <gtest/gtest.h>

#include <cmath>
#include <ios>
#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/tests/float_values.hpp"
#include "profiler/execution/sass/tests/sass_snippet.hpp"

namespace tilescope::sass {
namespace {

constexpr unsigned rounds = 24;

float of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

// ptxas's code for div.rn.f32 of R10 and R5, without its slow path: the quotient in R7 where P0 is false.
void run_division(SassSnippet& snippet) {
  snippet.set(9, [](unsigned) { return bits(1.0f); });
  for (const char* text :
       {"MUFU.RCP R4, R5", "FCHK P0, R10, R5", "FFMA R7, -R5, R4, R9", "FFMA R7, R4, R7, R4",
        "FFMA R4, R10, R7, RZ", "FFMA R6, -R5, R4, R10", "FFMA R7, R7, R6, R4"}) {
    snippet.run(text);
  }
}

TEST(SassApproximation, DividesExactlyWhereTheCheckAllowsIt) {
  SassSnippet snippet(float_opcodes());
  // On both sides of every bound.
  constexpr std::uint32_t exponents[] = {0,   1,   24,  25,  26,  100, 126, 127,
                                         128, 150, 151, 251, 252, 253, 254, 255};
  unsigned slow = 0, fast = 0;
  for (const std::uint32_t of_b : exponents) {
    for (const std::uint32_t of_a : exponents) {
      const auto a_bits = [&](unsigned lane) {
        return (float_bits(lane, 1, of_a) & 0x807fffffu) | of_a << 23;
      };
      const auto b_bits = [&](unsigned lane) {
        return (float_bits(lane, 1, of_b + 300) & 0x807fffffu) | of_b << 23;
      };
      snippet.set(10, a_bits);
      snippet.set(5, b_bits);
      run_division(snippet);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const bool is_slow = (snippet.get_predicate(0) >> lane & 1u) != 0;
        ++(is_slow ? slow : fast);
        if (is_slow) continue;
        const float a = of(a_bits(lane)), b = of(b_bits(lane));
        ASSERT_EQ(snippet.get(7, lane), bits(a / b)) << std::hexfloat << a << " / " << b;
      }
    }
  }
  EXPECT_GT(fast, 32u * 60u);
  EXPECT_GT(slow, 32u * 60u);
}

// The bounds that were found on an H200, by biased exponents.
TEST(SassApproximation, DecidesBetweenTheDivisionsAsTheHardware) {
  SassSnippet snippet(float_opcodes());
  struct Pair {
    std::uint32_t of_a, of_b;
    bool is_slow;
  };
  const Pair pairs[] = {{25, 100, false}, {24, 100, true}, {254, 130, false}, {255, 130, true},
                        {120, 2, false},  {120, 1, true},  {200, 251, false}, {200, 252, true},
                        {26, 150, false}, {26, 151, true}, {226, 100, false}, {227, 100, true}};
  for (const Pair& pair : pairs) {
    for (const std::uint32_t mantissa : {0u, 0x7fffffu, 0x80000000u}) {
      snippet.set(1, [&](unsigned) { return pair.of_a << 23 | mantissa; });
      snippet.set(2, [&](unsigned lane) { return pair.of_b << 23 | (lane * 0x3ffffu & 0x7fffffu); });
      snippet.run("FCHK P0, R1, R2");
      EXPECT_EQ(snippet.get_predicate(0), pair.is_slow ? simt::all_lanes : 0u)
          << pair.of_a << " / " << pair.of_b;
    }
  }
}

TEST(SassApproximation, SendsZerosAndWhatIsNotFiniteToTheSlowDivision) {
  SassSnippet snippet(float_opcodes());
  const std::uint32_t special[] = {0, 0x80000000u, 1, 0x7f800000u, 0xff800000u, 0x7fc00000u};
  for (const std::uint32_t value : special) {
    snippet.set(1, [&](unsigned) { return value; });
    snippet.set(2, [](unsigned) { return bits(3.0f); });
    for (const char* text : {"FCHK P0, R1, R2", "FCHK P0, R2, R1", "FCHK P0, -|R2|, -R1"}) {
      snippet.set_predicate(0, 0);
      snippet.run(text, 0, 0x0000ffffu);
      EXPECT_EQ(snippet.get_predicate(0), 0x0000ffffu) << text << std::hex << value;
    }
  }
}

TEST(SassApproximation, ApproximatesAndFlushes) {
  SassSnippet snippet(float_opcodes());
  struct Case {
    std::string_view name;
    double (*exact)(double);
    bool flushes;
  };
  const Case cases[] = {
      {"EX2", [](double a) { return std::exp2(a); }, true},
      {"LG2", [](double a) { return std::log2(a); }, true},
      {"RCP", [](double a) { return 1.0 / a; }, true},
      {"RSQ", [](double a) { return 1.0 / std::sqrt(a); }, true},
      {"SQRT", [](double a) { return std::sqrt(a); }, true},
      {"SIN", [](double a) { return std::sin(2 * M_PI * std::remainder(a, 1.0)); }, true},
      {"COS", [](double a) { return std::cos(2 * M_PI * std::remainder(a, 1.0)); }, true},
      {"TANH", [](double a) { return std::tanh(a); }, false},
  };
  for (const Case& function : cases) {
    SCOPED_TRACE(function.name);
    for (unsigned round = 0; round < rounds; ++round) {
      snippet.set(1, [&](unsigned lane) { return float_bits(lane, round, 1); });
      snippet.run("MUFU." + std::string(function.name) + " R0, -R1");
      for (unsigned lane = 0; lane < 32; ++lane) {
        float a = -of(float_bits(lane, round, 1));
        if (function.flushes) a = flushed(a);
        float want = static_cast<float>(function.exact(double{a}));
        if (function.flushes) want = flushed(want);
        const float got = snippet.get_float(0, lane);
        if (std::isnan(want)) {
          ASSERT_EQ(snippet.get(0, lane), 0x7fffffffu) << a;
        } else if (std::isinf(want) || want == 0.0f) {
          ASSERT_EQ(got, want) << std::hexfloat << a;
        } else {
          // Two units in the last place; near the zeros of a sine what its angle's last bit makes.
          ASSERT_NEAR(got, want, std::fabs(want) * 2.5e-7f + 1e-12f) << std::hexfloat << a;
        }
      }
    }
  }
}

TEST(SassApproximation, ApproximatesHalvesAndHighWords) {
  SassSnippet snippet(float_opcodes());
  snippet.set(1, [](unsigned) { return 0x40003c00u; });  // 2 and 1
  snippet.run("MUFU.EX2.F16 R2, R1");
  snippet.run("MUFU.EX2.F16 R3, R1.H1");
  snippet.run("MUFU.TANH.F16 R4, -R1");
  EXPECT_EQ(snippet.get(2, 3), 0x4000u);
  EXPECT_EQ(snippet.get(3, 3), 0x4400u);
  EXPECT_EQ(snippet.get(4, 3), 0xba18u);  // -0.76159
  snippet.set(1, [](unsigned) { return 0x40003f80u; });
  snippet.run("MUFU.EX2.BF16 R2, R1.H1");
  snippet.run("MUFU.TANH.BF16 R3, R1");
  EXPECT_EQ(snippet.get(2, 3), 0x4080u);
  EXPECT_EQ(snippet.get(3, 3), 0x3f43u);
  snippet.set(1, [](unsigned lane) {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(1.0 + lane) >> 32);
  });
  snippet.run("MUFU.RCP64H R2, R1");
  snippet.run("MUFU.RSQ64H R3, R1");
  for (unsigned lane = 0; lane < 32; ++lane) {
    const auto high = [](double value) {
      return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32);
    };
    EXPECT_EQ(snippet.get(2, lane), high(1.0 / (1.0 + lane)));
    EXPECT_EQ(snippet.get(3, lane), high(1.0 / std::sqrt(1.0 + lane)));
  }
}

}  // namespace
}  // namespace tilescope::sass
