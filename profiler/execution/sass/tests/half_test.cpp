#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ios>
#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/tests/float_values.hpp"
#include "profiler/execution/sass/tests/half_model.hpp"
#include "profiler/execution/sass/tests/sass_snippet.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

constexpr unsigned rounds = 24;
constexpr std::uint32_t untouched = 0xdeadbeef;

std::uint32_t input_of(unsigned lane, unsigned round, unsigned reg) {
  return half_pair_bits(lane, round, reg);
}
void set_inputs(SassSnippet& snippet, unsigned round) {
  for (unsigned reg = 1; reg <= 3; ++reg) {
    snippet.set(static_cast<int>(reg), [&](unsigned lane) { return input_of(lane, round, reg); });
  }
}

// `expected` of one half: of the codes in R1, R2 and R3 at the same place, 0 lower and 1 upper.
using Expected = std::function<std::uint16_t(std::uint16_t, std::uint16_t, std::uint16_t)>;
void expect_halves(SassSnippet& snippet, const std::string& text, std::uint32_t immediate,
                   const Expected& expected) {
  SCOPED_TRACE(text);
  for (unsigned round = 0; round < rounds; ++round) {
    const simt::LaneMask exec = round % 4 == 3 ? 0x5a3c0ff1u : simt::all_lanes;
    set_inputs(snippet, round);
    snippet.set(0, [](unsigned) { return untouched; });
    snippet.run(text, immediate, exec);
    for (unsigned lane = 0; lane < 32; ++lane) {
      std::uint32_t want = untouched;
      if ((exec >> lane & 1u) != 0) {
        const auto half = [&](unsigned reg, int place) {
          return static_cast<std::uint16_t>(input_of(lane, round, reg) >> (16 * place));
        };
        want = expected(half(1, 0), half(2, 0), half(3, 0)) |
               std::uint32_t{expected(half(1, 1), half(2, 1), half(3, 1))} << 16;
      }
      ASSERT_EQ(snippet.get(0, lane), want)
          << std::hex << snippet.get(0, lane) << " instead of " << want << ", of " << input_of(lane, round, 1)
          << ", " << input_of(lane, round, 2) << ", " << input_of(lane, round, 3);
    }
  }
}

struct FormatCase {
  HalfFormat format;
  std::string name;
};
const FormatCase formats[] = {{f16_format, ""}, {bf16_format, ".BF16_V2"}};

// A sum whose 113 bits lost the smaller term is moved off a tie toward it.
HalfFormat::Quad exact_sum(HalfFormat::Quad a, HalfFormat::Quad b) {
  const HalfFormat::Quad sum = a + b;
  const HalfFormat::Quad lost = sum == a ? b : sum == b ? a : 0;
  if (lost == 0 || std::isinf(static_cast<double>(sum))) return sum;
  const double nudge = std::ldexp(1.0, -100);
  return (lost > 0) == (sum > 0) ? sum * (1 + HalfFormat::Quad{nudge}) : sum * (1 - HalfFormat::Quad{nudge});
}

TEST(SassHalf, AddsMultipliesAndFuses) {
  SassSnippet snippet(half_opcodes());
  for (const FormatCase& test : formats) {
    const HalfFormat& format = test.format;
    for (const bool flush : {false, true}) {
      for (const std::string finish : {"", ".SAT", ".RELU"}) {
        const std::string modifiers = test.name + (flush ? ".FTZ" : "") + finish;
        const auto in = [&](std::uint16_t code) { return format.value(flush ? format.flushed(code) : code); };
        const auto out = [&](HalfFormat::Quad exact) {
          const std::uint16_t code = format.finished(exact, finish == ".SAT", finish == ".RELU");
          return flush ? format.flushed(code) : code;
        };
        const auto fused = [&](std::uint16_t a, std::uint16_t b, std::uint16_t c) {
          return out(exact_sum(HalfFormat::Quad{in(a)} * in(b), HalfFormat::Quad{in(c)}));
        };
        expect_halves(snippet, "HFMA2" + modifiers + " R0, R1, R2, R3", 0, fused);
        expect_halves(snippet, "HFMA2.MMA" + modifiers + " R0, -R1, |R2|, -R3", 0,
                      [&](std::uint16_t a, std::uint16_t b, std::uint16_t c) {
                        return fused(static_cast<std::uint16_t>(a ^ 0x8000u), b & 0x7fffu,
                                     static_cast<std::uint16_t>(c ^ 0x8000u));
                      });
        if (finish == ".RELU") continue;
        expect_halves(snippet, "HADD2" + modifiers + " R0, R1, R2", 0,
                      [&](std::uint16_t a, std::uint16_t b, std::uint16_t) {
                        return out(HalfFormat::Quad{in(a)} + in(b));
                      });
        expect_halves(snippet, "HMUL2" + modifiers + " R0, R1, -R2", 0,
                      [&](std::uint16_t a, std::uint16_t b, std::uint16_t) {
                        return out(HalfFormat::Quad{in(a)} * -in(b));
                      });
      }
    }
  }
}

