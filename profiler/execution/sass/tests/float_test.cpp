#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <functional>
#include <ios>
#include <string>
#include <vector>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/tests/float_values.hpp"
#include "profiler/execution/sass/tests/sass_snippet.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

constexpr unsigned rounds = 24;
constexpr std::uint32_t untouched = 0xdeadbeef;

float of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
// The processor's result under a rounding mode; its NaN is replaced by the GPU's.
std::uint32_t with_mode(int mode, const std::function<float()>& operation) {
  std::fesetround(mode);
  const float value = operation();
  std::fesetround(FE_TONEAREST);
  return std::isnan(value) ? 0x7fffffff : bits(value);
}
float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

// Runs an instruction of R1, R2 and R3 with result R0 on all kinds of numbers, with all lanes and with some.
void expect_lanes(SassSnippet& snippet, const std::string& text, std::uint32_t immediate,
                  const std::function<std::uint32_t(float, float, float)>& expected) {
  SCOPED_TRACE(text);
  for (unsigned round = 0; round < rounds; ++round) {
    const simt::LaneMask exec = round % 4 == 3 ? 0x5a3c0ff1u : simt::all_lanes;
    for (int reg = 1; reg <= 3; ++reg) {
      snippet.set(reg, [&](unsigned lane) { return float_bits(lane, round, static_cast<unsigned>(reg)); });
    }
    snippet.set(0, [](unsigned) { return untouched; });
    snippet.run(text, immediate, exec);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto value = [&](int reg) { return of(float_bits(lane, round, static_cast<unsigned>(reg))); };
      const std::uint32_t want =
          (exec >> lane & 1u) != 0 ? expected(value(1), value(2), value(3)) : untouched;
      ASSERT_EQ(snippet.get(0, lane), want) << "round " << round << ", lane " << lane << std::hexfloat
                                            << " of " << value(1) << ", " << value(2) << ", " << value(3);
    }
  }
}

struct RoundingCase {
  std::string_view modifier;
  int mode;
};
constexpr RoundingCase roundings[] = {
    {"", FE_TONEAREST}, {".RZ", FE_TOWARDZERO}, {".RM", FE_DOWNWARD}, {".RP", FE_UPWARD}};

// The processor's own arithmetic, kept from being moved over the change of its rounding mode.
float sum_of(float a, float b) {
  const volatile float x = a, y = b;
  return x + y;
}
float product_of(float a, float b) {
  const volatile float x = a, y = b;
  return x * y;
}

std::uint32_t finished(std::uint32_t result, bool flush, bool saturate) {
  float value = of(result);
  if (saturate) value = std::isnan(value) ? 0.0f : std::fmin(std::fmax(value, 0.0f), 1.0f);
  if (saturate && value == 0.0f) value = 0.0f;
  return bits(flush ? flushed(value) : value);
}

TEST(SassFloat, AddsMultipliesAndFusesInEveryRounding) {
  SassSnippet snippet(float_opcodes());
  for (const RoundingCase& rounding : roundings) {
    for (const bool flush : {false, true}) {
      for (const bool saturate : {false, true}) {
        const std::string modifiers =
            std::string(flush ? ".FTZ" : "") + std::string(rounding.modifier) + (saturate ? ".SAT" : "");
        const auto in = [&](float value) { return flush ? flushed(value) : value; };
        const auto out = [&](const std::function<float()>& operation) {
          return finished(with_mode(rounding.mode, operation), flush, saturate);
        };
        expect_lanes(snippet, "FADD" + modifiers + " R0, R1, R2", 0,
                     [&](float a, float b, float) { return out([&] { return sum_of(in(a), in(b)); }); });
        expect_lanes(snippet, "FADD" + modifiers + " R0, -|R1|, -R2", 0, [&](float a, float b, float) {
          return out([&] { return sum_of(-std::fabs(in(a)), -in(b)); });
        });
        expect_lanes(snippet, "FMUL" + modifiers + " R0, R1, -R2", 0,
                     [&](float a, float b, float) { return out([&] { return product_of(in(a), -in(b)); }); });
        expect_lanes(snippet, "FFMA" + modifiers + " R0, R1, R2, R3", 0, [&](float a, float b, float c) {
          return out([&] { return std::fma(in(a), in(b), in(c)); });
        });
        expect_lanes(snippet, "FFMA" + modifiers + " R0, -R1, |R2|, -R3", 0, [&](float a, float b, float c) {
          return out([&] { return std::fma(-in(a), std::fabs(in(b)), -in(c)); });
        });
      }
    }
  }
}

// ptxas makes it of x * 0.5f * 0.5f.
TEST(SassFloat, HalvesAProduct) {
  SassSnippet snippet(float_opcodes());
  expect_lanes(snippet, "FMUL.D2 R0, R1, 0.5", bits(0.5f), [](float a, float, float) {
    return with_mode(FE_TONEAREST, [&] { return static_cast<float>(double{a} * 0.25); });
  });
  expect_lanes(snippet, "FMUL.FTZ.D2 R0, R1, -R2", 0, [](float a, float b, float) {
    return with_mode(FE_TONEAREST, [&] {
      return flushed(static_cast<float>(double{flushed(a)} * -double{flushed(b)} * 0.5));
    });
  });
}

