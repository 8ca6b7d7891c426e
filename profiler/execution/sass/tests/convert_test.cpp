#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <functional>
#include <ios>
#include <limits>
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

float of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
std::uint32_t bits(float value) {
  return std::isnan(value) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(value);
}

// Expects `expected` of R1 (and R2) as the result in R0, in all lanes and in some.
void expect_lanes(SassSnippet& snippet, const std::string& text,
                  const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& expected) {
  SCOPED_TRACE(text);
  for (unsigned round = 0; round < rounds; ++round) {
    const simt::LaneMask exec = round % 4 == 3 ? 0x5a3c0ff1u : simt::all_lanes;
    snippet.set(1, [&](unsigned lane) { return float_bits(lane, round, 1); });
    snippet.set(2, [&](unsigned lane) { return float_bits(lane, round, 2); });
    snippet.set(3, [&](unsigned lane) { return float_bits(lane, round, 3); });
    snippet.set(0, [](unsigned) { return untouched; });
    snippet.run(text, 0, exec);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const std::uint32_t a = float_bits(lane, round, 1), b = float_bits(lane, round, 2);
      ASSERT_EQ(snippet.get(0, lane), (exec >> lane & 1u) != 0 ? expected(a, b) : untouched)
          << std::hex << snippet.get(0, lane) << " of " << a << ", " << b;
    }
  }
}

struct IntegralRounding {
  const char* modifier;
  double (*round)(double);
};
constexpr IntegralRounding integral_roundings[] = {
    {"", [](double a) { return std::nearbyint(a); }},
    {".TRUNC", [](double a) { return std::trunc(a); }},
    {".FLOOR", [](double a) { return std::floor(a); }},
    {".CEIL", [](double a) { return std::ceil(a); }},
};
double flushed(double value) {
  return std::fabs(value) < 0x1p-126 ? std::copysign(0.0, value) : value;
}

TEST(SassConvert, FloatsToIntegers) {
  SassSnippet snippet(convert_opcodes());
  struct Type {
    const char* name;
    double lowest, highest;
  };
  constexpr Type types[] = {{"", -0x1p31, 0x1p31 - 1}, {".U32", 0, 0x1p32 - 1}, {".S16", -32768, 32767},
                            {".U16", 0, 65535},        {".S8", -128, 127},      {".U8", 0, 255}};
  for (const Type& type : types) {
    for (const IntegralRounding& rounding : integral_roundings) {
      for (const bool flush : {false, true}) {
        const auto expected = [&](double value) {
          if (std::isnan(value)) return 0u;
          const double whole = rounding.round(flush ? flushed(value) : value);
          const double clamped = std::fmin(std::fmax(whole, type.lowest), type.highest);
          return static_cast<std::uint32_t>(static_cast<std::int64_t>(clamped));
        };
        const std::string start = std::string(flush ? "F2I.FTZ" : "F2I") + type.name;
        const std::string end = std::string(rounding.modifier) + ".NTZ R0, ";
        expect_lanes(snippet, start + end + "R1",
                     [&](std::uint32_t a, std::uint32_t) { return expected(of(a)); });
        expect_lanes(snippet, start + end + "-|R1|",
                     [&](std::uint32_t a, std::uint32_t) { return expected(-std::fabs(of(a))); });
        if (flush) continue;
        expect_lanes(snippet, start + ".F16" + end + "R1.H1", [&](std::uint32_t a, std::uint32_t) {
          return expected(f16_format.value(static_cast<std::uint16_t>(a >> 16)));
        });
      }
    }
  }
  snippet.set(1, [](unsigned) { return 0x7fc00000u; });
  snippet.run("F2I.TRUNC R0, R1");
  EXPECT_EQ(snippet.get(0, 0), 0x80000000u);
}

