#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "profiler/execution/sass/tests/integer_fixture.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

using namespace integer_tests;  // NOLINT(google-build-using-namespace)

class IntegerCompareTest : public IntegerTest {};

TEST_F(IntegerCompareTest, TakesMagnitudesAndDifferences) {
  expect("IABS R2, R4", [](const Lane& l) { return s(l.r[4]) < 0 ? 0u - l.r[4] : l.r[4]; });
  expect("VABSDIFF R2, R4, R5, R6",
         [](const Lane& l) { return u(std::abs(S64{s(l.r[4])} - s(l.r[5]))) + l.r[6]; });
  expect("VABSDIFF.U32 R2, R4, R5, R6",
         [](const Lane& l) { return u(std::abs(S64{l.r[4]} - S64{l.r[5]})) + l.r[6]; });
  const auto byte = [](U value, int k) { return static_cast<int>(value >> (8 * k) & 0xffu); };
  expect("VABSDIFF4.U8.ACC R2, R4, R5, R6", [=](const Lane& l) {
    U sum = l.r[6];
    for (int k = 0; k < 4; ++k) sum += u(std::abs(byte(l.r[4], k) - byte(l.r[5], k)));
    return sum;
  });
  expect("VABSDIFF4.U8 R2, R4, R5, RZ", [=](const Lane& l) {
    U bytes = 0;
    for (int k = 0; k < 4; ++k) bytes |= u(std::abs(byte(l.r[4], k) - byte(l.r[5], k))) << (8 * k);
    return bytes;
  });
}

TEST_F(IntegerCompareTest, ChoosesTheLowerOrTheHigher) {
  const auto lower = [](U a, U b) { return s(a) < s(b) ? a : b; };
  const auto higher = [](U a, U b) { return s(a) > s(b) ? a : b; };
  const auto relu = [](U a) { return s(a) < 0 ? 0u : a; };
  for (const std::string opcode : {"IMNMX", "VIMNMX"}) {
    expect(opcode + " R2, R4, R5, PT", [=](const Lane& l) { return lower(l.r[4], l.r[5]); });
    expect(opcode + " R2, R4, R5, !PT", [=](const Lane& l) { return higher(l.r[4], l.r[5]); });
    expect(opcode + " R2, R4, 0x40, !P1",
           [=](const Lane& l) { return l.p[1] ? higher(l.r[4], 64) : lower(l.r[4], 64); });
    expect(opcode + ".U32 R2, R4, R5, PT", [](const Lane& l) { return std::min(l.r[4], l.r[5]); });
    expect(opcode + ".U32 R2, R4, R5, P0",
           [](const Lane& l) { return l.p[0] ? std::min(l.r[4], l.r[5]) : std::max(l.r[4], l.r[5]); });
  }
  expect("VIMNMX.RELU R2, R4, R5, PT", [=](const Lane& l) { return relu(lower(l.r[4], l.r[5])); });
  expect("VIMNMX.RELU R2, R4, R5, !PT", [=](const Lane& l) { return relu(higher(l.r[4], l.r[5])); });
  expect("VIMNMX3 R2, R4, R5, R6, !PT",
         [=](const Lane& l) { return higher(higher(l.r[4], l.r[5]), l.r[6]); });
  expect("VIADDMNMX R2, R4, R5, R6, PT", [=](const Lane& l) { return lower(l.r[4] + l.r[5], l.r[6]); });
  expect("VIADDMNMX R2, R4, -R5, R6, !PT", [=](const Lane& l) { return higher(l.r[4] - l.r[5], l.r[6]); });
  expect("VIADDMNMX.U32 R2, R4, 0x8, R6, !PT", [](const Lane& l) { return std::max(l.r[4] + 8, l.r[6]); });
  expect("VIADDMNMX.RELU R2, R4, R5, R6, PT",
         [=](const Lane& l) { return relu(lower(l.r[4] + l.r[5], l.r[6])); });
}

TEST_F(IntegerCompareTest, ChoosesInHalves) {
  const auto halves = [](U a, U b, U c, auto operation) {
    return operation(a >> 16, b >> 16, c >> 16) << 16 | operation(a & 0xffff, b & 0xffff, c & 0xffff);
  };
  const auto value = [](U a) { return static_cast<int>(static_cast<std::int16_t>(a)); };
  const auto bits = [](int a) { return static_cast<U>(a) & 0xffffu; };
  expect("VIMNMX.S16x2 R2, R4, R5, PT", [=](const Lane& l) {
    return halves(l.r[4], l.r[5], 0, [=](U a, U b, U) { return bits(std::min(value(a), value(b))); });
  });
  expect("VIMNMX.S16x2.RELU R2, R4, R5, !PT", [=](const Lane& l) {
    return halves(l.r[4], l.r[5], 0, [=](U a, U b, U) { return bits(std::max({value(a), value(b), 0})); });
  });
  expect("VIMNMX3.U16x2 R2, R4, R5, R6, PT", [=](const Lane& l) {
    return halves(l.r[4], l.r[5], l.r[6], [](U a, U b, U c) { return std::min({a, b, c}); });
  });
  expect("VIADDMNMX.U16x2 R2, R4, R5, R6, !PT", [=](const Lane& l) {
    return halves(l.r[4], l.r[5], l.r[6], [](U a, U b, U c) { return std::max((a + b) & 0xffffu, c); });
  });
  expect("VIADDMNMX.S16x2.RELU R2, R4, R5, R6, PT", [=](const Lane& l) {
    return halves(l.r[4], l.r[5], l.r[6],
                  [=](U a, U b, U c) { return bits(std::max(std::min(value(a + b), value(c)), 0)); });
  });
}

