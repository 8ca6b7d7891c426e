#include <gtest/gtest.h>

#include <string>

#include "profiler/execution/sass/tests/integer_fixture.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

using namespace integer_tests;  // NOLINT(google-build-using-namespace)
using Wide = unsigned __int128;

class IntegerMultiplyTest : public IntegerTest {};

TEST_F(IntegerMultiplyTest, MultipliesAndAdds) {
  expect("IMAD R2, R4, R5, R6", [](const Lane& l) { return l.r[4] * l.r[5] + l.r[6]; });
  expect("IMAD R2, R4, R5, RZ", [](const Lane& l) { return l.r[4] * l.r[5]; });
  expect("IMAD R2, R4, R5, -R6", [](const Lane& l) { return l.r[4] * l.r[5] - l.r[6]; });
  expect("IMAD R2, R4, -0x3, R6", [](const Lane& l) { return l.r[4] * u(-3) + l.r[6]; });
  expect("IMAD.U32 R2, R4, 0x80000000, R6", [](const Lane& l) { return (l.r[4] << 31) + l.r[6]; });
  expect("IMAD.SHL.U32 R2, R4, 0x20, RZ", [](const Lane& l) { return l.r[4] << 5; });
  expect("IMAD.MOV.U32 R2, RZ, RZ, R6", [](const Lane& l) { return l.r[6]; });
  expect("IMAD.MOV.U32 R2, RZ, RZ, -0x800000", [](const Lane&) { return 0xff800000u; });
  expect("IMAD.MOV R2, RZ, RZ, -R6", [](const Lane& l) { return 0u - l.r[6]; });
  expect("IMAD.IADD R2, R4, 0x1, R6", [](const Lane& l) { return l.r[4] + l.r[6]; });
  expect("IMAD.IADD.U32 R2, R4, 0x1, R6", [](const Lane& l) { return l.r[4] + l.r[6]; });
  expect("IMAD.IADD R2, R4, 0x1, -R6", [](const Lane& l) { return l.r[4] - l.r[6]; });
  expect("IMAD R2, R4, 0x0, R6", [](const Lane& l) { return l.r[6]; });
  expect("IMAD.X R2, R4, 0x1, ~R6, P0", [](const Lane& l) { return l.r[4] + ~l.r[6] + l.p[0]; });
  expect("IMAD.X R2, R4, R5, R6, !P0", [](const Lane& l) { return l.r[4] * l.r[5] + l.r[6] + !l.p[0]; });
  expect("IMAD.X R2, RZ, RZ, -0x1, P0", [](const Lane& l) { return l.p[0] ? 0u : ~0u; });
}

TEST_F(IntegerMultiplyTest, MultipliesToPairs) {
  expect_pair("IMAD.WIDE R2, R4, R5, R6", [](const Lane& l) {
    return static_cast<U64>(S64{s(l.r[4])} * s(l.r[5])) + pair(l.r[6], l.r[7]);
  });
  expect_pair("IMAD.WIDE R2, R4, 0x8, RZ",
              [](const Lane& l) { return static_cast<U64>(S64{s(l.r[4])} * 8); });
  expect_pair("IMAD.WIDE.U32 R2, R4, R5, R6",
              [](const Lane& l) { return U64{l.r[4]} * l.r[5] + pair(l.r[6], l.r[7]); });
  expect_pair("IMAD.WIDE.U32 R2, R4, -0x2, RZ", [](const Lane& l) { return U64{l.r[4]} * 0xfffffffeu; });
  expect("IMAD.HI R2, R4, R5, RZ", [](const Lane& l) { return u((S64{s(l.r[4])} * s(l.r[5])) >> 32); });
  // The third source is a pair.
  expect("IMAD.HI R2, R4, R5, R6", [](const Lane& l) {
    return static_cast<U>((static_cast<U64>(S64{s(l.r[4])} * s(l.r[5])) + pair(l.r[6], l.r[7])) >> 32);
  });
  expect("IMAD.HI.U32 R2, R4, R5, R6",
         [](const Lane& l) { return static_cast<U>((U64{l.r[4]} * l.r[5] + pair(l.r[6], l.r[7])) >> 32); });
  expect_pair("IMAD.WIDE.U32 R2, R4, R5, -R6",
              [](const Lane& l) { return U64{l.r[4]} * l.r[5] - pair(l.r[6], l.r[7]); });
  expect_pair("IMAD.WIDE.X R2, R4, R5, ~R6, P0", [](const Lane& l) {
    return static_cast<U64>(S64{s(l.r[4])} * s(l.r[5])) + ~pair(l.r[6], l.r[7]) + l.p[0];
  });
  expect("IMAD.HI.U32.X R2, R4, R5, R6, P0", [](const Lane& l) {
    return static_cast<U>((U64{l.r[4]} * l.r[5] + pair(l.r[6], l.r[7]) + l.p[0]) >> 32);
  });
  // Its result may be a source's register, low or high.
  snippet.set(4, [](unsigned lane) { return lane; });
  snippet.set(5, [](unsigned lane) { return 0x40000000u + lane; });
  snippet.run("IMAD.WIDE.U32 R4, R4, R5, R4");
  EXPECT_EQ(snippet.get64(4, 9), 9ull * 0x40000009u + pair(9, 0x40000009u));
}