// As ptxas writes the conversion of the bits of 1.0.
TEST(SassConvert, ALongImmediateIsTheUpperHalf) {
  SassSnippet snippet(convert_opcodes());
  snippet.run("I2F.U64 R0, 0x3ff00000", 0x3ff00000);
  EXPECT_EQ(snippet.get_float(0, 5), static_cast<float>(0x3ff0'0000'0000'0000));
}

TEST(SassConvert, LongIntegersAndDoubles) {
  SassSnippet snippet(convert_opcodes());
  for (unsigned round = 0; round < rounds; ++round) {
    const auto source = [&](unsigned lane) { return double_bits(lane, round, 4); };
    snippet.set(2, [&](unsigned lane) { return static_cast<std::uint32_t>(source(lane)); });
    snippet.set(3, [&](unsigned lane) { return static_cast<std::uint32_t>(source(lane) >> 32); });
    snippet.run("F2I.S64.F64.TRUNC R4, R2");
    snippet.run("I2F.F64.S64 R6, R2");
    snippet.run("I2F.U64 R8, R2");
    snippet.run("F2F.F32.F64 R9, -R2");
    snippet.run("FRND.F64.FLOOR R10, R2", 0, 0x0000ffffu);
    snippet.run("I2F.F64.U16 R12, R2.H1");
    snippet.run("F2F.F64.F32 R14, R2");
    for (unsigned lane = 0; lane < 32; ++lane) {
      const double value = std::bit_cast<double>(source(lane));
      std::int64_t whole = std::numeric_limits<std::int64_t>::min();
      if (value >= 0x1p63) {
        whole = std::numeric_limits<std::int64_t>::max();
      } else if (value > -0x1p63) {
        whole = static_cast<std::int64_t>(value);
      }
      ASSERT_EQ(snippet.get64(4, lane), static_cast<std::uint64_t>(whole)) << value;
      const auto as_signed = static_cast<double>(static_cast<std::int64_t>(source(lane)));
      ASSERT_EQ(snippet.get64(6, lane), std::bit_cast<std::uint64_t>(as_signed));
      ASSERT_EQ(snippet.get(8, lane), bits(static_cast<float>(source(lane))));
      // The sign and the upper bits of a NaN stay.
      const auto negated = static_cast<std::uint64_t>(source(lane)) ^ std::uint64_t{1} << 63;
      const auto narrowed = static_cast<float>(std::bit_cast<double>(negated));
      ASSERT_EQ(snippet.get(9, lane), std::bit_cast<std::uint32_t>(narrowed));
      if (lane < 16 && !std::isnan(value)) {
        ASSERT_EQ(snippet.get64(10, lane), std::bit_cast<std::uint64_t>(std::floor(value)));
      }
      const double of_half = static_cast<double>(source(lane) >> 16 & 0xffffu);
      ASSERT_EQ(snippet.get64(12, lane), std::bit_cast<std::uint64_t>(of_half));
      const float low = of(static_cast<std::uint32_t>(source(lane)));
      if (!std::isnan(low)) {
        ASSERT_EQ(snippet.get64(14, lane), std::bit_cast<std::uint64_t>(double{low}));
      }
    }
  }
}

TEST(SassConvert, IntegersToFloats) {
  SassSnippet snippet(convert_opcodes());
  struct Mode {
    const char* modifier;
    int mode;
  };
  for (const Mode& rounding : {Mode{"", FE_TONEAREST}, Mode{".RZ", FE_TOWARDZERO}, Mode{".RM", FE_DOWNWARD},
                               Mode{".RP", FE_UPWARD}}) {
    const auto expected = [&](std::int64_t value) {
      const volatile std::int64_t source = value;
      std::fesetround(rounding.mode);
      const volatile float result = static_cast<float>(source);
      std::fesetround(FE_TONEAREST);
      return bits(result);
    };
    const std::string end = std::string(rounding.modifier) + " R0, R1";
    for (const std::string name : {"I2F", "I2FP.F32.S32"}) {
      expect_lanes(snippet, name + end,
                   [&](std::uint32_t a, std::uint32_t) { return expected(static_cast<std::int32_t>(a)); });
    }
    for (const std::string name : {"I2F.U32", "I2FP.F32.U32"})
      expect_lanes(snippet, name + end, [&](std::uint32_t a, std::uint32_t) { return expected(a); });
    expect_lanes(snippet, "I2F.S16" + end + ".H1", [&](std::uint32_t a, std::uint32_t) {
      return expected(static_cast<std::int16_t>(a >> 16));
    });
    expect_lanes(snippet, "I2F.U8" + end + ".B2",
                 [&](std::uint32_t a, std::uint32_t) { return expected(a >> 16 & 0xffu); });
    expect_lanes(snippet, "I2F.S8" + end,
                 [&](std::uint32_t a, std::uint32_t) { return expected(static_cast<std::int8_t>(a)); });
  }
  expect_lanes(snippet, "I2F.F16 R0, R1", [](std::uint32_t a, std::uint32_t) {
    return std::uint32_t{f16_format.rounded(static_cast<std::int32_t>(a))};
  });
}

TEST(SassConvert, RoundsToIntegralFloats) {
  SassSnippet snippet(convert_opcodes());
  for (const IntegralRounding& rounding : integral_roundings) {
    const std::string modifier(rounding.modifier);
    expect_lanes(snippet, "FRND" + modifier + " R0, R1", [&](std::uint32_t a, std::uint32_t) {
      return bits(static_cast<float>(rounding.round(of(a))));
    });
    expect_lanes(snippet, "FRND.FTZ" + modifier + " R0, R1", [&](std::uint32_t a, std::uint32_t) {
      return bits(static_cast<float>(rounding.round(flushed(of(a)))));
    });
    expect_lanes(snippet, "FRND.F16" + modifier + " R0, R1.H1", [&](std::uint32_t a, std::uint32_t) {
      const double value = f16_format.value(static_cast<std::uint16_t>(a >> 16));
      return std::uint32_t{f16_format.rounded(rounding.round(value))};
    });
  }
}

TEST(SassConvert, PacksFloats) {
  SassSnippet snippet(convert_opcodes());
  const auto pair = [](const HalfFormat& format, float a, float b, bool relu) {
    return std::uint32_t{format.finished(a, false, relu)} << 16 | format.finished(b, false, relu);
  };
  for (const std::string name : {"F2FP.F16.F32.PACK_AB", "F2FP.PACK_AB"}) {
    expect_lanes(snippet, name + " R0, R1, R2",
                 [&](std::uint32_t a, std::uint32_t b) { return pair(f16_format, of(a), of(b), false); });
  }
  expect_lanes(snippet, "F2FP.RELU.BF16.PACK_AB R0, R1, R2",
               [&](std::uint32_t a, std::uint32_t b) { return pair(bf16_format, of(a), of(b), true); });
  expect_lanes(snippet, "F2FP.BF16.F32.PACK_AB R0, RZ, R2",
               [&](std::uint32_t, std::uint32_t b) { return pair(bf16_format, 0.0f, of(b), false); });
  expect_lanes(snippet, "F2FP.SATFINITE.F16.F32.PACK_AB R0, R1, R2", [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t plain = pair(f16_format, of(a), of(b), false);
    const auto finite = [](std::uint32_t half) { return (half & 0x7fffu) == 0x7c00u ? half - 1 : half; };
    return finite(plain >> 16) << 16 | finite(plain & 0xffffu);
  });
  expect_lanes(snippet, "F2FP.RELU.F16.F32.MERGE_C R0, R1, RZ", [&](std::uint32_t a, std::uint32_t) {
    return std::uint32_t{f16_format.finished(of(a), false, true)};
  });
  expect_lanes(snippet, "F2FP.TF32.F32.PACK_B.RZ R0, R1", [](std::uint32_t a, std::uint32_t) {
    return std::isnan(of(a)) ? 0x7fffe000u : a & 0xffffe000u;
  });
  EXPECT_THROW(snippet.run("F2FP.F16.F32.MERGE_C R0, R1, R2"), Unsupported);
  EXPECT_THROW(snippet.run("F2FP.F16.F32.PACK_AB R0, R1, -R2"), Unsupported);
}

TEST(SassConvert, PacksAndUnpacksBytesOfFloats) {
  SassSnippet snippet(convert_opcodes());
  snippet.set(1, [](unsigned) { return bits(1.0f); });
  snippet.set(2, [](unsigned) { return bits(-1000.0f); });
  snippet.set(3, [](unsigned) { return 0xaaaa5566u; });
  snippet.run("F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R0, R1, R2, R3");
  EXPECT_EQ(snippet.get(0, 9), 0x556638feu);  // 1 and -448, below the lower half of R3
  snippet.run("F2FP.SATFINITE.RELU.E5M2.F32.PACK_AB_MERGE_C R0, R1, R2, RZ");
  EXPECT_EQ(snippet.get(0, 9), 0x3c00u);
  snippet.set(1, [](unsigned) { return 0x3c38c0feu; });
  snippet.run("F2FP.F16.E4M3.UNPACK_B R4, R1");
  snippet.run("F2FP.RELU.F16.E4M3.UNPACK_B R5, R1");
  snippet.run("F2FP.F16.E5M2.UNPACK_B R6, R1.H1");
  EXPECT_EQ(snippet.get(4, 9), 0xc000df00u);  // -2 and -448
  EXPECT_EQ(snippet.get(5, 9), 0u);
  EXPECT_EQ(snippet.get(6, 9), 0x3c003800u);  // 1 and 0.5
  snippet.run("F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C R7, R4, R3");
  EXPECT_EQ(snippet.get(7, 9), 0x5566c0feu);
}

TEST(SassConvert, PacksIntegers) {
  SassSnippet snippet(convert_opcodes());
  const auto clamp = [](std::uint32_t value, std::int32_t lowest, std::int32_t highest) {
    return static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(value), lowest, highest));
  };
  expect_lanes(snippet, "I2IP.S16.S32.SAT R0, R1, R2, RZ", [&](std::uint32_t a, std::uint32_t b) {
    return clamp(a, -32768, 32767) << 16 | (clamp(b, -32768, 32767) & 0xffffu);
  });
  snippet.set(1, [](unsigned lane) { return lane * 40u - 300u; });
  snippet.set(2, [](unsigned lane) { return 5u - lane; });
  snippet.set(3, [](unsigned) { return 0x89abcdefu; });
  snippet.run("I2IP.U8.S32.SAT R4, R1, R2, R3");
  snippet.run("I2IP.S4.S32.SAT R5, R1, R2, R3.24");
  snippet.run("I2IP.U2.S32.SAT R6, R1, R2, R3.28");
  snippet.run("I2I.S8.S32.SAT R7, R1");
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint32_t a = lane * 40u - 300u, b = 5u - lane;
    EXPECT_EQ(snippet.get(4, lane), 0xcdef0000u | clamp(a, 0, 255) << 8 | clamp(b, 0, 255));
    EXPECT_EQ(snippet.get(5, lane), 0xabcdef00u | (clamp(a, -8, 7) & 15u) << 4 | (clamp(b, -8, 7) & 15u));
    EXPECT_EQ(snippet.get(6, lane), 0x9abcdef0u | clamp(a, 0, 3) << 2 | clamp(b, 0, 3));
    EXPECT_EQ(snippet.get(7, lane), clamp(a, -128, 127));
  }
  EXPECT_THROW(snippet.run("I2IP.S4.S32.SAT R5, R1, R2, R3.28"), Unsupported);
  snippet.set(1, [](unsigned) { return bits(300.5f); });
  snippet.set(2, [](unsigned) { return bits(2.5f); });
  snippet.run("F2IP.U8.F32.NTZ R0, R1, R2, RZ");
  EXPECT_EQ(snippet.get(0, 0), 0xff02u);
}

TEST(SassConvert, NamesWhatItDoesNotExecute) {
  SassSnippet snippet(convert_opcodes());
  for (const char* text : {"F2F.F16 R0, R1", "F2I.WRONG R0, R1", "I2F -R0, R1", "I2F R0, -R1",
                           "I2F.U8 R0, R1.B4", "F2FP.F16.F32 R0, R1, R2", "I2I.S8.S32.SAT.WRONG R0, R1"}) {
    EXPECT_THROW(snippet.run(text), Unsupported) << text;
  }
}

}  // namespace
}  // namespace tilescope::sass
