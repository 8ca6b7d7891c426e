#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <functional>
#include <ios>
#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/tests/float_values.hpp"
#include "profiler/execution/sass/tests/sass_snippet.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

constexpr unsigned rounds = 24;

double input_of(unsigned lane, unsigned round, unsigned reg) {
  return std::bit_cast<double>(double_bits(lane, round, reg));
}
// Into R2, R4 and R6 and the registers behind them.
void set_inputs(SassSnippet& snippet, unsigned round) {
  for (unsigned reg = 2; reg <= 6; reg += 2) {
    const int low = static_cast<int>(reg);
    snippet.set(low,
                [&](unsigned lane) { return static_cast<std::uint32_t>(double_bits(lane, round, reg)); });
    snippet.set(low + 1, [&](unsigned lane) {
      return static_cast<std::uint32_t>(double_bits(lane, round, reg) >> 32);
    });
  }
}

std::uint64_t with_mode(int mode, const std::function<double()>& operation) {
  std::fesetround(mode);
  const double value = operation();
  std::fesetround(FE_TONEAREST);
  return std::isnan(value) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(value);
}

void expect_lanes(SassSnippet& snippet, const std::string& text, std::uint32_t immediate, int mode,
                  const std::function<double(double, double, double)>& expected) {
  SCOPED_TRACE(text);
  for (unsigned round = 0; round < rounds; ++round) {
    const simt::LaneMask exec = round % 4 == 3 ? 0x5a3c0ff1u : simt::all_lanes;
    set_inputs(snippet, round);
    snippet.set(0, [](unsigned) { return 1u; });
    snippet.set(1, [](unsigned) { return 2u; });
    snippet.run(text, immediate, exec);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const double a = input_of(lane, round, 2), b = input_of(lane, round, 4), c = input_of(lane, round, 6);
      const std::uint64_t want =
          (exec >> lane & 1u) != 0 ? with_mode(mode, [&] { return expected(a, b, c); }) : 0x200000001u;
      ASSERT_EQ(snippet.get64(0, lane), want) << std::hexfloat << a << ", " << b << ", " << c;
    }
  }
}

double sum_of(double a, double b) {
  const volatile double x = a, y = b;
  return x + y;
}
double product_of(double a, double b) {
  const volatile double x = a, y = b;
  return x * y;
}

TEST(SassDouble, AddsMultipliesAndFusesInEveryRounding) {
  SassSnippet snippet(double_opcodes());
  struct Mode {
    const char* modifier;
    int mode;
  };
  for (const Mode& rounding : {Mode{"", FE_TONEAREST}, Mode{".RZ", FE_TOWARDZERO}, Mode{".RM", FE_DOWNWARD},
                               Mode{".RP", FE_UPWARD}}) {
    const std::string modifier(rounding.modifier);
    expect_lanes(snippet, "DADD" + modifier + " R0, R2, -R4", 0, rounding.mode,
                 [](double a, double b, double) { return sum_of(a, -b); });
    expect_lanes(snippet, "DMUL" + modifier + " R0, |R2|, R4", 0, rounding.mode,
                 [](double a, double b, double) { return product_of(std::fabs(a), b); });
  }
  expect_lanes(snippet, "DFMA R0, R2, R4, R6", 0, FE_TONEAREST,
               [](double a, double b, double c) { return std::fma(a, b, c); });
  expect_lanes(snippet, "DFMA R0, -R2, R4, -R6", 0, FE_TONEAREST,
               [](double a, double b, double c) { return std::fma(-a, b, -c); });
  // An immediate is the upper half of a double, whether written with a point or not.
  expect_lanes(snippet, "DFMA R0, R2, -R4, 1", 0x3ff00000, FE_TONEAREST,
               [](double a, double b, double) { return std::fma(a, -b, 1.0); });
  expect_lanes(snippet, "DMUL R0, R2, 0.5", 0x3fe00000, FE_TONEAREST,
               [](double a, double, double) { return a * 0.5; });
}