// 64 x 64 bits as ptxas multiplies them: the carry of a sum of 64 bits, out and in.
TEST_F(IntegerMultiplyTest, MultipliesTo128Bits) {
  std::mt19937_64 random(5);
  for (int round = 0; round < rounds; ++round) {
    std::array<LaneValues, 4> words;  // R19:R18 and R13:R12
    const int places[] = {18, 19, 12, 13};
    for (std::size_t k = 0; k < 4; ++k) set(snippet, places[k], words[k] = lane_values(random));
    snippet.run("IMAD.WIDE.U32 R26, R19, R12, RZ");
    snippet.run("IMAD.WIDE.U32 R26, P0, R18, R13, R26");
    snippet.run("IMAD.WIDE.U32 R22, R18, R12, RZ");
    snippet.run("IMAD.X R21, RZ, RZ, RZ, P0");
    snippet.run("IADD3 R23, P0, R23, R26, RZ");
    snippet.run("IMAD.MOV.U32 R20, RZ, RZ, R27");
    snippet.run("IMAD.WIDE.U32.X R20, R19, R13, R20, P0");
    for (unsigned lane = 0; lane < 32; ++lane) {
      const Wide product = Wide{pair(words[0][lane], words[1][lane])} * pair(words[2][lane], words[3][lane]);
      ASSERT_EQ(snippet.get64(22, lane), static_cast<U64>(product));
      ASSERT_EQ(snippet.get64(20, lane), static_cast<U64>(product >> 64));
    }
  }
}

template <class A, class B, int count, int first = 0>
U dot(U a, U b, U c) {
  for (int k = 0; k < count; ++k) {
    const auto x = static_cast<A>(a >> (32 / count * k));
    const auto y = static_cast<B>(b >> (8 * (k + first)));
    c += static_cast<U>(S64{x} * y);
  }
  return c;
}

TEST_F(IntegerMultiplyTest, MultipliesBytes) {
  using S8 = std::int8_t;
  using U8 = std::uint8_t;
  const auto of = [](U (*model)(U, U, U)) {
    return [model](const Lane& l) { return model(l.r[4], l.r[5], l.r[6]); };
  };
  expect("IDP.4A.S8.S8 R2, R4, R5, R6", of(dot<S8, S8, 4>));
  expect("IDP.4A.U8.U8 R2, R4, R5, R6", of(dot<U8, U8, 4>));
  expect("IDP.4A.S8.U8 R2, R4, R5, R6", of(dot<S8, U8, 4>));
  expect("IDP.4A.U8.S8 R2, R4, R5, R6", of(dot<U8, S8, 4>));
  expect("IDP.2A.LO.S16.S8 R2, R4, R5, R6", of(dot<std::int16_t, S8, 2>));
  expect("IDP.2A.HI.U16.S8 R2, R4, R5, R6", of(dot<std::uint16_t, S8, 2, 2>));
  EXPECT_THROW(snippet.run("IDP.4A.S4.S8 R2, R4, R5, R6"), Unsupported);
}

}  // namespace
}  // namespace tilescope::sass