TEST(SassHalf, ReadsTheHalvesThatSelectorsName) {
  SassSnippet snippet(half_opcodes());
  const std::uint32_t a = 0x40003c00u, b = 0x44004200u;  // 2 and 1, 4 and 3
  snippet.set(1, [&](unsigned) { return a; });
  snippet.set(2, [&](unsigned) { return b; });
  struct Case {
    const char* sources;
    std::uint32_t sum;
  };
  const Case cases[] = {
      {"R1, R2", 0x46004400},                    // 2 + 4, 1 + 3
      {"R1.H0_H0, R2", 0x45004400},              // 1 + 4, 1 + 3
      {"R1.H1_H1, R2.H0_H0", 0x45004500},        // 2 + 3
      {"R1.H1_H0, R2.H1_H1", 0x46004500},        // 2 + 4, 1 + 4
      {"-R1.H1_H1, |R2|.H1_H1", 0x40004000},     // -2 + 4
      {"R1.reuse.H1_H1, R2.H1_H1", 0x46004600},  // 2 + 4
  };
  for (const Case& test : cases) {
    snippet.run(std::string("HADD2 R0, ") + test.sources);
    EXPECT_EQ(snippet.get(0, 7), test.sum) << test.sources << std::hex << ' ' << snippet.get(0, 7);
  }
  EXPECT_THROW(snippet.run("HADD2 R0, R1.H2_H2, R2"), Unsupported);
}

TEST(SassHalf, ReadsTwoImmediates) {
  SassSnippet snippet(half_opcodes());
  snippet.set(1, [](unsigned) { return 0x40003c00u; });
  snippet.run("HFMA2 R0, R1, 1, 0.5, R1", 0x3c003800);
  EXPECT_EQ(snippet.get(0, 0), 0x44003e00u);  // 2 * 1 + 2, 1 * 0.5 + 1
  for (const std::uint32_t constant : {0u, 0x80000000u, 0x00018001u, 0x3c00fc00u, 0x12345678u}) {
    snippet.set(0, [](unsigned) { return untouched; });
    snippet.run("HFMA2.MMA R0, -RZ, RZ, 0, 0", constant, 0x0000ffffu);
    EXPECT_EQ(snippet.get(0, 3), constant);
    EXPECT_EQ(snippet.get(0, 20), untouched);
  }
  snippet.run("HFMA2.MMA R0, -RZ, RZ, +QNAN, 0", 0x7e000000);
  EXPECT_EQ(snippet.get(0, 3), 0x7fff0000u);
}

TEST(SassHalf, ConvertsOneHalfToASingle) {
  SassSnippet snippet(half_opcodes());
  for (unsigned round = 0; round < rounds; ++round) {
    set_inputs(snippet, round);
    snippet.set(0, [](unsigned) { return untouched; });
    snippet.run("HADD2.F32 R4, -RZ, R1.H0_H0");
    snippet.run("HADD2.F32 R5, -RZ, -R1.H1_H1");
    snippet.run("HADD2.F32 R0, -RZ, |R1|.H1_H1", 0, 0x00ff00ffu);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const std::uint32_t pair = input_of(lane, round, 1);
      const auto bits = [](float value) {
        return std::isnan(value) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(value);
      };
      const float low = static_cast<float>(f16_format.value(static_cast<std::uint16_t>(pair)));
      const float high = static_cast<float>(f16_format.value(static_cast<std::uint16_t>(pair >> 16)));
      ASSERT_EQ(snippet.get(4, lane), bits(low));
      ASSERT_EQ(snippet.get(5, lane), bits(-high));
      ASSERT_EQ(snippet.get(0, lane), (0x00ff00ffu >> lane & 1u) != 0 ? bits(std::fabs(high)) : untouched);
    }
  }
  EXPECT_THROW(snippet.run("HADD2.F32 R4, -R2, R1.H0_H0"), Unsupported);
  EXPECT_THROW(snippet.run("HADD2.F32 R4, -RZ, R1"), Unsupported);
}

