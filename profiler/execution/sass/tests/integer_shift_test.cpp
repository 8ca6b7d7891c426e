#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "profiler/execution/sass/tests/integer_fixture.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

using namespace integer_tests;  // NOLINT(google-build-using-namespace)

class IntegerShiftTest : public IntegerTest {};

// A pair after a shift by 0 to 64, bit by bit.
U64 shifted(U64 pair, U by, bool left, bool with_sign) {
  U64 result = 0;
  for (U bit = 0; bit < 64; ++bit) {
    const S64 from = left ? S64{bit} - by : S64{bit} + by;
    bool value = with_sign && !left && pair >> 63 != 0;
    if (from < 64) value = from >= 0 && (pair >> from & 1u) != 0;
    result |= U64{value} << bit;
  }
  return result;
}

TEST_F(IntegerShiftTest, ShiftsByEveryKind) {
  for (const std::string direction : {"L", "R"}) {
    for (const std::string wrap : {"", ".W"}) {
      for (const std::string type : {"U32", "S32", "U64", "S64"}) {
        for (const std::string part : {"", ".HI"}) {
          const bool is_long = type.ends_with("64"), left = direction == "L";
          const auto model = [=](const Lane& l, U shift) {
            const U width = is_long ? 64 : 32;
            const U by = wrap.empty() ? std::min(shift, width) : shift % width;
            const U64 moved = shifted(pair(l.r[4], l.r[6]), by, left, type[0] == 'S');
            return static_cast<U>(part.empty() ? moved : moved >> 32);
          };
          const std::string opcode = "SHF." + direction + wrap + "." + type + part + " R2, R4, ";
          expect(opcode + "R5, R6", [=](const Lane& l) { return model(l, l.r[5]); });
          for (const U shift : {0u, 1u, 5u, 31u, 32u, 63u, 64u}) {
            expect(opcode + std::to_string(shift) + ", R6", [=](const Lane& l) { return model(l, shift); });
          }
        }
      }
    }
  }
  EXPECT_THROW(snippet.run("SHF.L.U16 R2, R4, 0x3, R6"), Unsupported);
  EXPECT_THROW(snippet.run("SHF.U32 R2, R4, 0x3, R6"), Unsupported);
}

// How ptxas divides by a constant: sequences of its listing for int / 7, long long / 32 and unsigned / 7.
TEST_F(IntegerShiftTest, DividesByConstants) {
  std::mt19937_64 random(8);
  for (int round = 0; round < rounds; ++round) {
    const LaneValues a = lane_values(random), high = lane_values(random);
    set(snippet, 17, a);
    set(snippet, 18, a);
    set(snippet, 19, high);
    snippet.set(16, [](unsigned) { return 0u; });
    snippet.run("IMAD.HI R29, R17, -0x6db6db6d, R16");
    snippet.run("SHF.R.U32.HI R16, RZ, 0x1f, R29");
    snippet.run("LEA.HI.SX32 R29, R29, R16, 0x1e");

    snippet.run("SHF.R.S32.HI R25, RZ, 0x1f, R19");
    snippet.run("LEA.HI R25, P0, R25, R18, RZ, 0x5");
    snippet.run("IMAD.X R2, RZ, RZ, R19, P0");
    snippet.run("SHF.R.S64 R22, R25, 0x5, R2");
    snippet.run("SHF.R.S32.HI R23, RZ, 0x5, R2");

    snippet.run("IMAD.WIDE.U32 R20, R17, 0x24924925, RZ");
    snippet.run("IMAD.IADD R28, R17, 0x1, -R21");
    snippet.run("LEA.HI R26, R28, R21, RZ, 0x1f");
    snippet.run("SHF.R.U32.HI R26, RZ, 0x2, R26");
    for (unsigned lane = 0; lane < 32; ++lane) {
      ASSERT_EQ(s(snippet.get(29, lane)), s(a[lane]) / 7);
      ASSERT_EQ(static_cast<S64>(snippet.get64(22, lane)), static_cast<S64>(pair(a[lane], high[lane])) / 32);
      ASSERT_EQ(snippet.get(26, lane), a[lane] / 7);
    }
  }
}

// Uniform registers and predicates, whatever lanes are active.
TEST_F(IntegerShiftTest, ActsOnUniformRegisters) {
  snippet.set_uniform(4, 0xffff'fff0);
  snippet.set_uniform(5, 0x20);
  snippet.run("UIADD3 UR6, UP1, UR4, UR5, URZ", 0, 0x10);
  EXPECT_EQ(snippet.decoded().flow, simt::Flow::uniform);
  EXPECT_EQ(snippet.get_uniform(6), 0x10u);
  EXPECT_EQ(snippet.get_uniform_predicate(1), simt::all_lanes);
  snippet.run("UIADD3.X UR7, URZ, UR5, URZ, UP1, !UPT");
  EXPECT_EQ(snippet.get_uniform(7), 0x21u);
  snippet.run("UIADD3 UR8, UR6, 0x4, -UR5");
  EXPECT_EQ(snippet.get_uniform(8), 0x10u + 4 - 0x20);
  snippet.run("UIMAD UR8, UR4, -0x30, UR5");
  EXPECT_EQ(snippet.get_uniform(8), 0x10u * 0x30 + 0x20);
  snippet.run("UIMAD.WIDE UR8, UR4, UR5, URZ");
  EXPECT_EQ(snippet.get_uniform(8), 0xffff'fe00u);
  EXPECT_EQ(snippet.get_uniform(9), 0xffff'ffffu);
  snippet.run("USHF.R.S32.HI UR8, URZ, 0x1f, UR4");
  EXPECT_EQ(snippet.get_uniform(8), 0xffff'ffffu);
  snippet.run("USHF.L.U64.HI UR8, UR4, UR5, UR6");
  EXPECT_EQ(snippet.get_uniform(8), 0xffff'fff0u);
  snippet.run("ULEA UR8, UP2, UR4, UR5, 0x2");
  EXPECT_EQ(snippet.get_uniform(8), 0xffff'ffe0u);
  EXPECT_EQ(snippet.get_uniform_predicate(2), 0u);
  snippet.run("ULEA.HI.X UR8, UR4, UR5, UR6, 0x2, UP1");
  EXPECT_EQ(snippet.get_uniform(8), 0x40u + 3 + 0x20 + 1);
  snippet.run("UISETP.GE.U32.AND UP0, UPT, UR4, UR5, UPT");
  EXPECT_EQ(snippet.get_uniform_predicate(0), simt::all_lanes);
  snippet.run("UISETP.GE.AND UP0, UP3, UR4, UR5, UPT");
  EXPECT_EQ(snippet.get_uniform_predicate(0), 0u);
  EXPECT_EQ(snippet.get_uniform_predicate(3), simt::all_lanes);
  snippet.set(4, [](unsigned lane) { return lane; });
  snippet.run("IADD3 R2, R4, -UR5, RZ");
  EXPECT_EQ(snippet.get(2, 3), 3u - 0x20);
}

}  // namespace
}  // namespace tilescope::sass
