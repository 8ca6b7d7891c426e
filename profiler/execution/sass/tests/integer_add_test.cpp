#include <gtest/gtest.h>

#include <string>

#include "profiler/execution/sass/tests/integer_fixture.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

using namespace integer_tests;  // NOLINT(google-build-using-namespace)
using Wide = unsigned __int128;

class IntegerAddTest : public IntegerTest {};

TEST_F(IntegerAddTest, AddsThree) {
  expect("IADD3 R2, R4, R5, R6", [](const Lane& l) { return l.r[4] + l.r[5] + l.r[6]; });
  expect("IADD3 R2, R4, 0x10, RZ", [](const Lane& l) { return l.r[4] + 16; });
  expect("IADD3 R2, R4, -R5, RZ", [](const Lane& l) { return l.r[4] - l.r[5]; });
  expect("IADD3 R2, -R4, R5, RZ", [](const Lane& l) { return l.r[5] - l.r[4]; });
  expect("IADD3 R2, -R4, R5, R6", [](const Lane& l) { return l.r[5] - l.r[4] + l.r[6]; });
  expect("IADD3 R2, -R4, -0x2, -R6", [](const Lane& l) { return 0u - l.r[4] - 2 - l.r[6]; });
  expect("IADD3 R2, R4, -R5, -R6", [](const Lane& l) { return l.r[4] - l.r[5] - l.r[6]; });
  expect("VIADD R2, R4, 0xffffffe", [](const Lane& l) { return l.r[4] + 0xffffffe; });
  expect("VIADD R2, R4, -R5", [](const Lane& l) { return l.r[4] - l.r[5]; });
  expect("VIADD.16x2 R2, R4, R5", [](const Lane& l) {
    const U high = (l.r[4] >> 16) + (l.r[5] >> 16);
    return high << 16 | ((l.r[4] + l.r[5]) & 0xffffu);
  });
  // Its result may be one of its sources.
  snippet.set(4, [](unsigned lane) { return lane; });
  snippet.run("IADD3 R4, R4, R4, R4");
  EXPECT_EQ(snippet.get(4, 7), 21u);
}

TEST_F(IntegerAddTest, AddsWithCarryOut) {
  expect_predicate("IADD3 R2, P4, R4, R5, RZ", [](const Lane& l) { return l.r[4] + l.r[5] < l.r[4]; });
  expect("IADD3 R2, P4, R4, R5, RZ", [](const Lane& l) { return l.r[4] + l.r[5]; });
  // A difference carries where nothing is borrowed.
  expect_predicate("IADD3 R2, P4, R4, -R5, RZ", [](const Lane& l) { return l.r[4] >= l.r[5]; });
  expect_predicate("IADD3 R2, P4, -R4, R5, RZ", [](const Lane& l) { return l.r[5] >= l.r[4]; });
  expect_predicate("IADD3 R4, P4, R4, R4, RZ", [](const Lane& l) { return l.r[4] >> 31 != 0; });
}

TEST_F(IntegerAddTest, AddsExtended) {
  expect("IADD3.X R2, R4, R5, RZ, P0, !PT", [](const Lane& l) { return l.r[4] + l.r[5] + l.p[0]; });
  expect("IADD3.X R2, R4, ~R5, RZ, P0, !PT", [](const Lane& l) { return l.r[4] + ~l.r[5] + l.p[0]; });
  expect("IADD3.X R2, R4, R5, R6, P0, P1",
         [](const Lane& l) { return l.r[4] + l.r[5] + l.r[6] + l.p[0] + l.p[1]; });
  expect("IADD3.X R2, ~R4, R5, R6, !P0, P1",
         [](const Lane& l) { return ~l.r[4] + l.r[5] + l.r[6] + !l.p[0] + l.p[1]; });
  expect_predicate("IADD3.X R2, P4, R4, ~R5, RZ, P0, !PT",
                   [](const Lane& l) { return (U64{l.r[4]} + U64{~l.r[5]} + l.p[0]) >> 32 != 0; });
  expect("IADD3.X R2, R4, R5, RZ, PT, !PT", [](const Lane& l) { return l.r[4] + l.r[5] + 1; });
}

// Three numbers of 96 bits, as ptxas adds them: two carries from word to word.
TEST_F(IntegerAddTest, ChainsCarriesOverThreeWords) {
  std::mt19937_64 random(3);
  for (int round = 0; round < rounds; ++round) {
    std::array<LaneValues, 9> words;
    for (int k = 0; k < 9; ++k)
      set(snippet, 20 + k, words[static_cast<std::size_t>(k)] = lane_values(random));
    snippet.run("IADD3 R10, P0, P1, R20, R23, R26");
    snippet.run("IADD3.X R11, P2, P3, R21, R24, R27, P0, P1");
    snippet.run("IADD3.X R12, R22, R25, R28, P2, P3");
    for (unsigned lane = 0; lane < 32; ++lane) {
      Wide sum = 0;
      for (std::size_t k = 0; k < 9; k += 3) {
        sum += Wide{words[k][lane]} | Wide{words[k + 1][lane]} << 32 | Wide{words[k + 2][lane]} << 64;
      }
      ASSERT_EQ(snippet.get64(10, lane), static_cast<U64>(sum));
      ASSERT_EQ(snippet.get(12, lane), static_cast<U>(sum >> 64));
    }
  }
}