TEST(SassFloat, ReadsImmediatesFromTheWord) {
  SassSnippet snippet(float_opcodes());
  expect_lanes(snippet, "FMUL R0, R1, 0.5", bits(0.5f),
               [](float a, float, float) { return with_mode(FE_TONEAREST, [&] { return a * 0.5f; }); });
  // nvdisasm writes whole numbers without a point.
  expect_lanes(snippet, "FADD R0, R1, 1", bits(1.0f),
               [](float a, float, float) { return with_mode(FE_TONEAREST, [&] { return a + 1.0f; }); });
  expect_lanes(snippet, "FADD R0, R1, -126", bits(-126.0f),
               [](float a, float, float) { return with_mode(FE_TONEAREST, [&] { return a - 126.0f; }); });
  expect_lanes(snippet, "FFMA R0, R1, 1.5, -RZ", bits(1.5f), [](float a, float, float) {
    return with_mode(FE_TONEAREST, [&] { return std::fma(a, 1.5f, -0.0f); });
  });
  expect_lanes(snippet, "FADD R0, R1, +INF ", 0x7f800000,
               [](float a, float, float) { return with_mode(FE_TONEAREST, [&] { return a + INFINITY; }); });
}

std::uint32_t extremum(float a, float b, bool maximum, bool keep_nan, bool flush, bool xor_sign) {
  if (flush) a = flushed(a), b = flushed(b);
  const bool is_negative = std::signbit(a) != std::signbit(b);
  if (xor_sign) a = std::fabs(a), b = std::fabs(b);
  if (std::isnan(a) && std::isnan(b)) return 0x7fffffff;
  if (keep_nan && (std::isnan(a) || std::isnan(b))) return 0x7fffffff;
  float chosen = std::isnan(a) ? b : a;
  if (!std::isnan(a) && !std::isnan(b)) {
    const bool first = a == b ? std::signbit(a) != maximum : (a > b) == maximum;
    chosen = first ? a : b;
  }
  return bits(xor_sign ? std::copysign(chosen, is_negative ? -1.0f : 1.0f) : chosen);
}

TEST(SassFloat, ChoosesTheLesserOrTheGreater) {
  SassSnippet snippet(float_opcodes());
  for (const bool keep_nan : {false, true}) {
    for (const bool flush : {false, true}) {
      for (const bool xor_sign : {false, true}) {
        const std::string name = std::string("FMNMX") + (flush ? ".FTZ" : "") + (keep_nan ? ".NAN" : "") +
                                 (xor_sign ? ".XORSIGN" : "");
        const std::string sources = xor_sign ? " R0, |R1|, |R2|, " : " R0, R1, R2, ";
        for (const bool maximum : {false, true}) {
          expect_lanes(snippet, name + sources + (maximum ? "!PT" : "PT"), 0, [&](float a, float b, float) {
            return extremum(a, b, maximum, keep_nan, flush, xor_sign);
          });
        }
        if (xor_sign) continue;
        expect_lanes(snippet, name + " R0, -R1, |R2|, !PT", 0, [&](float a, float b, float) {
          return extremum(-a, std::fabs(b), true, keep_nan, flush, false);
        });
      }
    }
  }
  EXPECT_THROW(snippet.run("FMNMX.XORSIGN R0, R1, |R2|, PT"), Unsupported);
}

TEST(SassFloat, ChoosesByAPredicate) {
  SassSnippet snippet(float_opcodes());
  const simt::LaneMask predicate = 0x0ff0a5c3u;
  snippet.set_predicate(2, predicate);
  for (const bool is_not : {false, true}) {
    const std::string guard = is_not ? "!P2" : "P2";
    snippet.set(1, [](unsigned lane) { return bits(static_cast<float>(lane) - 10.0f); });
    snippet.set(2, [](unsigned lane) { return bits(4.0f - static_cast<float>(lane)); });
    snippet.run("FMNMX R3, R1, R2, " + guard);
    snippet.run("FSEL R4, R1, -R2, " + guard);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const bool is_true = ((predicate >> lane & 1u) != 0) != is_not;
      const float a = static_cast<float>(lane) - 10.0f, b = 4.0f - static_cast<float>(lane);
      EXPECT_EQ(snippet.get_float(3, lane), is_true ? std::fmin(a, b) : std::fmax(a, b));
      EXPECT_EQ(snippet.get_float(4, lane), is_true ? a : -b);
    }
  }
  expect_lanes(snippet, "FSEL R0, |R1|, R2, PT", 0,
               [](float a, float, float) { return bits(a) & 0x7fffffffu; });
  expect_lanes(snippet, "FSEL R0, R1, +INF , !PT", 0x7f800000,
               [](float, float, float) { return 0x7f800000u; });
}