// The last bit of a directed fused sum, where the processor's library may not follow the rounding mode.
TEST(SassDouble, FusesInDirectedRounding) {
  SassSnippet snippet(double_opcodes());
  const auto set = [&](int reg, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    snippet.set(reg, [&](unsigned) { return static_cast<std::uint32_t>(bits); });
    snippet.set(reg + 1, [&](unsigned) { return static_cast<std::uint32_t>(bits >> 32); });
  };
  set(2, 1.0 + 0x1p-30);
  set(4, 1.0 + 0x1p-30);  // the product ends in 2^-60
  set(6, 0.0);
  const auto result = [&](const std::string& text) {
    snippet.run(text);
    return std::bit_cast<double>(snippet.get64(0, 11));
  };
  const double below = 1.0 + 0x1p-29, above = below + 0x1p-52;
  EXPECT_EQ(result("DFMA.RZ R0, R2, R4, R6"), below);
  EXPECT_EQ(result("DFMA.RM R0, R2, R4, R6"), below);
  EXPECT_EQ(result("DFMA.RP R0, R2, R4, R6"), above);
  EXPECT_EQ(result("DFMA.RZ R0, -R2, R4, R6"), -below);
  EXPECT_EQ(result("DFMA.RM R0, -R2, R4, R6"), -above);
  EXPECT_EQ(result("DFMA.RP R0, -R2, R4, R6"), -below);
}

TEST(SassDouble, Compares) {
  SassSnippet snippet(double_opcodes());
  struct Case {
    const char* name;
    bool (*holds)(double, double);
  };
  constexpr Case cases[] = {
      {"LT", [](double a, double b) { return a < b; }},
      {"EQ", [](double a, double b) { return a == b; }},
      {"GE", [](double a, double b) { return a >= b; }},
      {"NUM", [](double a, double b) { return a == a && b == b; }},
      {"NE", [](double a, double b) { return a < b || a > b; }},
      {"GTU", [](double a, double b) { return !(a <= b); }},
      {"NEU", [](double a, double b) { return a != b; }},
      {"LEU", [](double a, double b) { return !(a > b); }},
  };
  const simt::LaneMask predicate = 0x33ccf05au, exec = 0x7ffff0ffu, before = 0x12345678u;
  snippet.set_predicate(4, predicate);
  for (const Case& test : cases) {
    for (unsigned round = 0; round < rounds; ++round) {
      set_inputs(snippet, round);
      snippet.set_predicate(0, before);
      snippet.set_predicate(1, before);
      snippet.run("DSETP." + std::string(test.name) + ".OR P0, P1, |R2|, -R4, P4", 0, exec);
      simt::LaneMask holds = 0;
      for (unsigned lane = 0; lane < 32; ++lane) {
        const bool is_true = test.holds(std::fabs(input_of(lane, round, 2)), -input_of(lane, round, 4));
        holds |= static_cast<simt::LaneMask>(is_true ? 1 : 0) << lane;
      }
      ASSERT_EQ(snippet.get_predicate(0), ((holds | predicate) & exec) | (before & ~exec)) << test.name;
      ASSERT_EQ(snippet.get_predicate(1), ((~holds | predicate) & exec) | (before & ~exec)) << test.name;
    }
  }
}

// ptxas makes min.f64 of DSETP.MIN and selections by its two predicates.
TEST(SassDouble, ChoosesTheLesserOrTheGreater) {
  SassSnippet snippet(double_opcodes());
  for (const bool maximum : {false, true}) {
    for (unsigned round = 0; round < rounds; ++round) {
      set_inputs(snippet, round);
      snippet.run(std::string("DSETP.") + (maximum ? "MAX" : "MIN") + ".AND P0, P1, R2, R4, PT");
      for (unsigned lane = 0; lane < 32; ++lane) {
        const double a = input_of(lane, round, 2), b = input_of(lane, round, 4);
        const double chosen = (snippet.get_predicate(0) >> lane & 1u) != 0 ? a : b;
        ASSERT_EQ((snippet.get_predicate(1) >> lane & 1u) != 0, std::isnan(a) && std::isnan(b));
        if (std::isnan(a) && std::isnan(b)) continue;
        ASSERT_EQ(chosen, maximum ? std::fmax(a, b) : std::fmin(a, b)) << a << ", " << b;
        if (a == b && a == 0.0) {
          const bool is_negative =
              maximum ? std::signbit(a) && std::signbit(b) : std::signbit(a) || std::signbit(b);
          ASSERT_EQ(std::signbit(chosen), is_negative);
        }
      }
    }
  }
}

TEST(SassDouble, NamesWhatItDoesNotExecute) {
  SassSnippet snippet(double_opcodes());
  for (const char* text : {"DADD.FTZ R0, R2, R4", "DADD R0, R2, R63", "DFMA R0, R2, R4",
                           "DSETP.LT P0, PT, R2, R4, PT", "DMUL R63, R2, R4", "DADD R0, ~R2, R4"}) {
    EXPECT_THROW(snippet.run(text), Unsupported) << text;
  }
}

}  // namespace
}  // namespace tilescope::sass