struct NamedOrder {
  std::string name;
  bool (*of)(S64, S64);
};
const NamedOrder orders[] = {
    {"LT", [](S64 a, S64 b) { return a < b; }},  {"LE", [](S64 a, S64 b) { return a <= b; }},
    {"GT", [](S64 a, S64 b) { return a > b; }},  {"GE", [](S64 a, S64 b) { return a >= b; }},
    {"EQ", [](S64 a, S64 b) { return a == b; }}, {"NE", [](S64 a, S64 b) { return a != b; }},
    {"T", [](S64, S64) { return true; }},        {"F", [](S64, S64) { return false; }},
};

TEST_F(IntegerCompareTest, Compares) {
  for (const auto& [name, of] : orders) {
    const auto with_sign = [of = of](const Lane& l) { return of(s(l.r[4]), s(l.r[5])); };
    const auto without = [of = of](const Lane& l) { return of(S64{l.r[4]}, S64{l.r[5]}); };
    const std::string opcode = "ISETP." + name;
    expect_predicate(opcode + ".AND P4, PT, R4, R5, PT", with_sign);
    expect_predicate(opcode + ".U32.AND P4, PT, R4, R5, PT", without);
    expect_predicate(opcode + ".U32.AND P4, PT, R4, R5, P0",
                     [&](const Lane& l) { return without(l) && l.p[0]; });
    expect_predicate(opcode + ".OR P4, PT, R4, R5, !P0",
                     [&](const Lane& l) { return with_sign(l) || !l.p[0]; });
    expect_predicate(opcode + ".XOR P4, PT, R4, R5, P0",
                     [&](const Lane& l) { return with_sign(l) != l.p[0]; });
    // The second result is of the opposite comparison.
    for (const std::string text : {".AND P4, P5, R4, R5, P0", ".AND PT, P5, R4, R5, P0"}) {
      expect_predicate(
          opcode + text, [&](const Lane& l) { return !with_sign(l) && l.p[0]; }, 5);
    }
    expect_predicate(
        opcode + ".OR P4, P5, R4, R5, P0", [&](const Lane& l) { return !with_sign(l) || l.p[0]; }, 5);
    expect_predicate(opcode + ".AND P4, P5, R4, R5, PT", with_sign);
  }
  EXPECT_THROW(snippet.run("ISETP.SOME.AND P0, PT, R4, R5, PT"), Unsupported);
}

TEST_F(IntegerCompareTest, ComparesNumbersOf64Bits) {
  std::mt19937_64 random(6);
  for (const auto& [name, of] : orders) {
    if (name.size() == 1) continue;
    for (int round = 0; round < rounds; ++round) {
      std::array<LaneValues, 4> words;
      for (std::size_t k = 0; k < 4; ++k) words[k] = lane_values(random);
      for (std::size_t lane = 0; lane < 32; lane += 3) words[3][lane] = words[1][lane];
      for (std::size_t k = 0; k < 4; ++k) set(snippet, 20 + static_cast<int>(k), words[k]);
      snippet.set_predicate(3, 0x0f0f'1234);
      const std::string opcode = "ISETP." + name;
      snippet.run(opcode + ".U32.AND P0, PT, R20, R22, PT");
      snippet.run(opcode + ".AND.EX P1, PT, R21, R23, PT, P0");
      snippet.run(opcode + ".U32.AND.EX P2, P4, R21, R23, !P3, P0");
      for (unsigned lane = 0; lane < 32; ++lane) {
        const U64 a = pair(words[0][lane], words[1][lane]), b = pair(words[2][lane], words[3][lane]);
        constexpr U64 top = U64{1} << 63;
        const bool without = of(static_cast<S64>(a ^ top), static_cast<S64>(b ^ top));
        const bool other = !is_set(0x0f0f'1234, lane);
        ASSERT_EQ(is_set(snippet.get_predicate(1), lane), of(static_cast<S64>(a), static_cast<S64>(b)));
        ASSERT_EQ(is_set(snippet.get_predicate(2), lane), without && other);
        ASSERT_EQ(is_set(snippet.get_predicate(4), lane), !without && other);
      }
    }
  }
}

}  // namespace
}  // namespace tilescope::sass