TEST_F(IntegerAddTest, SubtractsNumbersOf64Bits) {
  std::mt19937_64 random(4);
  for (int round = 0; round < rounds; ++round) {
    std::array<LaneValues, 4> words;
    for (int k = 0; k < 4; ++k)
      set(snippet, 20 + k, words[static_cast<std::size_t>(k)] = lane_values(random));
    snippet.run("IADD3 R10, P0, R20, -R22, RZ");
    snippet.run("IADD3.X R11, R21, ~R23, RZ, P0, !PT");
    snippet.run("IADD3 R12, P1, -R20, R22, RZ");
    snippet.run("IMAD.X R13, R23, 0x1, ~R21, P1");
    for (unsigned lane = 0; lane < 32; ++lane) {
      const U64 a = pair(words[0][lane], words[1][lane]), b = pair(words[2][lane], words[3][lane]);
      ASSERT_EQ(snippet.get64(10, lane), a - b);
      ASSERT_EQ(snippet.get64(12, lane), b - a);
    }
  }
}

TEST_F(IntegerAddTest, AddsScaled) {
  for (const int shift : {0, 1, 5, 16, 31}) {
    const std::string by = ", " + std::to_string(shift);
    expect("LEA R2, R4, R5" + by, [=](const Lane& l) { return (l.r[4] << shift) + l.r[5]; });
    expect_predicate("LEA R2, P4, R4, R5" + by,
                     [=](const Lane& l) { return (U64{l.r[4] << shift} + l.r[5]) >> 32 != 0; });
    expect("LEA.HI R2, R4, R5, R6" + by,
           [=](const Lane& l) { return static_cast<U>(pair(l.r[4], l.r[6]) << shift >> 32) + l.r[5]; });
    expect_predicate("LEA.HI R2, P4, R4, R5, RZ" + by,
                     [=](const Lane& l) { return ((U64{l.r[4]} << shift >> 32) + l.r[5]) >> 32 != 0; });
    expect("LEA.HI.SX32 R2, R4, R5" + by, [=](const Lane& l) {
      return u(static_cast<S64>(static_cast<U64>(S64{s(l.r[4])}) << shift) >> 32) + l.r[5];
    });
    expect("LEA.HI.X R2, R4, R5, R6" + by + ", P0", [=](const Lane& l) {
      return static_cast<U>(pair(l.r[4], l.r[6]) << shift >> 32) + l.r[5] + l.p[0];
    });
    expect("LEA.HI.X.SX32 R2, R4, R5" + by + ", !P0", [=](const Lane& l) {
      return u(static_cast<S64>(static_cast<U64>(S64{s(l.r[4])}) << shift) >> 32) + l.r[5] + !l.p[0];
    });
    expect("LEA R2, -R4, R5" + by, [=](const Lane& l) { return l.r[5] - (l.r[4] << shift); });
    expect_predicate("LEA R2, P4, -R4, R5" + by, [=](const Lane& l) { return l.r[5] >= (l.r[4] << shift); });
  }
  expect("LEA.HI R2, -R4, R5, R6, 0x3",
         [](const Lane& l) { return l.r[5] - static_cast<U>(pair(l.r[4], l.r[6]) << 3 >> 32); });
  expect("LEA.HI.X R2, ~R4, R5, R6, 0x3, P0",
         [](const Lane& l) { return ~static_cast<U>(pair(l.r[4], l.r[6]) << 3 >> 32) + l.r[5] + l.p[0]; });
  expect("LEA R2, R4, -R5, 0x3", [](const Lane& l) { return (l.r[4] << 3) - l.r[5]; });
  expect("LEA.X R2, R4, ~R5, 0x3, P0", [](const Lane& l) { return (l.r[4] << 3) + ~l.r[5] + l.p[0]; });
  EXPECT_THROW(snippet.run("LEA R2, |R4|, R5, 0x3"), Unsupported);
}

// A pointer of 64 bits, an index of 32 with its sign and of 64.
TEST_F(IntegerAddTest, AddsScaledIndexToPointer) {
  std::mt19937_64 random(7);
  for (int round = 0; round < rounds; ++round) {
    std::array<LaneValues, 4> words;
    for (std::size_t k = 0; k < 4; ++k) {
      words[k] = lane_values(random);
      set(snippet, 20 + static_cast<int>(k), words[k]);
    }
    snippet.run("LEA R10, P0, R20, R22, 0x3");
    snippet.run("LEA.HI.X R11, R20, R23, R21, 0x3, P0");
    snippet.run("LEA.HI.X.SX32 R12, R20, R23, 0x3, P0");
    snippet.run("LEA R14, P1, -R20, R22, 0x5");
    snippet.run("SHF.L.U64.HI R16, R20, 0x5, R21");
    snippet.run("IMAD.X R15, R23, 0x1, ~R16, P1");
    for (unsigned lane = 0; lane < 32; ++lane) {
      const U64 index = pair(words[0][lane], words[1][lane]), base = pair(words[2][lane], words[3][lane]);
      const auto with_sign = static_cast<U64>(S64{s(words[0][lane])});
      ASSERT_EQ(snippet.get64(10, lane), base + (index << 3));
      ASSERT_EQ(snippet.get(12, lane), static_cast<U>((base + (with_sign << 3)) >> 32));
      ASSERT_EQ(snippet.get64(14, lane), base - (index << 5));
    }
  }
}

}  // namespace
}  // namespace tilescope::sass