std::uint16_t extremum(const HalfFormat& format, std::uint16_t a, std::uint16_t b, bool maximum,
                       bool keep_nan) {
  const double x = format.value(a), y = format.value(b);
  if (std::isnan(x) && std::isnan(y)) return 0x7fff;
  if (std::isnan(x) || std::isnan(y)) return keep_nan ? 0x7fff : std::isnan(x) ? b : a;
  if (x == y) return (a >> 15 != 0) == maximum ? b : a;
  return (x > y) == maximum ? a : b;
}

TEST(SassHalf, ChoosesTheLesserOrTheGreater) {
  SassSnippet snippet(half_opcodes());
  for (const FormatCase& test : formats) {
    const HalfFormat& format = test.format;
    for (const bool keep_nan : {false, true}) {
      const std::string name = "HMNMX2" + test.name + (keep_nan ? ".NAN" : "");
      for (const bool maximum : {false, true}) {
        const std::string predicate = maximum ? "!PT" : "PT";
        expect_halves(snippet, name + " R0, R1, -R2, " + predicate, 0,
                      [&](std::uint16_t a, std::uint16_t b, std::uint16_t) {
                        return extremum(format, a, static_cast<std::uint16_t>(b ^ 0x8000u), maximum,
                                        keep_nan);
                      });
        expect_halves(snippet, name + ".XORSIGN R0, |R1|, |R2|, " + predicate, 0,
                      [&](std::uint16_t a, std::uint16_t b, std::uint16_t) {
                        const std::uint16_t size =
                            extremum(format, a & 0x7fffu, b & 0x7fffu, maximum, keep_nan);
                        if (std::isnan(format.value(size))) return size;
                        return static_cast<std::uint16_t>(size | ((a ^ b) & 0x8000u));
                      });
      }
    }
  }
  snippet.set(1, [](unsigned) { return 0x3c004000u; });
  snippet.set(2, [](unsigned) { return 0x40003c00u; });
  snippet.set_predicate(3, 0x0000ffffu);
  snippet.run("HMNMX2 R1, R1, R2, !P3");  // the result replaces a source
  EXPECT_EQ(snippet.get(1, 3), 0x40004000u);
  EXPECT_EQ(snippet.get(1, 20), 0x3c003c00u);
}

struct CompareCase {
  const char* name;
  bool (*holds)(double, double);
};
constexpr CompareCase compares[] = {
    {"LT", [](double a, double b) { return a < b; }},
    {"LE", [](double a, double b) { return a <= b; }},
    {"GT", [](double a, double b) { return a > b; }},
    {"NE", [](double a, double b) { return a < b || a > b; }},
    {"NAN", [](double a, double b) { return std::isunordered(a, b); }},
    {"EQU", [](double a, double b) { return !(a < b || a > b); }},
    {"GEU", [](double a, double b) { return !(a < b); }},
    {"NEU", [](double a, double b) { return a != b; }},
};

TEST(SassHalf, ComparesIntoRegistersAndPredicates) {
  SassSnippet snippet(half_opcodes());
  for (const FormatCase& test : formats) {
    for (const CompareCase& compare : compares) {
      const std::string name(compare.name);
      const auto holds = [&](std::uint16_t a, std::uint16_t b) {
        return compare.holds(test.format.value(a), test.format.value(b));
      };
      expect_halves(snippet, "HSET2" + test.name + ".BF." + name + ".AND R0, R1, R2, PT", 0,
                    [&](std::uint16_t a, std::uint16_t b, std::uint16_t) {
                      return holds(a, b) ? test.format.one : std::uint16_t{0};
                    });
      expect_halves(snippet, "HSET2" + test.name + "." + name + ".AND R0, R1, R2, PT", 0,
                    [&](std::uint16_t a, std::uint16_t b, std::uint16_t) {
                      return static_cast<std::uint16_t>(holds(a, b) ? 0xffff : 0);
                    });
      snippet.set_predicate(4, 0x0f0ff0f0u);
      for (unsigned round = 0; round < rounds; ++round) {
        set_inputs(snippet, round);
        snippet.run("HSETP2" + test.name + "." + name + ".AND P0, P1, R1.H1_H1, R2, P4");
        for (unsigned lane = 0; lane < 32; ++lane) {
          const std::uint32_t a = input_of(lane, round, 1), b = input_of(lane, round, 2);
          const auto upper = static_cast<std::uint16_t>(a >> 16);
          const bool is_on = (0x0f0ff0f0u >> lane & 1u) != 0;
          ASSERT_EQ((snippet.get_predicate(0) >> lane & 1u) != 0,
                    is_on && holds(upper, static_cast<std::uint16_t>(b)));
          ASSERT_EQ((snippet.get_predicate(1) >> lane & 1u) != 0,
                    is_on && holds(upper, static_cast<std::uint16_t>(b >> 16)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilescope::sass