struct CompareCase {
  std::string_view name;
  bool (*holds)(float, float);
};
constexpr CompareCase compares[] = {
    {"LT", [](float a, float b) { return a < b; }},
    {"EQ", [](float a, float b) { return a == b; }},
    {"LE", [](float a, float b) { return a <= b; }},
    {"GT", [](float a, float b) { return a > b; }},
    {"NE", [](float a, float b) { return a < b || a > b; }},
    {"GE", [](float a, float b) { return a >= b; }},
    {"NUM", [](float a, float b) { return !std::isunordered(a, b); }},
    {"NAN", [](float a, float b) { return std::isunordered(a, b); }},
    {"LTU", [](float a, float b) { return !(a >= b); }},
    {"EQU", [](float a, float b) { return !(a < b || a > b); }},
    {"LEU", [](float a, float b) { return !(a > b); }},
    {"GTU", [](float a, float b) { return !(a <= b); }},
    {"NEU", [](float a, float b) { return a != b; }},
    {"GEU", [](float a, float b) { return !(a < b); }},
};

simt::LaneMask mask_of(unsigned round, const std::function<bool(float, float)>& holds) {
  simt::LaneMask mask = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const float a = of(float_bits(lane, round, 1)), b = of(float_bits(lane, round, 2));
    mask |= static_cast<simt::LaneMask>(holds(a, b) ? 1 : 0) << lane;
  }
  return mask;
}

TEST(SassFloat, ComparesIntoPredicates) {
  SassSnippet snippet(float_opcodes());
  const simt::LaneMask predicate = 0x33ccf05au, exec = 0x7ffff0ffu, before = 0x12345678u;
  for (const CompareCase& compare : compares) {
    for (unsigned round = 0; round < rounds; ++round) {
      snippet.set(1, [&](unsigned lane) { return float_bits(lane, round, 1); });
      snippet.set(2, [&](unsigned lane) { return float_bits(lane, round, 2); });
      snippet.set_predicate(4, predicate);
      const auto run = [&](const std::string& modifiers, const std::string& operands) {
        snippet.set_predicate(0, before);
        snippet.set_predicate(1, before);
        snippet.run("FSETP." + std::string(compare.name) + modifiers + operands, 0, exec);
      };
      const auto active = [&](simt::LaneMask mask) { return (mask & exec) | (before & ~exec); };
      const simt::LaneMask plain = mask_of(round, compare.holds);
      run(".AND", " P0, PT, R1, R2, PT");
      ASSERT_EQ(snippet.get_predicate(0), active(plain)) << compare.name << " in round " << round;
      run(".AND", " P0, P1, R1, R2, P4");
      ASSERT_EQ(snippet.get_predicate(0), active(plain & predicate)) << compare.name;
      ASSERT_EQ(snippet.get_predicate(1), active(~plain & predicate)) << compare.name;
      run(".OR", " P0, P1, R1, R2, !P4");
      ASSERT_EQ(snippet.get_predicate(0), active(plain | ~predicate)) << compare.name;
      ASSERT_EQ(snippet.get_predicate(1), active(~plain | ~predicate)) << compare.name;
      run(".FTZ.XOR", " P0, PT, |R1|, -R2, P4");
      const simt::LaneMask changed =
          mask_of(round, [&](float a, float b) { return compare.holds(std::fabs(flushed(a)), -flushed(b)); });
      ASSERT_EQ(snippet.get_predicate(0), active(changed ^ predicate)) << compare.name;
    }
  }
}

TEST(SassFloat, ComparesIntoRegisters) {
  SassSnippet snippet(float_opcodes());
  for (const CompareCase& compare : compares) {
    const std::string name(compare.name);
    expect_lanes(snippet, "FSET.BF." + name + ".AND R0, R1, R2, PT", 0,
                 [&](float a, float b, float) { return compare.holds(a, b) ? bits(1.0f) : 0; });
    expect_lanes(snippet, "FSET." + name + ".FTZ.AND R0, -R1, R2, PT", 0, [&](float a, float b, float) {
      return compare.holds(-flushed(a), flushed(b)) ? 0xffffffffu : 0;
    });
  }
}

TEST(SassFloat, NamesWhatItDoesNotExecute) {
  SassSnippet snippet(float_opcodes());
  for (const char* text : {"FADD.WRONG R0, R1, R2", "FADD R0, R1, ~R2", "FADD R0, R1.H0_H0, R2",
                           "FADD R0, R1, R2, R3", "MUFU.WRONG R0, R1", "FSETP.WRONG.AND P0, PT, R1, R2, PT",
                           "FSETP.LT P0, PT, R1, R2, PT", "FFMA R0, R1, R2"}) {
    EXPECT_THROW(snippet.run(text), Unsupported) << text;
  }
}

}  // namespace
}  // namespace tilescope::sass
